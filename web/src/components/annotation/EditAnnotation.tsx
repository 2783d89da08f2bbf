import { Button, Group, Modal, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Job } from "@/api/schema";
import { changesOf, type Written, writtenIn } from "./changes";
import { useAnnotate } from "./useAnnotate";

const MAX_NAME = 100;
const MAX_TAGS = 20;
const MAX_TAG = 40;
const MAX_NOTE = 4000;

/** A form for the name, the tags and the note of a job. */
export function EditAnnotation({ job, close }: { job: Job; close: () => void }) {
  const [before] = useState(() => writtenIn(job.annotation));
  const [{ name, tags, note }, setWritten] = useState(before);
  const set = (written: Partial<Written>) => setWritten((now) => ({ ...now, ...written }));
  const annotating = useAnnotate(job);
  const save = () => {
    const changes = changesOf(before, { name, tags, note });
    if (Object.keys(changes).length === 0) close();
    else annotating.mutate(changes, { onSuccess: close });
  };
  return (
    <Modal opened onClose={close} title="Name, tags and note">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            data-autofocus
            maxLength={MAX_NAME}
            value={name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <TagsInput
            label="Tags"
            description="Enter or a comma ends a tag"
            maxTags={MAX_TAGS}
            value={tags}
            onChange={(given) => set({ tags: given.map((tag) => tag.slice(0, MAX_TAG)) })}
            acceptValueOnBlur
          />
          <Textarea
            label="Note"
            autosize
            minRows={3}
            maxRows={12}
            maxLength={MAX_NOTE}
            value={note}
            onChange={(event) => set({ note: event.currentTarget.value })}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Go back
            </Button>
            <Button type="submit" loading={annotating.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
