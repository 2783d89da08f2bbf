import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Paper,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconHistory, IconSparkles } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useCallback, useMemo } from "react";
import type { Values } from "@/components/draft";
import { pluralize } from "@/components/format";
import { Availability } from "./Availability";
import { ACTION_NAMES, type Action } from "./actions";
import { CostLine } from "./CostLine";
import { media, type Provider } from "./content";
import { type Draft, payloadsOf, withProvider } from "./draft";
import { SourceChip } from "./SourceChip";
import type { FieldsProps } from "./Studio";
import { parseSeeds, withoutSeed } from "./seeds";
import { useOrder } from "./useOrder";

const PROMPTS = 12;
const NO_SEEDS: number[] = [];

interface Props {
  room: string;
  providers: Provider[];
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  fields: (props: FieldsProps) => ReactNode;
}

/** What to order, from whom, and how. */
export function Composer({ room, providers, draft, onChange, fields }: Props) {
  const provider = providers.find(({ name }) => name === draft.provider) ?? providers[0];
  const { order, isPending } = useOrder(room);
  const { schema, hasSeed } = useMemo(() => withoutSeed(provider?.params_schema ?? {}), [provider]);
  const seeds = hasSeed ? parseSeeds(draft.seeds) : NO_SEEDS;
  const needsSource = draft.action !== "txt2img";
  const isReady =
    provider?.actions.includes(draft.action) &&
    seeds !== null &&
    Boolean(draft.prompt.trim() || needsSource) &&
    (!needsSource || draft.source !== "");
  const count = Math.max(1, seeds?.length ?? 1);
  const submit = () => {
    if (isReady && seeds && !isPending && provider)
      order(payloadsOf({ ...draft, provider: provider.name }, room, seeds));
  };
  useHotkeys([["mod + Enter", submit]], []);
  const changeParams = useCallback(
    (change: (before: Values) => Values) => onChange({ params: change(draft.params) }),
    [onChange, draft.params],
  );
  if (!provider) return <Text>No provider is configured.</Text>;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <PromptField room={room} prompt={draft.prompt} onChange={(prompt) => onChange({ prompt })} />
        <Select
          label="Provider"
          data={providers.map(({ name }) => name)}
          value={provider.name}
          allowDeselect={false}
          onChange={(name) => name && onChange(withProvider(draft, name, providers))}
          description={<Availability room={room} provider={provider} />}
          inputWrapperOrder={["label", "input", "description"]}
        />
        <Select
          label="Make"
          data={provider.actions.map((action) => ({ value: action, label: ACTION_NAMES[action] }))}
          value={draft.action}
          allowDeselect={false}
          onChange={(action) => action && onChange({ action: action as Action })}
        />
        {needsSource && <SourceChip room={room} source={draft.source} onChange={onChange} />}
        <Button
          leftSection={<IconSparkles size={18} />}
          disabled={!isReady}
          loading={isPending}
          onClick={submit}
          title="Ctrl+Enter"
        >
          {count > 1 ? `Generate ${pluralize(count, "time")}` : "Generate"}
        </Button>
        <CostLine room={room} provider={provider} action={draft.action} params={draft.params} count={count} />
        <Suspense>
          {fields({
            schema,
            values: draft.params,
            onChange: changeParams,
            onSubmit: submit,
          })}
        </Suspense>
        {hasSeed && (
          <TextInput
            label="Seeds"
            description="One job for each: 1, 2, 5-8"
            value={draft.seeds}
            error={seeds === null && "Write numbers and ranges, 20 at most"}
            onChange={(event) => onChange({ seeds: event.currentTarget.value })}
          />
        )}
      </Stack>
    </Paper>
  );
}

interface PromptProps {
  room: string;
  prompt: string;
  onChange: (prompt: string) => void;
}

/** The prompt, with those that were sent before. */
function PromptField({ room, prompt, onChange }: PromptProps) {
  const { data = [] } = useQuery(media.generations(room));
  const before = [...new Set(data.map(({ request }) => request.prompt).filter(Boolean))].slice(0, PROMPTS);
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text component="label" htmlFor="studio-prompt" size="sm" fw={500}>
          Prompt
        </Text>
        <Menu position="bottom-end" width={320} disabled={before.length === 0}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Earlier prompts"
              disabled={before.length === 0}
            >
              <IconHistory size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {before.map((each) => (
              <Menu.Item key={each} onClick={() => onChange(each)}>
                <Text size="sm" lineClamp={2}>
                  {each}
                </Text>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Textarea
        id="studio-prompt"
        autosize
        minRows={3}
        maxRows={10}
        maxLength={8000}
        placeholder="What should it show?"
        value={prompt}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
