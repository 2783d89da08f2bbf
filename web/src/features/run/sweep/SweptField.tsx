import { ActionIcon, TextInput, VisuallyHidden } from "@mantine/core";
import { IconList, IconX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { pluralize } from "@/components/format";
import { useField } from "../fields/useField";
import { formatNumber } from "../parse/number";
import { idOf, pathOf } from "../schema/pointer";
import type { Shape } from "../schema/resolve";
import { type Sweeping, useSweeping } from "./context";
import classes from "./SweptField.module.css";
import { MAX_FIELDS } from "./sweep";

interface Props {
  at: string;
  label: string;
  isRequired: boolean;
  shape: Shape;
  value: unknown;
  children: ReactNode;
}

/** A field with a switch beside it: it takes one value, or several. */
export function SweptField(props: Props) {
  const sweeping = useSweeping();
  const [name = ""] = pathOf(props.at);
  if (!sweeping) return props.children;
  const isSwept = sweeping.texts.has(name);
  const canStart = sweeping.texts.size < MAX_FIELDS;
  const title = isSwept
    ? `Give ${props.label} one value`
    : `Give ${props.label} several values: each is a job`;
  return (
    <div className={classes.field}>
      {isSwept ? <Several {...props} name={name} sweeping={sweeping} /> : props.children}
      {(isSwept || canStart) && (
        <ActionIcon
          className={classes.switch}
          variant="subtle"
          color="gray"
          size={24}
          title={title}
          onClick={() => sweeping.set(name, isSwept ? null : startOf(props))}
        >
          {isSwept ? <IconX size={14} /> : <IconList size={14} />}
          <VisuallyHidden>{isSwept ? "One value" : "Several values"}</VisuallyHidden>
        </ActionIcon>
      )}
    </div>
  );
}

function Several({ name, sweeping, ...props }: Props & { name: string; sweeping: Sweeping }) {
  const { input } = useField({ ...props, isBare: false, budget: 0 });
  const list = sweeping.sweep.lists.get(name);
  const problem = sweeping.sweep.problems.find(({ path }) => path[0] === name)?.message;
  return (
    <TextInput
      {...input}
      id={idOf(props.at)}
      description={list ? pluralize(list.length, "value") : "Several values"}
      error={problem ?? input.error}
      value={sweeping.texts.get(name) ?? ""}
      placeholder={placeholderOf(props.shape)}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => sweeping.set(name, currentTarget.value)}
    />
  );
}

/** All choices, or the value that the field has. */
function startOf({ shape: { schema }, value }: Props): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(quoted).join(", ");
  return typeof value === "number" ? formatNumber(value) : typeof value === "string" ? quoted(value) : "";
}

function quoted(value: unknown): string {
  const text = String(value);
  return text.includes(",") ? `"${text}"` : text;
}

function placeholderOf({ schema }: Shape): string {
  if (Array.isArray(schema.enum) || schema.type === "string") return "one, two, three";
  return schema.type === "integer" ? "1:10, or 1, 2, 5" : "0.1, 0.05, or 0:1:0.1, or logspace(-3, 0, 5)";
}
