import { Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { FrameKey, FramesSummary } from "@/api/schema";
import { formatBytes, pluralize } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { Curve } from "./Curve";
import { columnKeys, dtypeText, shapeText } from "./keys";
import { Section } from "./Section";

export function FramesPanel({ room }: { room: string }) {
  const frames = useQuery(queries.frames(room));
  return (
    <Section title="Frames" query={frames}>
      {(summary) =>
        summary.length === 0 ? (
          <Text size="sm" c="dimmed">
            This room has no frames. <code>room.frames.append(…)</code> adds some.
          </Text>
        ) : (
          <>
            <Counts summary={summary} />
            <Keys room={room} summary={summary} />
          </>
        )
      }
    </Section>
  );
}

function Counts({ summary }: { summary: FramesSummary }) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {pluralize(summary.length, "frame")} · {formatBytes(summary.bytes)}
      {summary.user && summary.changed_at && (
        <>
          {" "}
          · changed <Ago at={summary.changed_at} /> by {summary.job_id && "a job of "}
          <PersonName id={summary.user} />
        </>
      )}
    </Text>
  );
}

function Keys({ room, summary }: { room: string; summary: FramesSummary }) {
  const keys = columnKeys(summary.keys);
  const columns = useQuery({
    ...queries.frameColumns(room, keys, summary.length),
    enabled: keys.length > 0,
    placeholderData: keepPreviousData,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a narrow screen scrolls it with the arrow keys
    <section tabIndex={0} aria-label="Keys of the frames" style={{ overflowX: "auto" }}>
      <Table verticalSpacing={4} miw={540}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Shape</Table.Th>
            <Table.Th w={180}>Over the frames</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {summary.keys.map((each) => (
            <KeyRow key={each.key} frameKey={each} values={columns.data?.get(each.key)} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function KeyRow({ frameKey, values }: { frameKey: FrameKey; values?: Float64Array }) {
  return (
    <Table.Tr>
      <Table.Td miw={120} style={{ overflowWrap: "anywhere" }}>
        {frameKey.key}
      </Table.Td>
      <Table.Td>{dtypeText(frameKey)}</Table.Td>
      <Table.Td>{shapeText(frameKey)}</Table.Td>
      <Table.Td>{values && <Curve values={values} label={frameKey.key} />}</Table.Td>
    </Table.Tr>
  );
}
