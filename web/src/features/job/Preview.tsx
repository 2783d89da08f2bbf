import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { queries } from "@/api/queries";
import { Collapsible } from "@/components/Collapsible";
import { Loading } from "@/components/Loading";
import { readPreview } from "./readPreview";

const ContentView = lazy(async () => ({
  default: (await import("@/components/results/ContentView")).ContentView,
}));

/** The latest preview of a running job. The previous one stays until the next is loaded. */
export function Preview({ id }: { id: string }) {
  const { data: hasPreview = false } = useQuery(queries.hasPreview(id));
  const { data } = useQuery({
    queryKey: ["preview", id],
    queryFn: () => readPreview(id),
    placeholderData: (old) => old,
    enabled: hasPreview,
  });
  return data ? (
    <Suspense fallback={<Loading />}>
      <ContentView content={data} name="Preview" />
    </Suspense>
  ) : null;
}

/** What an ended job showed last. */
export function LastPreview({ id }: { id: string }) {
  const { data: hasPreview } = useQuery(queries.hasPreview(id));
  return hasPreview ? (
    <Collapsible title="Last preview" isOpen>
      <Preview id={id} />
    </Collapsible>
  ) : null;
}
