import { ActionIcon, Code, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";

/** A line to take elsewhere. Where the browser forbids copying it is at least selected. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  const line = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copied(text, line.current));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code ref={line} block flex={1} miw={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <Tooltip label={isCopied ? "Copied" : "Copy"}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={isCopied ? "Copied" : `Copy ${label}`}
          onClick={copy}
        >
          {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** Plain HTTP has no clipboard: there the selection is copied the old way. */
async function copied(text: string, line: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (line) window.getSelection()?.selectAllChildren(line);
    return document.execCommand("copy");
  }
}
