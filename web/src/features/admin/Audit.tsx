import { Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { More, Nothing, Page } from "./Page";

/** What administrators did, and who deleted rooms; newest first. */
export function Audit() {
  const query = useInfiniteQuery(queries.audit());
  const entries = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title="Audit" query={query}>
      <Text size="sm" c="dimmed">
        What administrators did, and which rooms were deleted. What happened to a job is in its own history.
      </Text>
      {entries.length === 0 ? (
        <Nothing>Nothing is on record yet.</Nothing>
      ) : (
        <Table.ScrollContainer minWidth={600}>
          <Table verticalSpacing="xs" striped>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Who</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>Whom</Table.Th>
                <Table.Th>Detail</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map(({ seq, at, actor, action, target, detail }) => (
                <Table.Tr key={seq}>
                  <Table.Td>
                    <Ago at={at} />
                  </Table.Td>
                  <Table.Td>
                    <PersonName id={actor} />
                  </Table.Td>
                  <Table.Td>{action.replaceAll("_", " ")}</Table.Td>
                  <Table.Td style={{ overflowWrap: "anywhere" }}>{target}</Table.Td>
                  <Table.Td style={{ overflowWrap: "anywhere" }}>{detail}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <More {...query} />
    </Page>
  );
}
