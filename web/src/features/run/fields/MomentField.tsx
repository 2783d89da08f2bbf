import { ActionIcon, TextInput } from "@mantine/core";
import { IconCalendar, IconClock } from "@tabler/icons-react";
import { useRef } from "react";
import { formatMoment, parseDate, parseDateTime, parseTime } from "../parse/moment";
import type { FieldProps } from "./form";
import classes from "./MomentField.module.css";
import { useField } from "./useField";
import { useTyped } from "./useTyped";

const KINDS = {
  date: { parse: parseDate, picker: "date", hint: "2027-05-31", Icon: IconCalendar },
  "date-time": {
    parse: parseDateTime,
    picker: "datetime-local",
    hint: "2027-05-31 14:30",
    Icon: IconCalendar,
  },
  time: { parse: parseTime, picker: "time", hint: "14:30", Icon: IconClock },
};

export function isMoment(format: unknown): format is keyof typeof KINDS {
  return typeof format === "string" && format in KINDS;
}

/** A date, a time or both: typed, or picked with the browser's own picker. */
export function MomentField(props: FieldProps) {
  const { set, input } = useField(props);
  const { parse, picker, hint, Icon } = KINDS[props.shape.schema.format as keyof typeof KINDS];
  const { text, type } = useTyped(props, set, { parse, format: formatMoment });
  const native = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      {...input}
      value={text}
      placeholder={hint}
      autoComplete="off"
      onChange={({ currentTarget }) => type(currentTarget.value)}
      rightSection={
        <>
          <ActionIcon
            variant="subtle"
            color="gray"
            tabIndex={-1}
            aria-label={`Pick ${props.label}`}
            onClick={() => native.current?.showPicker()}
          >
            <Icon size={16} />
          </ActionIcon>
          <input
            ref={native}
            type={picker}
            className={classes.native}
            tabIndex={-1}
            aria-hidden
            onChange={({ currentTarget }) => currentTarget.value && type(formatMoment(currentTarget.value))}
          />
        </>
      }
    />
  );
}
