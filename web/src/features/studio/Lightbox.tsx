import { ActionIcon, Anchor, Button, Group, Modal, Stack, Table, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight, IconDownload, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { mounted } from "@/api/mount";
import { formatBytes } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { ACTION_NAMES, type Action } from "./actions";
import { type Content, isVideo, media, type Provider } from "./content";
import { type Draft, draftOf, mayUse } from "./draft";
import classes from "./Studio.module.css";

interface Props {
  room: string;
  content: Content;
  providers: Provider[];
  mayOrder: boolean;
  close: () => void;
  step: (by: number) => void;
  show: (id: string) => void;
  onUse: (content: Content, action: Action) => void;
  onEdit: (draft: Draft) => void;
}

/** One picture in full, with what it was made of. The arrow keys lead to its neighbours. */
export function Lightbox({ room, content, providers, mayOrder, close, step, show, onUse, onEdit }: Props) {
  useHotkeys([
    ["ArrowLeft", () => step(-1)],
    ["ArrowRight", () => step(1)],
  ]);
  return (
    <Modal
      opened
      fullScreen
      onClose={close}
      title={<Text lineClamp={1}>{content.request.prompt || "Without a prompt"}</Text>}
      transitionProps={{ duration: 0 }}
    >
      <div className={classes.lightbox}>
        <div className={classes.large}>
          {isVideo(content) ? (
            <video src={mounted(content.url)} controls autoPlay loop muted playsInline />
          ) : (
            <img src={mounted(content.url)} alt={content.request.prompt} />
          )}
        </div>
        <Stack className={classes.facts} gap="sm">
          <Group gap="xs">
            <ActionIcon variant="default" aria-label="Previous" onClick={() => step(-1)}>
              <IconChevronLeft size={18} />
            </ActionIcon>
            <ActionIcon variant="default" aria-label="Next" onClick={() => step(1)}>
              <IconChevronRight size={18} />
            </ActionIcon>
            <ActionIcon
              component="a"
              variant="default"
              aria-label="Download"
              href={mounted(content.url)}
              download
            >
              <IconDownload size={18} />
            </ActionIcon>
          </Group>
          {mayOrder && <Uses content={content} providers={providers} onUse={onUse} onEdit={onEdit} />}
          <Facts
            content={content}
            provider={providers.find(({ name }) => name === content.request.provider)}
          />
          <Lineage room={room} content={content} show={show} />
        </Stack>
      </div>
    </Modal>
  );
}

const USES = ["img2img", "img2vid", "upscale", "vary"] as const;

type UsesProps = Pick<Props, "content" | "providers" | "onUse" | "onEdit">;

function Uses({ content, providers, onUse, onEdit }: UsesProps) {
  const possible = USES.filter((action) => providers.some((each) => mayUse(each, content, action)));
  return (
    <Group gap="xs">
      {!isVideo(content) &&
        possible.map((action) => (
          <Button key={action} size="xs" variant="default" onClick={() => onUse(content, action)}>
            {ACTION_NAMES[action]}
          </Button>
        ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPencil size={14} />}
        onClick={() => onEdit(draftOf(content.request))}
      >
        Edit and run again
      </Button>
    </Group>
  );
}

function Facts({ content, provider }: { content: Content; provider?: Provider }) {
  const { request, width, height, size, cost, unit } = content;
  const rows: [string, ReactNode][] = [
    ["Prompt", request.prompt],
    ["Provider", request.provider],
    ["Made as", ACTION_NAMES[request.action]],
    ...Object.entries(request.params).map(([name, value]): [string, string] => [
      titleOf(provider, name),
      text(value),
    ]),
    ["Size", [width && `${width} × ${height}`, formatBytes(size)].filter(Boolean).join(", ")],
    ["Cost", cost === null ? "" : `${cost.toLocaleString("en")} ${unit}`],
    ["By", <PersonName key="by" id={content.user} />],
    ["When", <Ago key="when" at={content.created_at} />],
    [
      "Job",
      <Anchor key="job" component={Link} href={`/jobs/${content.job_id}`} size="sm">
        Open
      </Anchor>,
    ],
  ];
  return (
    <Table verticalSpacing={4} horizontalSpacing={0} fz="sm" layout="fixed">
      <Table.Tbody>
        {rows
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={96} c="dimmed" fw={400} style={{ verticalAlign: "top" }}>
                {name}
              </Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}

/** What it began with, and what began with it. */
function Lineage({ room, content, show }: Pick<Props, "room" | "content" | "show">) {
  const { data: made = [] } = useQuery(media.children(room, content.id));
  const { parent } = content.request;
  if (!parent && made.length === 0) return null;
  return (
    <Stack gap={6}>
      {parent && (
        <Relatives label="Began with" items={[{ id: parent, src: thumbnailOf(room, parent) }]} show={show} />
      )}
      {made.length > 0 && (
        <Relatives
          label="Led to"
          items={made.map(({ id }) => ({ id, src: thumbnailOf(room, id) }))}
          show={show}
        />
      )}
    </Stack>
  );
}

interface RelativesProps {
  label: string;
  items: { id: string; src: string }[];
  show: (id: string) => void;
}

function Relatives({ label, items, show }: RelativesProps) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {label}
      </Text>
      <Group gap={6}>
        {items.map(({ id, src }) => (
          <button
            key={id}
            type="button"
            className="plain"
            aria-label={`${label}: show it`}
            onClick={() => show(id)}
          >
            <img className={classes.source} src={src} alt="" loading="lazy" />
          </button>
        ))}
      </Group>
    </div>
  );
}

/** What the form of its provider calls a parameter. */
function titleOf(provider: Provider | undefined, name: string): string {
  const properties = provider?.params_schema.properties as Record<string, { title?: string }> | undefined;
  return properties?.[name]?.title ?? name;
}

function thumbnailOf(room: string, id: string): string {
  return mounted(`/workflow/${room}/media/${id}.thumb.webp`);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
