import { Anchor, Progress, Table, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import { formatBytes } from "@/components/format";

const SHOWN = 8;

/** The rooms that store the most, of the first 500. */
export function LargestRooms() {
  const { data } = useInfiniteQuery(queries.roomUsage());
  const rooms = [...(data?.pages[0]?.items ?? [])]
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, SHOWN);
  const most = rooms[0]?.bytes ?? 1;
  if (rooms.length === 0) return null;
  return (
    <section aria-label="Storage by room">
      <Title order={2} size="h4" mb="xs">
        Storage by room
      </Title>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {rooms.map(({ name, bytes }) => (
            <Table.Tr key={name}>
              <Table.Td w="35%">
                <Anchor component={Link} href={`~/rooms/${name}`} size="sm">
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <Progress value={(bytes / most) * 100} color="indigo" aria-hidden />
              </Table.Td>
              <Table.Td w={90} ta="right">
                <Text size="sm">{formatBytes(bytes)}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
