"""Every event that leaves the server, declared once: name, audience, fields, and the streams that carry it.

`EVENTS` is the registry. The server renders each event in `server/http/views/event.py`; sockets, streams,
the OpenAPI document and the page's types derive from that, and replicas exchange the dataclasses themselves.

An event travels as a list of items under its name, so that a burst costs one message. Events are not frozen,
like the values in them (see `job`): freezing would double the cost of those that every job makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar

from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Transition
from workroom.domain.jobs.annotation import Annotation
from workroom.domain.room import ChatMessage


class StreamKind(StrEnum):
    """A stream of server-sent events."""

    JOB = "job"
    ROOM = "room"


_JOB = frozenset({StreamKind.JOB})
_ROOM = frozenset({StreamKind.ROOM})

EVERYONE = "everyone"
FLEET = "fleet"


def room_audience(room: str) -> str:
    return f"room:{room}"


def user_audience(user: str) -> str:
    return f"user:{user}"


def worker_audience(worker: str) -> str:
    return f"worker:{worker}"


def job_audience(job_id: str) -> str:
    return f"job:{job_id}"


@lru_cache(maxsize=1024)
def _room_and_user(room: str, user: str) -> tuple[str, ...]:
    return (room_audience(room), user_audience(user))


EVENTS: dict[str, type[Event]] = {}
"""Every kind of event by its name."""


@dataclass(slots=True, unsafe_hash=True)
class Event:
    """Something that happened. A connection in several of its audiences receives it once.

    `stream_name` is the name of the event in the streams that carry it. Only workers receive events that are
    `for_workers`; the page never does. A connection that does not keep up misses events that are `volatile`.
    """

    name: ClassVar[str]
    for_workers: ClassVar[bool] = False
    volatile: ClassVar[bool] = False
    stream_name: ClassVar[str | None] = None
    streams: ClassVar[frozenset[StreamKind]] = frozenset()

    def __init_subclass__(cls) -> None:
        EVENTS[cls.name] = cls  # `slots` makes each class twice: the second one is the class that is used

    @property
    def audiences(self) -> tuple[str, ...]:
        return ()

    @property
    def watchers(self) -> tuple[str, ...]:
        """Audiences of one thing; a connection that is in `audiences` too receives the event twice."""
        return ()

    @property
    def stream_audiences(self) -> tuple[str, ...]:
        """Audiences whose streams also carry it: a stream drops what would flood a socket."""
        return ()


@dataclass(slots=True, unsafe_hash=True)
class JobStateChanged(Event):
    name = "job:state_changed"
    stream_name = "state"
    streams = _JOB | _ROOM
    transition: Transition

    @property
    def audiences(self) -> tuple[str, ...]:
        return _room_and_user(self.transition.room, self.transition.user)

    @property
    def watchers(self) -> tuple[str, ...]:
        return (job_audience(self.transition.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobProgressed(Event):
    """A worker reported progress; `document` is encoded as JSON."""

    name = "job:progress"
    stream_name = "progress"
    streams = _JOB | _ROOM
    job_id: str
    document: bytes
    room: str | None = None

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)

    @property
    def stream_audiences(self) -> tuple[str, ...]:
        return () if self.room is None else (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class JobLogged(Event):
    """A job wrote lines, encoded as one JSON list."""

    name = "job:log"
    stream_name = "log"
    streams = _JOB
    job_id: str
    attempt: int
    lines: bytes

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobPreviewed(Event):
    """A running job has a new preview; `version` grows with each."""

    name = "job:preview"
    stream_name = "preview"
    streams = _JOB
    job_id: str
    kind: str
    version: int

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class PositionsShown(Event):
    """A running job has moved the atoms of a frame; `positions` are three little-endian float32 per atom."""

    name = "job:positions"
    volatile = True
    room: str
    job_id: str
    frame: int
    positions: bytes

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class ArtifactSaved(Event):
    """A job saved artifacts; `file` is the name of the last one."""

    name = "job:artifact"
    stream_name = "artifact"
    streams = _JOB
    job_id: str
    file: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobAnnotated(Event):
    """Somebody named, starred, tagged or noted a job."""

    name = "job:annotated"
    stream_name = "annotation"
    streams = _JOB | _ROOM
    job_id: str
    room: str
    annotation: Annotation

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room), job_audience(self.job_id))


@dataclass(slots=True, unsafe_hash=True)
class JobSuspended(Event):
    """A running job waits for an answer or a child; without `waits`, it no longer does."""

    name = "job:suspended"
    stream_name = "suspended"
    streams = _JOB | _ROOM
    job_id: str
    room: str
    waits: bool

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room), job_audience(self.job_id))


@dataclass(slots=True, unsafe_hash=True)
class QuestionAsked(Event):
    """A job has a question to the people in its room."""

    name = "question:asked"
    stream_name = "question"
    streams = _JOB | _ROOM
    job_id: str
    room: str
    user: str
    question_id: int
    text: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (*_room_and_user(self.room, self.user), job_audience(self.job_id))


@dataclass(slots=True, unsafe_hash=True)
class QuestionAnswered(Event):
    """Somebody answered a question."""

    name = "question:answered"
    stream_name = "answer"
    streams = _JOB | _ROOM
    job_id: str
    room: str
    user: str
    question_id: int
    by: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (*_room_and_user(self.room, self.user), job_audience(self.job_id))


@dataclass(slots=True, unsafe_hash=True)
class AttemptAnswered(Event):
    """A question of an attempt has an answer: the worker reads it."""

    name = "job:answered"
    for_workers = True
    worker: str
    job_id: str
    question_id: int

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class AttemptRecalled(Event):
    """An attempt that its worker had not started was taken back: the worker forgets it."""

    name = "job:recall"
    for_workers = True
    worker: str
    job_id: str
    attempt: int

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class AttemptRevoked(Event):
    """A worker must stop an attempt, because its results are no longer accepted."""

    name = "job:cancel"
    for_workers = True
    worker: str
    job_id: str
    attempt: int
    reason: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class ExtensionsChanged(Event):
    name = "extensions:changed"
    stream_name = "extensions"
    streams = _ROOM
    key: ExtensionKey

    @property
    def audiences(self) -> tuple[str, ...]:
        return (EVERYONE,) if self.key.room is None else (room_audience(self.key.room),)


@dataclass(slots=True, unsafe_hash=True)
class WorkerStateChanged(Event):
    """A worker has another state; `jobs` are the ids of the jobs that it holds.

    Without `rooms` it is for the fleet alone.
    """

    name = "worker:state_changed"
    stream_name = "worker"
    streams = _ROOM
    worker: str
    state: str
    since_us: int
    rooms: tuple[str | None, ...]
    jobs: tuple[str, ...] = ()

    @property
    def audiences(self) -> tuple[str, ...]:
        return (*(EVERYONE if room is None else room_audience(room) for room in self.rooms), FLEET)

    @property
    def hides_jobs(self) -> bool:
        """Whether it reaches somebody who may not see the rooms of all of the jobs."""
        return len(self.rooms) > 1 or None in self.rooms


@dataclass(slots=True, unsafe_hash=True)
class WorkerAccepted(Event):
    """A worker offers this extension from now on."""

    name = "worker:accepted"
    for_workers = True
    worker: str
    key: ExtensionKey
    actor: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class WorkerRefused(Event):
    """A worker may not, or no longer, offer this extension; it continues with the others."""

    name = "worker:refused"
    for_workers = True
    worker: str
    key: ExtensionKey
    actor: str
    reason: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class WorkerDismissed(Event):
    """A worker must disconnect and not return."""

    name = "worker:dismissed"
    for_workers = True
    worker: str
    actor: str
    reason: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class WorkerDrained(Event):
    """A worker receives no more jobs, or receives jobs again."""

    name = "worker:draining"
    for_workers = True
    worker: str
    draining: bool

    @property
    def audiences(self) -> tuple[str, ...]:
        return (worker_audience(self.worker),)


@dataclass(slots=True, unsafe_hash=True)
class SubscriptionEnded(Event):
    """A connection receives no more events of a room or a job."""

    name = "subscription:ended"
    connection: str
    reason: str
    room: str | None = None
    job_id: str | None = None

    @property
    def audiences(self) -> tuple[str, ...]:
        return (self.connection,)


@dataclass(slots=True, unsafe_hash=True)
class RoomChanged(Event):
    """The title, privacy or members of a room changed, or it was deleted."""

    name = "room:changed"
    stream_name = "room"
    streams = _ROOM
    room: str
    is_deleted: bool = False

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class FilesChanged(Event):
    """A file of a room was uploaded or deleted."""

    name = "files:changed"
    stream_name = "files"
    streams = _ROOM
    room: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class ChatPosted(Event):
    name = "chat:message"
    stream_name = "chat"
    streams = _ROOM
    message: ChatMessage

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.message.room),)


@dataclass(slots=True, unsafe_hash=True)
class PresetsChanged(Event):
    """A preset of an extension was saved or deleted: one of the room's, or one that `holder` keeps."""

    name = "presets:changed"
    stream_name = "presets"
    streams = _ROOM
    room: str
    holder: str
    category: str
    extension: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (user_audience(self.holder) if self.holder else room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class DataChanged(Event):
    """A user's settings in a room were saved."""

    name = "data:changed"
    user: str
    room: str
    category: str
    extension: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (user_audience(self.user),)


@dataclass(slots=True, unsafe_hash=True)
class StateChanged(Event):
    """A document of a room was written or deleted; `content` is empty if it is large."""

    name = "state:changed"
    stream_name = "document"
    streams = _ROOM
    room: str
    key: str
    version: int
    user: str
    job_id: str | None
    is_deleted: bool
    content: bytes = b""

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class FramesChanged(Event):
    """The frames of a room changed, from index `start` on. `op` is that of the edit."""

    name = "frames:changed"
    stream_name = "frames"
    streams = _ROOM
    room: str
    version: int
    length: int
    user: str
    job_id: str | None
    op: str
    start: int
    stop: int

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class LockChanged(Event):
    """A lock of a room was acquired or refreshed or, without a user, is free."""

    name = "lock:changed"
    stream_name = "lock"
    streams = _ROOM
    room: str
    target: str
    user: str | None = None
    job_id: str | None = None
    message: str = ""
    fence: int = 0
    acquired_us: int = 0
    expires_us: int = 0

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class PresenceChanged(Event):
    """Somebody came or left. `people` are those of one server; `since_us` is since when each is there."""

    name = "presence:changed"
    stream_name = "presence"
    streams = _ROOM
    room: str
    server: str
    people: tuple[str, ...]
    since_us: tuple[int, ...]

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class RecordChanged(Event):
    """A record of a room was created, replaced or deleted."""

    name = "record:changed"
    stream_name = "record"
    streams = _ROOM
    room: str
    kind: str
    id: str
    user: str
    job_id: str | None
    is_deleted: bool

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class GroupChanged(Event):
    """Jobs of a group were added or have ended, or the group was closed, cancelled, paused or resumed."""

    name = "group:changed"
    stream_name = "group"
    streams = _ROOM
    group_id: str
    room: str
    version: int

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)
