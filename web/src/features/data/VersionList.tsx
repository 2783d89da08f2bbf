import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconArrowBackUp, IconArrowForwardUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Version } from "@/api/schema";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { useIsViewer } from "@/components/ViewOnly";
import { Section } from "./Section";
import { useRevert } from "./useRevert";

export function VersionList({ room }: { room: string }) {
  const versions = useQuery(queries.versions(room));
  const isViewer = useIsViewer(room);
  const reverting = useRevert(room);
  const revert = (step: "undo" | "redo") => {
    if (!isViewer && !reverting.isPending) reverting.mutate(step);
  };
  useHotkeys([
    ["mod + Z", () => revert("undo")],
    ["mod + shift + Z", () => revert("redo")],
  ]);
  const actions = !isViewer && (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        title="Ctrl-Z"
        leftSection={<IconArrowBackUp size={14} />}
        disabled={reverting.isPending}
        onClick={() => revert("undo")}
      >
        Undo
      </Button>
      <Button
        size="xs"
        variant="default"
        title="Ctrl-Shift-Z"
        leftSection={<IconArrowForwardUp size={14} />}
        disabled={reverting.isPending}
        onClick={() => revert("redo")}
      >
        Redo
      </Button>
    </Group>
  );
  return (
    <Section title="Versions" query={versions} actions={actions}>
      {(items) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing was changed yet.
          </Text>
        ) : (
          <Stack gap={4} component="ul" p={0} m={0} style={{ listStyle: "none" }}>
            {items.map((version, index) => (
              <li key={version.number}>
                <VersionRow
                  version={version}
                  onRestore={isViewer || index === 0 ? undefined : () => reverting.mutate(version.number)}
                />
              </li>
            ))}
          </Stack>
        )
      }
    </Section>
  );
}

function VersionRow({ version, onRestore }: { version: Version; onRestore?: () => void }) {
  return (
    <Paper withBorder px="xs" py={4}>
      <Group justify="space-between" wrap="nowrap" gap="xs" mih={30}>
        <Text size="sm" component="div" style={{ overflowWrap: "anywhere" }}>
          <Text span fw={500} inherit td={version.undone ? "line-through" : undefined}>
            {version.summary || version.kind}
          </Text>{" "}
          <Text span size="xs" c="dimmed">
            {version.number} · <PersonName id={version.user} /> · <Ago at={version.at} />
            {version.undone && " · undone"}
            {version.job_id && (
              <>
                {" · "}
                <Anchor component={Link} href={`/jobs/${version.job_id}`} inherit underline="always">
                  its job
                </Anchor>
              </>
            )}
          </Text>
        </Text>
        {onRestore && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            style={{ flexShrink: 0 }}
            aria-label={`Restore version ${version.number}`}
            onClick={onRestore}
          >
            Restore
          </Button>
        )}
      </Group>
    </Paper>
  );
}
