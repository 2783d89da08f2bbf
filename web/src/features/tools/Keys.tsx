import { Group, Kbd, Modal, Table } from "@mantine/core";
import { IS_MAC } from "./platform";

const MOD = IS_MAC ? "⌘" : "Ctrl";
const KEYS: [string[], string][] = [
  [[MOD, "K"], "Go to a tool, room, job or action"],
  [[MOD, "Enter"], "Run the form"],
  [["?"], "List these keys"],
  [["↑"], "Increase the number in a field"],
  [["↓"], "Decrease the number in a field"],
  [["Tab"], "Go to the next field; the first Tab offers to skip to the content"],
  [["Enter"], "Send a message in the chat"],
  [["Shift", "Enter"], "Begin a new line in the chat"],
  [["Esc"], "Close a dialog"],
];

export default function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Table verticalSpacing={6} withRowBorders={false}>
        <Table.Tbody>
          {KEYS.map(([keys, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Td w={130}>
                <Group gap={4} wrap="nowrap">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
