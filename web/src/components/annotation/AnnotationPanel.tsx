import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTag } from "@tabler/icons-react";
import type { Job } from "@/api/schema";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { useIsViewer } from "@/components/ViewOnly";
import { EditAnnotation } from "./EditAnnotation";
import { Star } from "./Star";
import { Tags } from "./Tags";

/** What people wrote about a job, and the way to change it. */
export function AnnotationPanel({ job, title }: { job: Job; title: string }) {
  const [isEditing, { open, close }] = useDisclosure();
  const { annotation } = job;
  const isViewer = useIsViewer(job.room);
  return (
    <Stack gap={4} component="section" aria-label="Annotation">
      <Group gap="xs">
        <Star job={job} of={title} />
        {annotation && <Tags tags={annotation.tags} />}
        {!isViewer && (
          <Button size="compact-sm" variant="default" leftSection={<IconTag size={14} />} onClick={open}>
            {annotation ? "Edit name, tags, note" : "Add name, tags, note"}
          </Button>
        )}
      </Group>
      {annotation?.note && (
        <>
          <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {annotation.note}
          </Text>
          <Text size="xs" c="dimmed">
            last edited by <PersonName id={annotation.by} /> · <Ago at={annotation.at} />
          </Text>
        </>
      )}
      {isEditing && <EditAnnotation job={job} close={close} />}
    </Stack>
  );
}
