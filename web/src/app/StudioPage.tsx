import { useMemo } from "react";
import type { Extension } from "@/api/schema";
import { withDefaults } from "@/features/run/schema/defaults";
import ToolForm from "@/features/run/ToolForm";
import type { FieldsProps } from "@/features/studio/Studio";
import Studio from "@/features/studio/Studio";

const NO_ERRORS = new Map<string, string>();

/** The studio, with the fields of tool forms for the parameters of a provider. */
export default function StudioPage({ room, user }: { room: string; user: string }) {
  return <Studio room={room} user={user} fields={(props) => <Fields room={room} {...props} />} />;
}

function Fields({ room, schema, values, onChange, onSubmit }: FieldsProps & { room: string }) {
  const tool = useMemo(() => ({ schema }) as Extension, [schema]);
  return (
    <ToolForm
      id="studio-params"
      room={room}
      tool={tool}
      values={withDefaults(values, schema, schema) as FieldsProps["values"]}
      errors={NO_ERRORS}
      onChange={onChange}
      onTouch={() => {}}
      onSubmit={onSubmit}
    />
  );
}
