"""The payload of every event: each shape beside the function that renders it.

A function is registered by the event that it takes and the shape that it returns, so that sockets, streams,
the OpenAPI document and the page's types all follow from its signature.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, NotRequired, TypeVar, get_type_hints

import orjson
from typing_extensions import TypedDict

from workroom.domain import events
from workroom.domain.extension import Scope
from workroom.domain.files import PreviewKind
from workroom.domain.worker import WorkerState, worker_dismissed
from workroom.server.http.views.job import (
    Annotation,
    Progress,
    Transition,
    render_annotation,
    render_transition,
)
from workroom.server.http.views.log import PrintedLine
from workroom.server.http.views.problem import Problem, render_problem
from workroom.server.http.views.room import ChatMessage, render_chat_message
from workroom.server.http.views.room_data import HeldLock
from workroom.server.http.views.values import Document, Time, format_time

_Renderer = TypeVar("_Renderer", bound=Callable[[Any], Any])
_RENDERERS: dict[type[events.Event], Callable[[Any], Document]] = {}
SHAPES: dict[type[events.Event], Any] = {}


def render_event(event: events.Event) -> Document:
    """The payload of an event, the same for sockets and streams."""
    return _RENDERERS[type(event)](event)


def _renders(render: _Renderer) -> _Renderer:
    hints = get_type_hints(render, include_extras=True)
    _RENDERERS[hints["event"]], SHAPES[hints["event"]] = render, hints["return"]
    return render


@_renders
def _job_state_changed(event: events.JobStateChanged) -> Transition:
    return render_transition(event.transition)


class JobProgressed(TypedDict):
    job_id: str
    progress: Progress


@_renders
def _job_progressed(event: events.JobProgressed) -> JobProgressed:
    progress: Any = orjson.Fragment(event.document)
    return {"job_id": event.job_id, "progress": progress}


class JobLogged(TypedDict):
    """Lines of one attempt, as in `GET …/logs`."""

    job_id: str
    attempt: int
    lines: list[PrintedLine]


@_renders
def _job_logged(event: events.JobLogged) -> JobLogged:
    lines: Any = orjson.Fragment(event.lines)
    return {"job_id": event.job_id, "attempt": event.attempt, "lines": lines}


class JobPreviewed(TypedDict):
    """The job has a new preview: fetch it."""

    job_id: str
    kind: PreviewKind
    version: int


@_renders
def _job_previewed(event: events.JobPreviewed) -> JobPreviewed:
    return {"job_id": event.job_id, "kind": PreviewKind(event.kind), "version": event.version}


class PositionsShown(TypedDict):
    """Draw these positions in place of those of the frame, until the job ends or the frame changes.

    `positions` is Base64 of x, y and z of each atom as little-endian 32-bit floats.
    """

    room: str
    job_id: str
    frame: int
    positions: str


@_renders
def _positions_shown(event: events.PositionsShown) -> PositionsShown:
    return {
        "room": event.room,
        "job_id": event.job_id,
        "frame": event.frame,
        "positions": base64.b64encode(event.positions).decode(),
    }


class ArtifactSaved(TypedDict):
    """The job saved artifacts, this one last: fetch their list."""

    job_id: str
    name: str


@_renders
def _artifact_saved(event: events.ArtifactSaved) -> ArtifactSaved:
    return {"job_id": event.job_id, "name": event.file}


class JobAnnotated(TypedDict):
    """Somebody named, starred, tagged or noted a job, or removed all of it."""

    job_id: str
    room: str
    annotation: Annotation | None


@_renders
def _job_annotated(event: events.JobAnnotated) -> JobAnnotated:
    return {
        "job_id": event.job_id,
        "room": event.room,
        "annotation": render_annotation(event.annotation),
    }


class JobSuspended(TypedDict):
    """A running job waits for an answer or a child, or no longer does: fetch it."""

    job_id: str
    room: str
    waits: bool


@_renders
def _job_suspended(event: events.JobSuspended) -> JobSuspended:
    return {"job_id": event.job_id, "room": event.room, "waits": event.waits}


class QuestionAsked(TypedDict):
    """A job has a question: fetch it."""

    job_id: str
    room: str
    user: str
    question_id: int
    text: str


@_renders
def _question_asked(event: events.QuestionAsked) -> QuestionAsked:
    return {
        "job_id": event.job_id,
        "room": event.room,
        "user": event.user,
        "question_id": event.question_id,
        "text": event.text,
    }


class QuestionAnswered(TypedDict):
    """A question has an answer: fetch it."""

    job_id: str
    room: str
    question_id: int
    by: str


@_renders
def _question_answered(event: events.QuestionAnswered) -> QuestionAnswered:
    return {
        "job_id": event.job_id,
        "room": event.room,
        "question_id": event.question_id,
        "by": event.by,
    }


class AttemptAnswered(TypedDict):
    job_id: str
    question_id: int


@_renders
def _attempt_answered(event: events.AttemptAnswered) -> AttemptAnswered:
    return {"job_id": event.job_id, "question_id": event.question_id}


class AttemptRecalled(TypedDict):
    """For a worker: forget this attempt, which it has not started."""

    job_id: str
    attempt: int


@_renders
def _attempt_recalled(event: events.AttemptRecalled) -> AttemptRecalled:
    return {"job_id": event.job_id, "attempt": event.attempt}


class AttemptRevoked(TypedDict):
    """For a worker: stop this attempt."""

    job_id: str
    attempt: int
    reason: str


@_renders
def _attempt_revoked(event: events.AttemptRevoked) -> AttemptRevoked:
    return {"job_id": event.job_id, "attempt": event.attempt, "reason": event.reason}


class ExtensionsChanged(TypedDict):
    """Fetch the extensions of this category again; without a room, in every room."""

    scope: Scope
    room: str | None
    category: str


@_renders
def _extensions_changed(event: events.ExtensionsChanged) -> ExtensionsChanged:
    return {"scope": event.key.scope, "room": event.key.room, "category": event.key.category}


class WorkerStateChanged(TypedDict):
    """`since` is when its state changed. `jobs` are those that the worker holds; only the fleet gets them
    if it serves several rooms, or all.
    """

    worker: str
    state: WorkerState
    since: Time
    jobs: list[str]


@_renders
def _worker_state_changed(event: events.WorkerStateChanged) -> WorkerStateChanged:
    return {
        "worker": event.worker,
        "state": WorkerState(event.state),
        "since": format_time(event.since_us),
        "jobs": [] if event.hides_jobs else list(event.jobs),
    }


class WorkerAccepted(TypedDict):
    """For a worker: it offers this extension from now on."""

    room: str | None
    category: str
    name: str
    by: str


@_renders
def _worker_accepted(event: events.WorkerAccepted) -> WorkerAccepted:
    key = event.key
    return {"room": key.room, "category": key.category, "name": key.name, "by": event.actor}


class WorkerRefused(WorkerAccepted):
    """For a worker: it may not, or no longer, offer this extension."""

    reason: str


@_renders
def _worker_refused(event: events.WorkerRefused) -> WorkerRefused:
    key, reason = event.key, event.reason
    return {
        "room": key.room,
        "category": key.category,
        "name": key.name,
        "by": event.actor,
        "reason": reason,
    }


@_renders
def _worker_dismissed(event: events.WorkerDismissed) -> Problem:
    return render_problem(worker_dismissed(event.actor, event.reason))


class WorkerDrained(TypedDict):
    """For a worker: it receives no more jobs, or receives jobs again."""

    draining: bool


@_renders
def _worker_drained(event: events.WorkerDrained) -> WorkerDrained:
    return {"draining": event.draining}


class SubscriptionEnded(TypedDict):
    """The connection receives no more of this room or job: access was lost, or the attempt has ended."""

    room: str | None
    job_id: str | None
    reason: str


@_renders
def _subscription_ended(event: events.SubscriptionEnded) -> SubscriptionEnded:
    return {"room": event.room, "job_id": event.job_id, "reason": event.reason}


class RoomChanged(TypedDict):
    """Fetch the room again."""

    room: str
    deleted: bool


@_renders
def _room_changed(event: events.RoomChanged) -> RoomChanged:
    return {"room": event.room, "deleted": event.is_deleted}


class FilesChanged(TypedDict):
    """Fetch the files of the room again."""

    room: str


@_renders
def _files_changed(event: events.FilesChanged) -> FilesChanged:
    return {"room": event.room}


@_renders
def _chat_posted(event: events.ChatPosted) -> ChatMessage:
    return render_chat_message(event.message)


class DataChanged(TypedDict):
    """The caller's settings were saved, possibly from another window."""

    room: str
    category: str
    name: str


