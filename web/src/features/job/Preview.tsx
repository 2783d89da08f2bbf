import { useQuery } from "@tanstack/react-query";
import { Shown } from "@/components/results/Shown";
import { readPreview } from "./readPreview";

/** What the job shows while it runs; the old one stays until the new one is here. */
export function Preview({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["preview", id],
    queryFn: () => readPreview(id),
    placeholderData: (old) => old,
  });
  return data ? <Shown thing={data} name="Preview" /> : null;
}
