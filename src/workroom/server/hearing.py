"""What people hear over their sockets, as documented: OpenAPI knows events as webhooks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from workroom.domain import events
from workroom.domain.extension import Scope
from workroom.domain.files import PreviewKind
from workroom.domain.worker import WorkerState
from workroom.server import shapes

Document = dict[str, Any]


class JobProgressed(TypedDict):
    job_id: str
    progress: shapes.Progress


class JobLogged(TypedDict):
    """Lines of one attempt, as in `GET …/logs`."""

    job_id: str
    attempt: int
    lines: list[shapes.PrintedLine]


class JobPreviewed(TypedDict):
    """There is something new to see: fetch it."""

    job_id: str
    kind: PreviewKind
    version: int


class JobSaved(TypedDict):
    """The job has saved files, this one last: fetch their list."""

    job_id: str
    name: str


class FilesChanged(TypedDict):
    """Fetch the files of the room again."""

    room: str


class ExtensionsChanged(TypedDict):
    """Fetch the extensions of this category again; without a room, in every room."""

    scope: Scope
    room: str | None
    category: str


class WorkerStateChanged(TypedDict):
    worker: str
    state: WorkerState
    since: shapes.Time


class DataChanged(TypedDict):
    """Your settings were saved, maybe from another window."""

    room: str
    category: str
    name: str


class RoomChanged(TypedDict):
    """Fetch the room again."""

    room: str
    deleted: bool


HEARD: dict[type[events.Event], Any] = {
    events.JobStateChanged: list[shapes.Transition],
    events.JobProgressed: list[JobProgressed],
    events.JobLogged: list[JobLogged],
    events.JobPreviewed: list[JobPreviewed],
    events.JobSaved: list[JobSaved],
    events.FilesChanged: list[FilesChanged],
    events.ExtensionsChanged: list[ExtensionsChanged],
    events.WorkerStateChanged: list[WorkerStateChanged],
    events.DataChanged: list[DataChanged],
    events.RoomChanged: list[RoomChanged],
    events.ChatSaid: list[shapes.ChatMessage],
}


def webhooks() -> tuple[Document, Document]:
    """Every event under its name, and the schemas that they refer to."""
    mode: Literal["serialization"] = "serialization"
    adapters = [(event.name, mode, TypeAdapter(shape)) for event, shape in HEARD.items()]
    found, rest = TypeAdapter.json_schemas(adapters, ref_template="#/components/schemas/{model}")
    return {name: _webhook(name, schema) for (name, _), schema in found.items()}, rest["$defs"]


def _webhook(name: str, schema: Document) -> Document:
    return {
        "post": {
            "tags": ["events"],
            "operationId": name,
            "summary": name,
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
            "responses": {"200": {"description": "events are not answered"}},
        }
    }
