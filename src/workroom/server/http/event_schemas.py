"""The events of sockets and streams for the OpenAPI document, derived from the registry of events."""

from __future__ import annotations

from collections.abc import Mapping
from types import GenericAlias
from typing import Any, Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from workroom.domain.events import EVENTS, StreamKind
from workroom.domain.job import JobState
from workroom.server.http.views.event import SHAPES
from workroom.server.http.views.job import JobError, Progress

Document = dict[str, Any]


class StreamOpened(TypedDict):
    """The stream begins now."""

    room: str


class StreamReset(TypedDict):
    """Events were lost: fetch everything again."""

    reason: str


class StreamClosed(TypedDict):
    """The last event of a stream that its reader may no longer read."""

    reason: str


class JobStreamEnded(TypedDict):
    """The last event. `status` is null if the job is no longer on record."""

    job_id: str
    status: JobState | None


class TaskProgressed(TypedDict):
    status: Literal["queued", "processing", "completed", "failed"]
    progress: Progress


class TaskCompleted(TypedDict):
    """The last event of a completed task."""

    result: Any


class TaskFailed(TypedDict):
    """The last event of a task that failed or was cancelled."""

    error: JobError | None


def _shapes_of(stream: StreamKind) -> dict[str, Any]:
    kinds = [kind for kind in EVENTS.values() if stream in kind.streams]
    return {kind.stream_name: SHAPES[kind] for kind in kinds if kind.stream_name is not None}


_CONTROL = {"reset": StreamReset, "closed": StreamClosed}
STREAMS: dict[str, dict[str, Any]] = {
    "stream_job": {**_shapes_of(StreamKind.JOB), **_CONTROL, "end": JobStreamEnded},
    "stream_room": {"open": StreamOpened, **_shapes_of(StreamKind.ROOM), **_CONTROL},
    "stream_task": {"progress": TaskProgressed, "complete": TaskCompleted, "error": TaskFailed, **_CONTROL},
}
"""The events of each stream by the name of its operation."""


def describe_streams() -> tuple[dict[str, Document], Document]:
    """The events of each operation with the schemas of their data, and the schemas that those refer to."""
    flat = {
        f"{operation} {name}": shape for operation, kinds in STREAMS.items() for name, shape in kinds.items()
    }
    schemas, definitions = _json_schemas(flat)
    described = {
        operation: {name: schemas[f"{operation} {name}"] for name in kinds}
        for operation, kinds in STREAMS.items()
    }
    return described, definitions


def describe_webhooks() -> tuple[Document, Document]:
    """Every socket event that people receive, as an OpenAPI webhook, and the schemas that they refer to.

    `docs/protocol.md` describes those for workers.
    """
    shapes = {kind.name: GenericAlias(list, SHAPES[kind]) for kind in EVENTS.values() if not kind.for_workers}
    schemas, definitions = _json_schemas(shapes)
    return {name: _webhook(name, schema) for name, schema in schemas.items()}, definitions


def _json_schemas(shapes: Mapping[str, Any]) -> tuple[dict[str, Document], Document]:
    mode: Literal["serialization"] = "serialization"
    adapters = [(name, mode, TypeAdapter(shape)) for name, shape in shapes.items()]
    found, rest = TypeAdapter.json_schemas(adapters, ref_template="#/components/schemas/{model}")
    return {name: schema for (name, _), schema in found.items()}, rest["$defs"]


def _webhook(name: str, schema: Document) -> Document:
    return {
        "post": {
            "tags": ["events"],
            "operationId": name,
            "summary": name,
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
            "responses": {"200": {"description": "events have no response"}},
        }
    }
