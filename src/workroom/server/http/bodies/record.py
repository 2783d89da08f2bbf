"""A record of a room."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from workroom.domain.room_data.records import MAX_FIELD_TEXT, MAX_FIELDS
from workroom.server.http.bodies.fields import Body


def _text_or_number(value: Any) -> Any:
    """Not a union of types: its errors would name them."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a field is a text or a number")
    if isinstance(value, str) and len(value) > MAX_FIELD_TEXT:
        raise ValueError(f"the text of a field has at most {MAX_FIELD_TEXT} characters")
    return value


FieldValue = Annotated[
    Any,
    AfterValidator(_text_or_number),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": MAX_FIELD_TEXT}, {"type": "number"}]}),
]


class RecordBody(Body):
    body: dict[str, Any]
    fields: dict[str, FieldValue] = Field(
        default_factory=dict, max_length=MAX_FIELDS, description="by which it is found: texts and numbers"
    )
