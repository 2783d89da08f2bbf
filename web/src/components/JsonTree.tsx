import { Text } from "@mantine/core";
import classes from "./JsonTree.module.css";

const MAX_ENTRIES = 200;

/** A JSON value as a tree. Large parts start collapsed. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  if (typeof value !== "object" || value === null) return <Leaf name={name} value={value} />;
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return <Leaf name={name} value={value} />;
  return (
    <details className={classes.node} open={depth < 2 && entries.length <= 30}>
      <summary>
        <Name name={name} />
        <Text span c="dimmed" inherit>
          {open} {entries.length} {close}
        </Text>
      </summary>
      <div className={classes.inside}>
        {entries.slice(0, MAX_ENTRIES).map(([key, each]) => (
          <JsonTree key={key} name={key} value={each} depth={depth + 1} />
        ))}
        {entries.length > MAX_ENTRIES && (
          <Text inherit c="dimmed">{`… and ${entries.length - MAX_ENTRIES} more`}</Text>
        )}
      </div>
    </details>
  );
}

function Leaf({ name, value }: { name?: string; value: unknown }) {
  return (
    <div className={classes.node}>
      <Name name={name} />
      <span data-kind={value === null ? "null" : typeof value}>{JSON.stringify(value)}</span>
    </div>
  );
}

function Name({ name }: { name?: string }) {
  return name === undefined ? null : <span className={classes.name}>{name}: </span>;
}
