import { type ReactNode, useCallback, useMemo } from "react";
import type { Extension } from "@/api/schema";
import type { Values } from "@/components/draft";
import { type Errors, ErrorsContext, FormContext } from "./fields/form";
import { Properties } from "./fields/Properties";
import "./fields/fields.css";
import { pathOf, replaced } from "./schema/pointer";

const MAX_FIELDS = 400;

interface Props {
  id: string;
  room: string;
  tool: Pick<Extension, "schema">;
  values: Values;
  errors: Errors;
  onChange: (change: (values: Values) => Values) => void;
  onTouch: (at: string) => void;
  onSubmit: () => void;
  children?: ReactNode;
}

/** A form generated from the tool's schema. */
export default function ToolForm({
  id,
  room,
  tool,
  values,
  errors,
  onChange,
  onTouch,
  onSubmit,
  children,
}: Props) {
  const set = useCallback(
    (at: string, value: unknown) => onChange((before) => replaced(before, pathOf(at), value) as Values),
    [onChange],
  );
  const form = useMemo(
    () => ({ root: tool.schema, room, set, touch: onTouch }),
    [tool.schema, room, set, onTouch],
  );
  return (
    <form
      id={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <FormContext value={form}>
        <ErrorsContext value={errors}>
          <div className="fields">
            <Properties at="" schema={tool.schema} value={values} budget={MAX_FIELDS} />
          </div>
        </ErrorsContext>
      </FormContext>
      {children}
    </form>
  );
}
