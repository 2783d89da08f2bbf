"""The JSON Schema of an extension, with what a form needs and Pydantic leaves out."""

from __future__ import annotations

from datetime import date, time
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, NoDefault
from pydantic_core import PydanticSerializationError, core_schema


class FormSchema(GenerateJsonSchema):
    """Adds the values of default factories, the names of enum members, and which numbers are decimals."""

    def get_default_value(self, schema: core_schema.WithDefaultSchema) -> Any:
        default = super().get_default_value(schema)
        return self._produced(schema) if default is NoDefault else default

    def _produced(self, schema: core_schema.WithDefaultSchema) -> Any:
        """What a default factory returns, unless that depends on when or how often it is called."""
        factory: Any = schema.get("default_factory")
        if factory is None or schema.get("default_factory_takes_data"):
            return NoDefault
        try:
            one, other = factory(), factory()
            is_stable = self.encode_default(one) == self.encode_default(other)
        except (Exception, PydanticSerializationError):
            return NoDefault
        return one if is_stable and not isinstance(one, date | time) else NoDefault

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        return super().enum_schema(schema) | {"enumNames": [member.name for member in schema["members"]]}

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        return super().decimal_schema(schema) | {"format": "decimal"}
