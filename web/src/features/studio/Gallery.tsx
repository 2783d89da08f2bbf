import { Center, Loader } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconMovie } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { mounted } from "@/api/mount";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import type { Action } from "./actions";
import { type Content, isVideo, media, type Provider } from "./content";
import type { Draft } from "./draft";
import { justify, ratioOf } from "./justify";
import { Lightbox } from "./Lightbox";
import classes from "./Studio.module.css";

const GAP = 8;
const HEIGHT = 220;
const SMALL_HEIGHT = 150;
const SMALL_WIDTH = 600;

interface Props {
  room: string;
  search: string;
  providers: Provider[];
  mayOrder: boolean;
  onUse: (content: Content, action: Action) => void;
  onEdit: (draft: Draft) => void;
}

/** Everything that was made, newest first, in rows that fill the width. Only rows in sight are drawn. */
export function Gallery({ room, search, providers, mayOrder, onUse, onEdit }: Props) {
  const found = useInfiniteQuery(media.content(room, search));
  const items = useMemo(() => found.data?.pages.flatMap((page) => page.items) ?? [], [found.data]);
  const [open, setOpen] = useState<string | null>(null);
  const index = items.findIndex(({ id }) => id === open);
  const isElsewhere = open !== null && index < 0; // on a later page, or not among what is searched for
  const { data: elsewhere } = useQuery({ ...media.one(room, open ?? ""), enabled: isElsewhere });
  const shown = isElsewhere ? elsewhere : items[index];
  const close = () => {
    document.getElementById(`content-${open}`)?.focus();
    setOpen(null);
  };
  if (found.isPending) return <Loader role="status" aria-label="Loading" type="dots" />;
  if (found.isError) return <ErrorMessage error={found.error} retry={found.refetch} />;
  return (
    <section aria-label="Gallery">
      {items.length === 0 && !found.hasNextPage && <Nothing isSearch={search !== ""} />}
      <Rows
        items={items}
        open={setOpen}
        more={found.hasNextPage && !found.isFetchingNextPage ? () => void found.fetchNextPage() : undefined}
      />
      {found.isFetchingNextPage && (
        <Center mih={48}>
          <Loader role="status" size="sm" type="dots" aria-label="Loading more" />
        </Center>
      )}
      {shown && (
        <Lightbox
          room={room}
          content={shown}
          providers={providers}
          mayOrder={mayOrder}
          close={close}
          step={(by) => !isElsewhere && setOpen(items[index + by]?.id ?? shown.id)}
          show={setOpen}
          onUse={(content, action) => {
            setOpen(null);
            onUse(content, action);
          }}
          onEdit={(draft) => {
            setOpen(null);
            onEdit(draft);
          }}
        />
      )}
    </section>
  );
}

interface RowsProps {
  items: Content[];
  open: (id: string) => void;
  more?: () => void;
}

function Rows({ items, open, more }: RowsProps) {
  const { ref, width } = useElementSize();
  const list = useRef<HTMLDivElement>(null);
  const wanted = width < SMALL_WIDTH ? SMALL_HEIGHT : HEIGHT;
  const rows = useMemo(() => (width ? justify(items, width, wanted, GAP) : []), [items, width, wanted]);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (row) => (rows[row]?.height ?? wanted) + GAP,
    overscan: 4,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that change have other heights
  useEffect(() => virtualizer.measure(), [rows, virtualizer]);
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? -1;
  useEffect(() => {
    if (more && last >= rows.length - 2) more();
  }, [more, last, rows.length]);
  return (
    <div ref={ref}>
      <div ref={list} style={{ position: "relative", height: virtualizer.getTotalSize() }}>
        {visible.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div
              key={row.items[0]?.id ?? index}
              className={classes.row}
              style={{
                position: "absolute",
                top: 0,
                width: "100%",
                transform: `translateY(${start - virtualizer.options.scrollMargin}px)`,
              }}
            >
              {row.items.map((each) => (
                <Picture key={each.id} content={each} height={row.height} open={() => open(each.id)} />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Picture({ content, height, open }: { content: Content; height: number; open: () => void }) {
  const label = content.request.prompt || "Without a prompt";
  return (
    <button
      id={`content-${content.id}`}
      type="button"
      className={classes.picture}
      style={{ width: ratioOf(content) * height, height }}
      aria-label={label}
      title={label}
      onClick={open}
    >
      {content.thumbnail_url ? (
        <img src={mounted(content.thumbnail_url)} alt="" loading="lazy" decoding="async" />
      ) : (
        isVideo(content) && (
          <video src={`${mounted(content.url)}#t=0.1`} preload="metadata" muted playsInline />
        )
      )}
      {(isVideo(content) || content.request.action === "img2vid") && (
        <span className={classes.kind}>
          <IconMovie size={16} aria-label="Video" />
        </span>
      )}
    </button>
  );
}

function Nothing({ isSearch }: { isSearch: boolean }) {
  return isSearch ? (
    <EmptyState title="No such prompt">Try other words.</EmptyState>
  ) : (
    <EmptyState title="Nothing here yet">Write a prompt and press Generate.</EmptyState>
  );
}
