"""Records of a room."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from workroom.domain.queries import Page
from workroom.domain.room_data import records as domain
from workroom.domain.room_data.records import field_value
from workroom.server.http.views.values import Time, format_time


class Record(TypedDict):
    kind: str
    id: str
    body: Any
    fields: dict[str, str | int | float]
    user: Annotated[str, Field(description="who wrote it last")]
    job_id: str | None
    created_at: Time
    updated_at: Time


class RecordPage(TypedDict):
    items: list[Record]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


def render_record(record: domain.Record) -> Record:
    return {
        "kind": record.kind,
        "id": record.id,
        "body": orjson.Fragment(record.body),
        "fields": {name: field_value(key) for name, key in record.fields},
        "user": record.user,
        "job_id": record.job_id,
        "created_at": format_time(record.created_us),
        "updated_at": format_time(record.updated_us),
    }


def render_record_page(page: Page[domain.Record]) -> RecordPage:
    return {"items": [render_record(each) for each in page.items], "next_cursor": page.next_cursor}
