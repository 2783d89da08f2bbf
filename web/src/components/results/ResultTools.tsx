import { ActionIcon, Group, SegmentedControl, Text, Tooltip } from "@mantine/core";
import { IconBrandPython, IconCheck } from "@tabler/icons-react";
import { useState } from "react";
import { SERVER_URL } from "@/api/mount";
import type { Job } from "@/api/schema";
import { copyText } from "@/components/copy";

interface Props {
  job: Job;
  isRaw: boolean;
  setRaw: (isRaw: boolean) => void;
}

/** Switches to raw JSON, and copies Python that fetches the same result. */
export function ResultTools({ job, isRaw, setRaw }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(pythonOf(job)));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Group gap={6} wrap="nowrap">
      <Text fw={550} flex={1}>
        Result
      </Text>
      <SegmentedControl
        size="xs"
        data={["View", "JSON"]}
        value={isRaw ? "JSON" : "View"}
        onChange={(value) => setRaw(value === "JSON")}
        aria-label="Result as"
      />
      <Tooltip label={isCopied ? "Copied" : "Copy Python that fetches this result"}>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={isCopied ? "Copied" : "Copy Python that fetches this result"}
          onClick={copy}
        >
          {isCopied ? <IconCheck size={16} /> : <IconBrandPython size={16} />}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

export function pythonOf({ id, room }: Pick<Job, "id" | "room">): string {
  return `from workroom import Room

with Room(${JSON.stringify(room)}, ${JSON.stringify(SERVER_URL)}) as room:
    result = room.job(${JSON.stringify(id)}).result()
`;
}
