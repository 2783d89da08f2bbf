import { ActionIcon, Code, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { copyText } from "./copy";

/** Code with a copy button. If the browser forbids copying, the text is selected instead. */
export function CopyableCode({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(text, code.current));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code ref={code} block flex={1} miw={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
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
