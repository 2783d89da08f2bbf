import { Button, Group, Popover, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTag } from "@tabler/icons-react";
import { useState } from "react";

const MAX_TAG = 40;

interface Props {
  isBusy: boolean;
  tag: (action: "tag" | "untag", tag: string) => void;
}

/** Adds a tag to the selected jobs, or removes it from them. */
export function TagMenu({ isBusy, tag }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [text, setText] = useState("");
  const apply = (action: "tag" | "untag") => {
    if (text.trim()) tag(action, text.trim());
    close();
  };
  return (
    <Popover opened={isOpen} onChange={toggle} trapFocus position="top" withArrow>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconTag size={14} />}
          disabled={isBusy}
          onClick={toggle}
        >
          Tag
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            apply("tag");
          }}
        >
          <TextInput
            label="Tag"
            maxLength={MAX_TAG}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            mb="xs"
          />
          <Group gap="xs" justify="flex-end">
            <Button size="xs" variant="default" disabled={!text.trim()} onClick={() => apply("untag")}>
              Remove
            </Button>
            <Button size="xs" type="submit" disabled={!text.trim()}>
              Add
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
