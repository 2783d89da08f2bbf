import { useQuery } from "@tanstack/react-query";
import { ContentView } from "@/components/results/ContentView";
import { readPreview } from "./readPreview";

/** The latest preview of a running job. The previous one stays until the next is loaded. */
export function Preview({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["preview", id],
    queryFn: () => readPreview(id),
    placeholderData: (old) => old,
  });
  return data ? <ContentView content={data} name="Preview" /> : null;
}
