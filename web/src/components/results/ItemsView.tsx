import { useMemo } from "react";
import { ContentView } from "./ContentView";
import { itemsContentOf } from "./content";
import { JobIdContext } from "./JobIdContext";

/** Items of a job that is still yielding: a text, a table or a gallery that grows. */
export default function ItemsView({ items, jobId }: { items: unknown[]; jobId: string }) {
  const content = useMemo(() => itemsContentOf(items), [items]);
  return (
    <JobIdContext value={jobId}>
      <ContentView content={content} name="Items" />
    </JobIdContext>
  );
}
