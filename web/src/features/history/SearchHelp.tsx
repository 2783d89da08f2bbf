import { Code, Group, Modal, Table, Text } from "@mantine/core";

const WORDS: [words: string[], meaning: string][] = [
  [["relax copper"], "all words, in the tool, name, tags, note, error or values"],
  [['"two words"'], "a phrase"],
  [["window>5", "fmax<=0.05"], "a parameter: = != < <= > >="],
  [["calculator=EMT", "cell.a>3"], "also texts, and values inside of values"],
  [["user:ada", "user:me"], "who ran it"],
  [["state:failed"], "also queued and ended"],
  [["tool:smooth"], "a part of the tool's name"],
  [["starred", "tag:paper"], "what people marked"],
  [["name:bulk", "note:check", "error:memory"], "a part of just these"],
  [["since:2026-11-01", "until:2026-11"], "days and months, in UTC"],
  [["since:7d", "on:yesterday", "before:today"], "also 12h, 30min, 2w; days begin at midnight in UTC"],
  [["-tag:draft", "-state:failed"], "a minus excludes"],
];

export function SearchHelp({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  return (
    <Modal opened={isOpen} onClose={close} title="What the search understands" size="lg">
      <Text size="sm" mb="xs">
        A job is found if everything matches.
      </Text>
      <Table verticalSpacing={4} fz="sm" withRowBorders={false}>
        <Table.Tbody>
          {WORDS.map(([words, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Th scope="row" fw={400}>
                <Group gap={4}>
                  {words.map((each) => (
                    <Code key={each}>{each}</Code>
                  ))}
                </Group>
              </Table.Th>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
