import { Collapse, Input, Paper, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { idOf } from "../schema/pointer";
import { propertiesOf } from "../schema/resolve";
import type { FieldProps } from "./form";
import { Properties } from "./Properties";
import { descriptionOf, useField, useHasErrors } from "./useField";

const OPENED = 20; // the budget of a group that did not begin open

/** A nested object, framed. It begins open if the form has room for its fields. */
export function GroupField(props: FieldProps) {
  const { error } = useField(props);
  const { schema } = props.shape;
  const isSmall = propertiesOf(schema).length <= props.budget;
  return (
    <Fold
      id={idOf(props.at)}
      at={props.at}
      title={props.label}
      description={descriptionOf(schema)}
      isOpen={isSmall}
    >
      <Properties
        at={props.at}
        schema={schema}
        value={props.value}
        budget={isSmall ? props.budget : OPENED}
      />
      {error && <Input.Error>{error}</Input.Error>}
    </Fold>
  );
}

interface FoldProps {
  id?: string;
  at: string;
  title: string;
  description?: string;
  isOpen: boolean;
  /** Opens if one of these has an error; by default, everything below `at`. */
  hasErrors?: boolean;
  children: ReactNode;
}

/** A framed part of the form that can be folded. An error opens it. */
export function Fold({ id, at, title, description, isOpen: begins, hasErrors, children }: FoldProps) {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const hasOwn = useHasErrors(at);
  const isOpen = wanted ?? (begins || (hasErrors ?? hasOwn));
  return (
    <Paper
      component="fieldset"
      className="parts framed"
      data-folded={!isOpen || undefined}
      id={id}
      tabIndex={-1}
    >
      <Text component="legend" className="parts-legend">
        <UnstyledButton aria-expanded={isOpen} onClick={() => setWanted(!isOpen)} fz="sm" fw={600}>
          <IconChevronRight
            size={14}
            style={{ transform: isOpen ? "rotate(90deg)" : undefined, verticalAlign: -2, marginRight: 4 }}
          />
          {title}
        </UnstyledButton>
      </Text>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <Stack gap="sm">
            {description && <Input.Description>{description}</Input.Description>}
            {children}
          </Stack>
        )}
      </Collapse>
    </Paper>
  );
}
