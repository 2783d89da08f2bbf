import { Button } from "@mantine/core";
import { IconTableExport } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { mounted } from "@/api/mount";
import { problemOf } from "@/api/problem";
import type { JobFilter } from "@/api/queries";
import { notify, notifyError } from "@/components/notify";
import { saveAs } from "@/components/results/download";

interface Props {
  room: string;
  filter: JobFilter;
  /** Only these jobs, if any. */
  ids?: string[];
  size?: "xs";
}

/** Downloads the listed or the selected jobs as CSV. */
export function ExportButton({ room, filter, ids = [], size }: Props) {
  const exporting = useMutation({ mutationFn: () => download(room, filter, ids), onError: notifyError });
  return (
    <Button
      size={size}
      variant="default"
      px="sm"
      leftSection={<IconTableExport size={size ? 14 : 16} />}
      loading={exporting.isPending}
      onClick={() => exporting.mutate()}
    >
      Export CSV
    </Button>
  );
}

async function download(room: string, filter: JobFilter, ids: string[]): Promise<void> {
  const query = new URLSearchParams(ids.length ? ids.map((id) => ["id", id]) : Object.entries(filter));
  const response = await fetch(mounted(`/api/rooms/${encodeURIComponent(room)}/jobs.csv?${query}`));
  if (!response.ok) throw await problemOf(response);
  saveAs(`${room}-jobs.csv`, await response.blob(), "text/csv");
  if (response.headers.has("X-Next-Cursor"))
    notify("The file has the newest jobs. Search for less, or for older ones, to export the others.");
}
