"""A record of a room."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workroom.domain.room_data.records import MAX_FIELDS
from workroom.server.http.bodies.fields import Body


class RecordBody(Body):
    body: dict[str, Any]
    fields: dict[str, str | int | float] = Field(
        default_factory=dict, max_length=MAX_FIELDS, description="by which it is found: texts and numbers"
    )