@_renders
def _data_changed(event: events.DataChanged) -> DataChanged:
    return {"room": event.room, "category": event.category, "name": event.extension}


class PresetsChanged(TypedDict):
    """Fetch the presets of this extension again."""

    room: str
    category: str
    name: str


@_renders
def _presets_changed(event: events.PresetsChanged) -> PresetsChanged:
    return {"room": event.room, "category": event.category, "name": event.extension}


class StateChanged(TypedDict):
    """A document was written or deleted. Without `value`, fetch it: it is large."""

    room: str
    key: str
    version: int
    user: str
    job_id: str | None
    deleted: bool
    value: NotRequired[Any]


@_renders
def _state_changed(event: events.StateChanged) -> StateChanged:
    rendered: StateChanged = {
        "room": event.room,
        "key": event.key,
        "version": event.version,
        "user": event.user,
        "job_id": event.job_id,
        "deleted": event.is_deleted,
    }
    if event.content:
        rendered["value"] = orjson.Fragment(event.content)
    return rendered


class FramesChanged(TypedDict):
    """The frames from `start` on changed. An append added those up to `stop`."""

    room: str
    version: int
    length: int
    user: str
    job_id: str | None
    op: str
    start: int
    stop: int


@_renders
def _frames_changed(event: events.FramesChanged) -> FramesChanged:
    return {
        "room": event.room,
        "version": event.version,
        "length": event.length,
        "user": event.user,
        "job_id": event.job_id,
        "op": event.op,
        "start": event.start,
        "stop": event.stop,
    }


