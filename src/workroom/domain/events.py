"""Every event that leaves the server, once: its name, who hears it, and its fields.

An event travels as a list of items under its name, so that a burst costs one message. Like what is in them
(see `job`), events are not frozen: that would double the price of those that every job makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from workroom.domain.chat import ChatMessage
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Transition


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


EVERYONE = "everyone"
FLEET = "fleet"


@dataclass(slots=True, unsafe_hash=True)
class Event:
    """Something that happened. `audiences` hear it once each, even who is in several."""

    name: ClassVar[str]

    @property
    def audiences(self) -> tuple[str, ...]:
        return ()

    @property
    def watchers(self) -> tuple[str, ...]:
        """Who asked for this one thing, wherever they are; who is in an audience too hears it again."""
        return ()

    @property
    def onlookers(self) -> tuple[str, ...]:
        """Whose streams tell it too: a stream thins out what a socket would be flooded with."""
        return ()


@dataclass(slots=True, unsafe_hash=True)
class JobStateChanged(Event):
    name = "job:state_changed"
    transition: Transition

    @property
    def audiences(self) -> tuple[str, ...]:
        return _room_and_user(self.transition.room, self.transition.user)

    @property
    def watchers(self) -> tuple[str, ...]:
        return (job_audience(self.transition.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobProgressed(Event):
    name = "job:progress"
    job_id: str
    document: bytes
    room: str | None = None

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)

    @property
    def onlookers(self) -> tuple[str, ...]:
        return () if self.room is None else (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class JobLogged(Event):
    """Lines that a job wrote, encoded as one JSON list."""

    name = "job:log"
    job_id: str
    attempt: int
    lines: bytes

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobPreviewed(Event):
    """A running job shows something new; `version` grows with each."""

    name = "job:preview"
    job_id: str
    kind: str
    version: int

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobSaved(Event):
    """A job has saved files; `file` is the last of them."""

    name = "job:artifact"
    job_id: str
    file: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (job_audience(self.job_id),)


@dataclass(slots=True, unsafe_hash=True)
class JobRevoked(Event):
    """Tells a worker to stop: its attempt no longer counts."""

    name = "job:cancel"
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
    key: ExtensionKey

    @property
    def audiences(self) -> tuple[str, ...]:
        return (EVERYONE,) if self.key.room is None else (room_audience(self.key.room),)


@dataclass(slots=True, unsafe_hash=True)
class WorkerStateChanged(Event):
    name = "worker:state_changed"
    worker: str
    state: str
    since_us: int
    rooms: tuple[str | None, ...]

    @property
    def audiences(self) -> tuple[str, ...]:
        return (*(EVERYONE if room is None else room_audience(room) for room in self.rooms), FLEET)


@dataclass(slots=True, unsafe_hash=True)
class RoomChanged(Event):
    """A room has another title, door or members, or is gone."""

    name = "room:changed"
    room: str
    is_deleted: bool = False

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class FilesChanged(Event):
    """Somebody brought a file to a room, or took one away."""

    name = "files:changed"
    room: str

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.room),)


@dataclass(slots=True, unsafe_hash=True)
class ChatSaid(Event):
    name = "chat:message"
    message: ChatMessage

    @property
    def audiences(self) -> tuple[str, ...]:
        return (room_audience(self.message.room),)


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
