import { Alert, Button, Group, Stack, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf, newKey } from "@/api/client";
import { hasCode } from "@/api/problem";
import type { DocumentValue } from "@/api/queries";

interface Props {
  room: string;
  name: string;
  current: DocumentValue;
  close: () => void;
}

/** Edits a document as JSON. If somebody else was faster, nothing is overwritten. */
export function EditDocument({ room, name, current, close }: Props) {
  const client = useQueryClient();
  const [base, setBase] = useState(current);
  const [text, setText] = useState(() => format(current.value));
  const saving = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT("/api/rooms/{room}/state/{key}", {
          params: {
            path: { room, key: name },
            header: { "If-Match": base.etag, "Idempotency-Key": newKey() },
          },
          body: JSON.parse(text) as never,
        }),
      ),
    onSuccess: () => {
      for (const key of ["documents", "document", "versions"])
        void client.invalidateQueries({ queryKey: [key, room] });
      close();
    },
  });
  const isBehind = current.etag !== base.etag || hasCode(saving.error, "version_conflict");
  const takeTheirs = () => {
    setBase(current);
    setText(format(current.value));
    saving.reset();
  };
  return (
    <Stack gap="xs">
      {isBehind ? (
        <Alert color="yellow" role="alert">
          Somebody else changed this document. Load theirs to go on from it; your text is replaced.
        </Alert>
      ) : (
        saving.error && (
          <Alert color="red" role="alert">
            {saving.error.message}
          </Alert>
        )
      )}
      <Textarea
        aria-label={`Value of ${name}`}
        autosize
        minRows={3}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        error={faultOf(text)}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          size="xs"
          loading={saving.isPending}
          disabled={isBehind || faultOf(text) !== null}
          onClick={() => saving.mutate()}
        >
          Save
        </Button>
        {isBehind && (
          <Button size="xs" variant="default" onClick={takeTheirs}>
            Load theirs
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" onClick={close}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function format(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function faultOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    return "This is not valid JSON.";
  }
}
