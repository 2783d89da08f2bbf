import { Anchor, Group, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useContext } from "react";
import { queries } from "@/api/queries";
import type { Artifact } from "@/api/schema";
import { formatBytes } from "@/components/format";
import { ArtifactView } from "./ArtifactView";
import { addressOf, JobIdContext } from "./JobIdContext";

/** A file that the result names. */
export function FileView({ name }: { name: string }) {
  const jobId = useContext(JobIdContext);
  return jobId === null ? <Text size="sm">{name}</Text> : <KnownFile jobId={jobId} name={name} />;
}

function KnownFile({ jobId, name }: { jobId: string; name: string }) {
  const { data = [] } = useQuery(queries.artifacts(jobId));
  const artifact = data.find((each) => each.name === name);
  return artifact ? <FileCard jobId={jobId} artifact={artifact} /> : <Text size="sm">{name}</Text>;
}

export function FileCard({ jobId, artifact }: { jobId: string; artifact: Artifact }) {
  const address = addressOf(jobId, artifact.name);
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
