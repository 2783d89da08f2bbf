import { Accordion, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { ErrorMessage } from "@/components/ErrorMessage";
import { formatBytes } from "@/components/format";
import { JsonTree } from "@/components/JsonTree";
import { Loading } from "@/components/Loading";
import { useIsViewer } from "@/components/ViewOnly";
import { EditDocument } from "./EditDocument";
import { Section } from "./Section";

export function DocumentList({ room }: { room: string }) {
  const documents = useQuery(queries.documents(room));
  return (
    <Section title="Documents" query={documents}>
      {(items) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            This room has no documents.
          </Text>
        ) : (
          <Accordion variant="contained" multiple order={3}>
            {items.map(({ key, size }) => (
              <Accordion.Item key={key} value={key}>
                <Accordion.Control>
                  <Text span size="sm" fw={500}>
                    {key}
                  </Text>{" "}
                  <Text span size="xs" c="dimmed">
                    {formatBytes(size)}
                  </Text>
                </Accordion.Control>
                <Accordion.Panel>
                  <Content room={room} name={key} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )
      }
    </Section>
  );
}

function Content({ room, name }: { room: string; name: string }) {
  const document = useQuery(queries.document(room, name));
  const isViewer = useIsViewer(room);
  const [isEditing, { open, close }] = useDisclosure();
  if (document.isPending) return <Loading />;
  if (document.isError) return <ErrorMessage error={document.error} retry={document.refetch} />;
  if (isEditing) return <EditDocument room={room} name={name} current={document.data} close={close} />;
  return (
    <>
      <JsonTree value={document.data.value} />
      {!isViewer && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={open} aria-label={`Edit ${name}`}>
            Edit
          </Button>
        </Group>
      )}
    </>
  );
}
