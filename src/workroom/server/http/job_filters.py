"""The query parameters with which lists and exports select jobs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query

from workroom.domain.job import parse_state
from workroom.domain.search.parser import MAX_QUERY
from workroom.errors import InvalidRequest
from workroom.server.http.bodies.fields import MAX_NAME

Status = Annotated[
    Literal[
        "pending",
        "assigned",
        "running",
        "completed",
        "failed",
        "cancelled",
        "queued",
        "submitted",
        "processing",
        "finished",
    ]
    | None,
    Query(
        description="`queued` and `submitted` mean pending or assigned, `processing` running, "
        "`finished` completed"
    ),
]
_QUEUED = ("queued", "submitted")
Extension = Annotated[
    str | None,
    Query(max_length=MAX_NAME, description="category/name", json_schema_extra={"pattern": "/"}),
]
NameFilter = Annotated[str | None, Query(max_length=MAX_NAME)]
Unfinished = Annotated[bool, Query(description="only jobs that have not ended")]
Search = Annotated[
    str,
    Query(
        max_length=MAX_QUERY,
        description="what a person types: `user:ada since:2026-11-01 starred window>5 relax`",
    ),
]


def by_status(status: str | None) -> dict[str, Any]:
    if status in _QUEUED:
        return {"queued": True}
    return {} if status is None else {"status": parse_state(status)}


def by_extension(extension: str | None) -> dict[str, Any]:
    if extension is None:
        return {}
    category, separator, name = extension.partition("/")
    if not separator:
        raise InvalidRequest("an extension is named category/name")
    return {"category": category, "name": name}
