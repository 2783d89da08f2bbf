import type { FormProps } from "@rjsf/core";
import { generateForm } from "@rjsf/mantine";
import type { ErrorSchema } from "@rjsf/utils";
import { useMemo } from "react";
import type { Extension } from "@/api/schema";
import type { Values } from "@/components/draft";
import { BoundedWidget } from "./BoundedWidget";
import { ChoiceWidget } from "./ChoiceWidget";
import { formSchema, uiSchemaOf } from "./formSchema";
import { RoomFileWidget } from "./RoomFileWidget";
import { SecretWidget } from "./SecretWidget";
import { SectionTitle } from "./SectionTitle";
import { validator } from "./validation";

const Form = generateForm<Values>() as React.ComponentType<FormProps<Values>>;
const TEMPLATES = { TitleFieldTemplate: SectionTitle };
const WIDGETS = {
  bounded: BoundedWidget,
  SelectWidget: ChoiceWidget,
  roomFile: RoomFileWidget,
  secret: SecretWidget,
};

interface Props {
  id: string;
  room: string;
  tool: Extension;
  values: Values;
  errors: ErrorSchema<Values>;
  onChange: (values: Values) => void;
  onSubmit: () => void;
}

/** A form generated from the tool's schema. */
export default function ToolForm({ id, room, tool, values, errors, onChange, onSubmit }: Props) {
  const schema = useMemo(() => {
    const { title: _, description: __, ...fields } = formSchema(tool.schema);
    return fields;
  }, [tool.schema]);
  const uiSchema = useMemo(
    () => ({ ...uiSchemaOf(schema), "ui:submitButtonOptions": { norender: true } }),
    [schema],
  );
  return (
    <Form
      id={id}
      idPrefix="field"
      schema={schema}
      uiSchema={uiSchema}
      validator={validator}
      widgets={WIDGETS}
      templates={TEMPLATES}
      formContext={{ room }}
      formData={values}
      extraErrors={errors}
      noValidate
      noHtml5Validate
      showErrorList={false}
      onChange={({ formData }) => onChange(formData ?? {})}
      onSubmit={onSubmit}
    />
  );
}
