import { Anchor } from "@mantine/core";
import type { Scalar } from "./content";
import { formatScalar } from "./numbers";
import classes from "./Results.module.css";

const LONG = 40;

/** Single values under their names. */
export function Cards({ entries }: { entries: [string, Scalar][] }) {
  return (
    <dl className={classes.cards} style={{ margin: 0 }}>
      {entries.map(([name, value]) => (
        <div key={name} className={classes.card} data-long={formatScalar(value).length > LONG || undefined}>
          <dt>{name}</dt>
          <dd title={String(value)}>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { value: Scalar }) {
  if (typeof value === "string" && /^https?:\/\/\S{1,2000}$/.test(value))
    return (
      <Anchor href={value} target="_blank" rel="noreferrer noopener" inherit className={classes.link}>
        {value}
      </Anchor>
    );
  return formatScalar(value);
}
