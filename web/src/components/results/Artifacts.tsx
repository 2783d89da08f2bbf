import { Anchor, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Artifact } from "@/api/schema";
import { formatBytes } from "@/components/format";
import { ArtifactView } from "./ArtifactView";

/** The files that a job produced. */
export function Artifacts({ jobId }: { jobId: string }) {
  const { data = [] } = useQuery(queries.artifacts(jobId));
  if (data.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Files">
      {data.map((artifact) => (
        <File key={artifact.name} artifact={artifact} address={addressOf(jobId, artifact.name)} />
      ))}
    </Stack>
  );
}

function addressOf(jobId: string, name: string): string {
  return `/api/jobs/${jobId}/artifacts/${encodeURIComponent(name)}`;
}

function File({ artifact, address }: { artifact: Artifact; address: string }) {
  return (
    <div>
      <Group gap="xs" mb={4}>
        <Anchor href={address} download={artifact.name} size="sm" style={{ overflowWrap: "anywhere" }}>
          <IconDownload size={14} style={{ verticalAlign: -2 }} /> {artifact.name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {formatBytes(artifact.size)}
        </Text>
      </Group>
      <ArtifactView artifact={artifact} address={address} />
    </div>
  );
}
