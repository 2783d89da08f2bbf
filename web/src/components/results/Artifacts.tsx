import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Artifact } from "@/api/schema";
import { FileCard } from "./FileView";
import { artifactsIn } from "./references";

const ITEM = /^item-\d+\.json$/; // a large item that the job yielded

/** The files that a job produced, except those that its result shows already. */
export function Artifacts({ jobId, result }: { jobId: string; result: unknown }) {
  const { data = [] } = useQuery(queries.artifacts(jobId));
  const rest = artifactsBeside(data, result);
  if (rest.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Files">
      {rest.map((artifact) => (
        <FileCard key={artifact.name} jobId={jobId} artifact={artifact} />
      ))}
    </Stack>
  );
}

export function artifactsBeside(artifacts: Artifact[], result: unknown): Artifact[] {
  const shown = artifactsIn(result);
  return artifacts.filter(({ name }) => !shown.has(name) && !ITEM.test(name));
}
