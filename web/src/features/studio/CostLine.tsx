import { Progress, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { Values } from "@/components/draft";
import type { Action } from "./actions";
import { type Estimate, media, type Provider, type Spending } from "./content";

interface Props {
  room: string;
  provider: Provider;
  action: Action;
  params: Values;
  count: number;
}

const ESTIMATE_MS = 600;

/** What an order costs, and what was spent of the month's budget. */
export function CostLine({ room, provider, action, params, count }: Props) {
  const { data = [] } = useQuery(media.spending(room));
  const [priced] = useDebouncedValue(params, ESTIMATE_MS);
  const { data: estimate } = useQuery({
    ...media.estimate(room, provider.name, action, priced),
    enabled: !provider.is_free,
  });
  const spending = data.find((each) => each.provider === provider.name);
  return (
    <div>
      <Text size="xs" c="dimmed">
        {[priceOf(provider, estimate, count), spending && spentOf(spending)].filter(Boolean).join(" · ")}
      </Text>
      {spending?.limit ? (
        <Progress
          mt={4}
          size="sm"
          value={Math.min(100, (spending.spent / spending.limit) * 100)}
          color={spending.spent >= spending.limit ? "red" : undefined}
          aria-label="Spent of the budget of this month"
        />
      ) : null}
    </div>
  );
}

function priceOf({ is_free }: Provider, estimate: Estimate | undefined, count: number): string {
  if (is_free) return "Costs nothing";
  if (estimate === undefined) return "";
  if (estimate.amount === null) return "The provider sets the price";
  return `About ${round(estimate.amount * count)} ${estimate.unit}`.trim();
}

function spentOf({ spent, limit, unit, month }: Spending): string {
  if (limit === null) return spent > 0 ? `${round(spent)} ${unit} spent in ${month}` : "";
  return `${round(spent)} of ${round(limit)} ${unit} spent in ${month}`;
}

function round(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 3 });
}
