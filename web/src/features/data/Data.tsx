import { Container, Stack, Title } from "@mantine/core";
import { DocumentList } from "./DocumentList";
import { FramesPanel } from "./FramesPanel";
import { LockList } from "./LockList";
import { VersionList } from "./VersionList";

/** What a room holds: frames, documents, who changed them and when, and who holds a lock. */
export default function Data({ room }: { room: string }) {
  return (
    <Container size="xl" p={0}>
      <Stack gap="xl">
        <Title order={1} size="h2">
          Data
        </Title>
        <FramesPanel room={room} />
        <LockList room={room} />
        <VersionList room={room} />
        <DocumentList room={room} />
      </Stack>
    </Container>
  );
}
