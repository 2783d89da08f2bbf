import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import classes from "./JsonTree.module.css";
import { flatten, type TreeRow } from "./treeRows";

const ROW_PX = 22;
const VISIBLE_ROWS = 18;

/** A JSON value as a tree. Only the rows in view are in the document, however large the value is. */
export function JsonTree({ value }: { value: unknown }) {
  const box = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => flatten(value, toggled), [value, toggled]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const toggle = (path: string) => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  return (
    <div
      ref={box}
      className={classes.tree}
      style={{ height: Math.min(rows.length, VISIBLE_ROWS) * ROW_PX + 2 }}
      role="tree"
      aria-label="Values"
      tabIndex={0}
    >
      <div style={{ height: virtualizer.getTotalSize(), position: "relative" }} role="none">
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row && <Row key={row.path} row={row} top={start} toggle={toggle} />;
        })}
      </div>
    </div>
  );
}

function Row({ row, top, toggle }: { row: TreeRow; top: number; toggle: (path: string) => void }) {
  return (
    <div
      className={classes.row}
      style={{ transform: `translateY(${top}px)`, paddingLeft: `${row.depth * 1.1 + 0.2}em` }}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.depth + 1}
      aria-expanded={row.isOpen ?? undefined}
      title={row.text.length > 60 ? row.text : undefined}
    >
      {row.isOpen === null ? (
        <Label row={row} />
      ) : (
        <button type="button" className={`plain ${classes.fold}`} onClick={() => toggle(row.path)}>
          <span aria-hidden>{row.isOpen ? "▾" : "▸"}</span> <Label row={row} />
        </button>
      )}
    </div>
  );
}

function Label({ row }: { row: TreeRow }) {
  return (
    <>
      {row.name !== null && <span className={classes.name}>{row.name}: </span>}
      <span data-kind={row.kind}>{row.text}</span>
    </>
  );
}
