import { Badge, Code, Group, Switch, Table, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "@/api/queries";
import type { SettingInForce } from "@/api/schema";
import { Nothing, Page } from "./Page";

/** The settings of the server that responds, without secrets. */
export function SettingList() {
  const query = useQuery(queries.settings());
  const [text, setText] = useState("");
  const [isChanged, setChanged] = useState(false);
  const words = text.trim().toLowerCase();
  const found = (query.data ?? []).filter(
    ({ name, description, is_default }) =>
      (!isChanged || !is_default) && `${name} ${description}`.toLowerCase().includes(words),
  );
  return (
    <Page title="Settings" query={query}>
      <Group>
        <TextInput
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Switch
          label="Only those that were set"
          checked={isChanged}
          onChange={(event) => setChanged(event.currentTarget.checked)}
        />
      </Group>
      {found.length === 0 ? (
        <Nothing>No setting matches.</Nothing>
      ) : (
        <Table.ScrollContainer minWidth={560}>
          <Table verticalSpacing="xs" striped>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Setting</Table.Th>
                <Table.Th>Value</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.map((setting) => (
                <Row key={setting.name} setting={setting} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Page>
  );
}

function Row({ setting: { name, value, is_default, description } }: { setting: SettingInForce }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" ff="monospace">
          WORKROOM_{name.toUpperCase()}
        </Text>
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      </Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        <Group gap="xs">
          {value === null ? (
            <Text size="sm" c="dimmed">
              not set
            </Text>
          ) : (
            <Code>{typeof value === "string" ? value : JSON.stringify(value)}</Code>
          )}
          {!is_default && <Badge variant="light">set</Badge>}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
