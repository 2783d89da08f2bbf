import { Collapse, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** A section that opens on click. */
export function Collapsible({
  title,
  children,
  isOpen = false,
}: {
  title: string;
  children: ReactNode;
  isOpen?: boolean;
}) {
  const [opened, { toggle }] = useDisclosure(isOpen);
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={opened} py={4} fz="sm" fw={500}>
        <IconChevronRight
          size={14}
          style={{ transform: opened ? "rotate(90deg)" : undefined, verticalAlign: -2, marginRight: 4 }}
        />
        {title}
      </UnstyledButton>
      <Collapse expanded={opened}>{opened && children}</Collapse>
    </div>
  );
}
