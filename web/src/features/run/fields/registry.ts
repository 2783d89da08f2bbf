/** Which field draws which schema. */
import type { ComponentType } from "react";
import { isSecret } from "@/components/secrets";
import { hasSlider } from "../schema/layout";
import { isConstant, isObject, type Schema, type Shape, shapeOf } from "../schema/resolve";
import { BooleanField, OptionalBooleanField } from "./BooleanField";
import { BoundedField } from "./BoundedField";
import { ChoiceField, ChoicesField } from "./ChoiceField";
import { ColorField } from "./ColorField";
import { DecimalField } from "./DecimalField";
import { DictField } from "./DictField";
import { DurationField } from "./DurationField";
import { FileField } from "./FileField";
import type { FieldProps } from "./form";
import { cellOf, GridField } from "./GridField";
import { GroupField } from "./GroupField";
import { JsonField, JsonTextField } from "./JsonField";
import { ListField } from "./ListField";
import { isMoment, MomentField } from "./MomentField";
import { NumberField } from "./NumberField";
import { NumbersField } from "./NumbersField";
import { OptionalField } from "./OptionalField";
import { SecretField } from "./SecretField";
import { isTabular, TableField } from "./TableField";
import { LongTextField, TextField } from "./TextField";
import { TupleField } from "./TupleField";
import { UnionField } from "./UnionField";

type Kind = ComponentType<FieldProps>;

const LONG = 200;
const SHORT: ReadonlySet<Kind> = new Set<Kind>([NumberField, BoundedField, TextField, ChoiceField]);

export function kindFor({ schema, options, isNullable }: Shape, root: Schema): Kind {
  if (options.length) return UnionField;
  if (Array.isArray(schema.enum)) return ChoiceField;
  if (schema.format === "decimal") return DecimalField;
  if (isConstant(schema)) return Nothing;
  switch (schema.type) {
    case "string":
      return textKind(schema);
    case "number":
    case "integer":
      return hasSlider(schema) && !isNullable ? BoundedField : NumberField;
    case "boolean":
      return isNullable ? OptionalBooleanField : BooleanField;
    case "array":
      return arrayKind(schema, root, isNullable);
    case "object":
      return isNullable && schema.properties ? OptionalField : objectKind(schema, root, isNullable);
    default:
      return JsonField;
  }
}

/** Whether the value is short enough to write several in a line. */
export function takesSeveral(shape: Shape, root: Schema): boolean {
  return SHORT.has(kindFor(shape, root));
}

function textKind(schema: Schema): Kind {
  if (schema.format === "workroom-file") return FileField;
  if (isSecret(schema)) return SecretField;
  if (isMoment(schema.format)) return MomentField;
  if (schema.format === "duration") return DurationField;
  if (schema.format === "color") return ColorField;
  if (schema.contentMediaType === "application/json") return JsonTextField;
  return isLong(schema) ? LongTextField : TextField;
}

function isLong({ format, maxLength, default: text }: Schema): boolean {
  return (
    format === "textarea" ||
    (typeof maxLength === "number" && maxLength > LONG) ||
    (typeof text === "string" && (text.includes("\n") || text.length > LONG))
  );
}

function arrayKind(schema: Schema, root: Schema, isNullable: boolean): Kind {
  const items = shapeOf(schema.items, root);
  const isPlain = items.options.length === 0 && !items.isNullable;
  if (isPlain && isNumber(items.schema) && !schema.prefixItems) return NumbersField;
  if (isNullable) return OptionalField;
  if (Array.isArray(schema.prefixItems)) return schema.items ? JsonField : TupleField;
  if (!isObject(schema.items)) return JsonField;
  if (isPlain && schema.uniqueItems && Array.isArray(items.schema.enum)) return ChoicesField;
  if (isPlain && items.schema.type === "array" && !items.schema.prefixItems && isNumber(cellOf(schema, root)))
    return GridField;
  return isPlain && isTabular(items.schema, root) ? TableField : ListField;
}

function isNumber({ type, enum: values }: Schema): boolean {
  return (type === "number" || type === "integer") && !Array.isArray(values);
}

function objectKind(schema: Schema, root: Schema, isNullable: boolean): Kind {
  if (isObject(schema.properties) && Object.keys(schema.properties).length) return GroupField;
  const values = shapeOf(schema.additionalProperties, root);
  const isKnown = values.schema.type !== undefined || values.options.length > 0;
  if (!isKnown) return JsonField;
  return isNullable ? OptionalField : DictField;
}

function Nothing() {
  return null;
}
