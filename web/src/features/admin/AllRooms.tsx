import { Anchor, Badge, Table } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { RoomUsage } from "@/api/schema";
import { formatBytes } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { More, Nothing, Page } from "./Page";
import { SortHeader } from "./SortHeader";

type Column = "name" | "unfinished_jobs" | "files" | "bytes";

/** Every room with what it uses. */
export function AllRooms() {
  const query = useInfiniteQuery(queries.roomUsage());
  const [by, setBy] = useState<Column>("name");
  const rooms = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const header = (column: Column, label: string) => (
    <SortHeader
      label={label}
      isSorted={by === column}
      isNumber={column !== "name"}
      sort={() => setBy(column)}
    />
  );
  return (
    <Page title="Rooms" query={query}>
      <Table.ScrollContainer minWidth={640}>
        <Table verticalSpacing="xs" striped>
          <Table.Thead>
            <Table.Tr>
              {header("name", "Room")}
              <Table.Th>Owner</Table.Th>
              <Table.Th>Created</Table.Th>
              {header("unfinished_jobs", "Unfinished jobs")}
              {header("files", "Files")}
              {header("bytes", "Size")}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted(rooms, by).map((room) => (
              <Table.Tr key={room.name}>
                <Table.Td>
                  <Anchor component={Link} href={`~/rooms/${room.name}`}>
                    {room.title || room.name}
                  </Anchor>{" "}
                  {room.private && (
                    <Badge variant="light" color="gray">
                      private
                    </Badge>
                  )}
                </Table.Td>
                <Table.Td>
                  <PersonName id={room.owner} />
                </Table.Td>
                <Table.Td>
                  <Ago at={room.created_at} />
                </Table.Td>
                <Table.Td ta="right">{room.unfinished_jobs}</Table.Td>
                <Table.Td ta="right">{room.files}</Table.Td>
                <Table.Td ta="right">{formatBytes(room.bytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rooms.length === 0 && <Nothing>There are no rooms yet.</Nothing>}
      <More {...query} />
    </Page>
  );
}

function sorted(rooms: RoomUsage[], by: Column): RoomUsage[] {
  if (by === "name") return rooms;
  return [...rooms].sort((one, other) => other[by] - one[by]);
}
