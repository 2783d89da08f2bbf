"""Every question the store can be asked. The type parameter is the type of the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from workroom.domain.chat import ChatMessage
from workroom.domain.extension import Extension, Policy
from workroom.domain.files import Artifact, Preview, RoomFile
from workroom.domain.identity import Account
from workroom.domain.job import Fence, Job, JobState, Transition
from workroom.domain.logs import LogLine
from workroom.domain.room import Room
from workroom.domain.worker import Worker

T = TypeVar("T")


class Query(Generic[T]):
    """A question with an answer of type T."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    items: list[T]
    next_cursor: int | None


@dataclass(frozen=True, slots=True)
class FindJob(Query[Job | None]):
    id: str


@dataclass(frozen=True, slots=True)
class FindJobs(Query[Page[Job]]):
    """Newest first; `before` is the cursor of the page before.

    With `replayed`, only jobs that another job points back to, or only those that none does.
    """

    room: str | None = None
    user: str | None = None
    worker: str | None = None
    status: JobState | None = None
    category: str | None = None
    name: str | None = None
    replayed: bool | None = None
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class JobHistory(Query[list[Transition]]):
    job_id: str


@dataclass(frozen=True, slots=True)
class JobLogs(Query[list[LogLine]]):
    """What a job has printed, in its order, behind line `after`."""

    job_id: str
    after: int = 0
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the log has come. Numbers mean something only together with the epoch of their store."""

    epoch: str
    last: int
    last_chat: int


@dataclass(frozen=True, slots=True)
class FindMark(Query[Mark]):
    pass


@dataclass(frozen=True, slots=True)
class JobEvents(Query[list[Transition]]):
    """The log of a job behind a number, oldest first."""

    job_id: str
    after: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class RoomEvents(Query[list[Transition]]):
    """The log of a room behind a number, oldest first."""

    room: str
    after: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class FindChat(Query[Page[ChatMessage]]):
    """Newest first; `before` is the cursor of the page before."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class NewChat(Query[list[ChatMessage]]):
    """What was said in a room behind a number, oldest first."""

    room: str
    after: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class FindExtension(Query[Extension | None]):
    """Looked up in the room first, then in public."""

    room: str
    category: str
    name: str


@dataclass(frozen=True, slots=True)
class FindActor(Query[Extension | None]):
    """The public extension that was declared as this actor; of several, the first that came."""

    actor: str


@dataclass(frozen=True, slots=True)
class CountReady(Query[int]):
    """How many jobs of these extensions could be handed out, counted up to a thousand of each."""

    extensions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FindPolicy(Query[Policy]):
    """Of an extension that a job is of, also one that has left."""

    extension_id: int


@dataclass(frozen=True, slots=True)
class VisibleExtensions(Query[list[Extension]]):
    """What a room sees, with live numbers; without a room, every extension there is."""

    room: str | None = None


@dataclass(frozen=True, slots=True)
class ExtensionUsage:
    extension: Extension
    jobs: dict[str, int]
    last_job_at_us: int | None


@dataclass(frozen=True, slots=True)
class ExtensionsOverview(Query[list[ExtensionUsage]]):
    pass


@dataclass(frozen=True, slots=True)
class FindWorker(Query[Worker | None]):
    id: str


@dataclass(frozen=True, slots=True)
class FindWorkers(Query[list[Worker]]):
    """Workers that serve a room; without a room, the whole fleet."""

    room: str | None = None


@dataclass(frozen=True, slots=True)
class LastValues(Query[bytes | None]):
    """What a user submitted last with the form of an extension."""

    user: str
    room: str
    category: str
    name: str


@dataclass(frozen=True, slots=True)
class FindRooms(Query[list[Room]]):
    """Rooms that admit a user, by name; without a user, all of them. Their members are left out."""

    user: str | None
    after: str = ""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class FindRoom(Query[Room | None]):
    name: str


@dataclass(frozen=True, slots=True)
class FindAccount(Query[Account | None]):
    name: str


@dataclass(frozen=True, slots=True)
class FindAccounts(Query[list[Account]]):
    """Accounts by name."""

    after: str = ""
    limit: int = 100


@dataclass(frozen=True, slots=True)
class Void:
    """Tokens that count no more: by their id, or because their account has a newer epoch or was shut."""

    token_ids: frozenset[str]
    epochs: dict[str, int]
    disabled: frozenset[str]


@dataclass(frozen=True, slots=True)
class FindVoid(Query[Void]):
    pass


@dataclass(frozen=True, slots=True)
class Running:
    """Whose attempt is running, and where."""

    user: str
    room: str


@dataclass(frozen=True, slots=True)
class FindRunning(Query[Running | None]):
    """The attempt that a job's token names, as long as it runs."""

    fence: Fence


@dataclass(frozen=True, slots=True)
class FindArtifacts(Query[list[Artifact]]):
    """All that a job has saved, by name."""

    job_id: str


@dataclass(frozen=True, slots=True)
class FindArtifact(Query[Artifact | None]):
    job_id: str
    name: str


@dataclass(frozen=True, slots=True)
class FindPreview(Query[Preview | None]):
    """What a job showed last."""

    job_id: str


@dataclass(frozen=True, slots=True)
class FindFiles(Query[Page[RoomFile]]):
    """The files of a room, newest first; `before` is the cursor of the page before."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FindFile(Query[RoomFile | None]):
    room: str
    id: str


@dataclass(frozen=True, slots=True)
class FindWaste(Query[list[str]]):
    """Blobs that nothing refers to: cut uploads, and what was replaced or deleted."""

    after: str = ""
    limit: int = 500