class PresenceChanged(TypedDict):
    """Somebody came or left: read the people of the room again."""

    room: str


@_renders
def _presence_changed(event: events.PresenceChanged) -> PresenceChanged:
    return {"room": event.room}


class LockChanged(TypedDict):
    """Somebody holds the lock or, if `lock` is null, nobody."""

    room: str
    target: str
    lock: HeldLock | None


@_renders
def _lock_changed(event: events.LockChanged) -> LockChanged:
    if event.user is None:
        return {"room": event.room, "target": event.target, "lock": None}
    lock: HeldLock = {
        "target": event.target,
        "holder": event.user,
        "job_id": event.job_id,
        "message": event.message,
        "fence": event.fence,
        "acquired_at": format_time(event.acquired_us),
        "expires_at": format_time(event.expires_us),
    }
    return {"room": event.room, "target": event.target, "lock": lock}


class RecordChanged(TypedDict):
    """A record was created, replaced or deleted: fetch it, or the list that it may be in."""

    room: str
    kind: str
    id: str
    user: str
    job_id: str | None
    deleted: bool


@_renders
def _record_changed(event: events.RecordChanged) -> RecordChanged:
    return {
        "room": event.room,
        "kind": event.kind,
        "id": event.id,
        "user": event.user,
        "job_id": event.job_id,
        "deleted": event.is_deleted,
    }


class GroupChanged(TypedDict):
    """Read the group again: its counts or its state changed."""

    group_id: str
    room: str
    version: int


@_renders
def _group_changed(event: events.GroupChanged) -> GroupChanged:
    return {"group_id": event.group_id, "room": event.room, "version": event.version}
