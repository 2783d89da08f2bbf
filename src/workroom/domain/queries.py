"""Every query that a store supports. The type parameter is the type of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from workroom.domain.audit import AuditEntry
from workroom.domain.extension import Extension, ExtensionKey, Policy
from workroom.domain.files import Artifact, Preview, RoomFile
from workroom.domain.identity import Account
from workroom.domain.job import Fence, Job, JobState, Transition
from workroom.domain.jobs.group import Group, Neighbours
from workroom.domain.jobs.logs import LogLine
from workroom.domain.preset import Preset, PresetKey
from workroom.domain.quotas import Counter
from workroom.domain.room import ChatMessage, Room
from workroom.domain.room_data.documents import Document, DocumentInfo
from workroom.domain.room_data.frames import FrameName, Piece
from workroom.domain.room_data.locks import Lock
from workroom.domain.room_data.records import Record
from workroom.domain.room_data.versions import JobEdits, Version
from workroom.domain.steps import Seating
from workroom.domain.storage.recent_ends import RecentEnd
from workroom.domain.worker import Worker

T = TypeVar("T")


class Query(Generic[T]):
    """A query with a result of type T."""

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
    """Newest first; `before` is the previous page's cursor.

    `replayed` selects jobs that were replayed as another job, or those that were not. `queued` selects jobs
    that are pending or assigned, or all others; `unfinished` those that have not ended, or those that have.
    `annotated` selects those jobs of a room that people wrote about, `parent` those that this job submitted.
    `brief` is that of `FindJobsById`.
    """

    room: str | None = None
    user: str | None = None
    worker: str | None = None
    status: JobState | None = None
    category: str | None = None
    name: str | None = None
    replayed: bool | None = None
    queued: bool | None = None
    unfinished: bool | None = None
    annotated: bool = False
    parent: str | None = None
    before: int | None = None
    limit: int = 50
    brief: bool = False
    group: str | None = None


@dataclass(frozen=True, slots=True)
class FindJobsById(Query[list[Job]]):
    """The existing jobs among these, in their order.

    `brief` leaves out whatever may be large (values, secrets, progress, result, error) and the place in the
    queue, and does not read it.
    """

    ids: tuple[str, ...]
    brief: bool = False


@dataclass(frozen=True, slots=True)
class FindGroup(Query[Group | None]):
    id: str


@dataclass(frozen=True, slots=True)
class FindOpenQuestions(Query[Page[str]]):
    """The unfinished jobs of a room with a question that nobody has answered, newest first."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FindGroups(Query[Page[Group]]):
    """The groups of a room, newest first; `before` is the previous page's cursor."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FindGroupEnds(Query[list[str]]):
    """The jobs of a group in the order of their ends, behind the first `after` of them."""

    id: str
    after: int = 0
    limit: int = 100


@dataclass(frozen=True, slots=True)
class FindNeighbours(Query[Neighbours]):
    """The arrows of a job, some in each direction. What had ended before it was submitted has none."""

    job_id: str
    limit: int = 100


@dataclass(frozen=True, slots=True)
class JobHistory(Query[list[Transition]]):
    job_id: str


@dataclass(frozen=True, slots=True)
class JobLogs(Query[list[LogLine]]):
    """The log lines of a job after line `after`."""

    job_id: str
    after: int = 0
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class LogPosition:
    """The end of the event log and of the chat. Numbers are valid within the epoch of their store."""

    epoch: str
    last: int
    last_chat: int


@dataclass(frozen=True, slots=True)
class FindLogPosition(Query[LogPosition]):
    pass


@dataclass(frozen=True, slots=True)
class JobEvents(Query[list[Transition]]):
    """The transitions of a job after a sequence number, oldest first."""

    job_id: str
    after: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class RoomEvents(Query[list[Transition]]):
    """The transitions in a room after a sequence number, oldest first."""

    room: str
    after: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class FindChat(Query[Page[ChatMessage]]):
    """Newest first; `before` is the previous page's cursor."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class NewChat(Query[list[ChatMessage]]):
    """The chat messages of a room after a sequence number, oldest first."""

    room: str
    after: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class FindExtension(Query[Extension | None]):
    """The extension of this name in the room, else the public one."""

    room: str
    category: str
    name: str


@dataclass(frozen=True, slots=True)
class FindActor(Query[Extension | None]):
    """The public extension that was declared as this actor; the oldest if there are several."""

    actor: str


@dataclass(frozen=True, slots=True)
class CountReady(Query[int]):
    """How many jobs of these extensions are ready, counted up to a thousand each."""

    extensions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FindIdle(Query[list[str]]):
    """The online workers that serve the extension, have a free slot and are not draining."""

    extension_id: int


@dataclass(frozen=True, slots=True)
class FindPolicy(Query[Policy]):
    """The policy of an extension, including one that has left."""

    extension_id: int


@dataclass(frozen=True, slots=True)
class LaneUse:
    """How many jobs of a lane occupy a worker, and how many wait."""

    running: int
    waiting: int


@dataclass(frozen=True, slots=True)
class CountLanes(Query[dict[str, LaneUse]]):
    """How these lanes of an extension are used, over all rooms."""

    extension_id: int
    lanes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VisibleExtensions(Query[list[Extension]]):
    """The extensions that a room sees, with live numbers; without a room, all extensions."""

    room: str | None = None


@dataclass(frozen=True, slots=True)
class LastFailure:
    """`error` is the encoded error of the job."""

    job_id: str
    at_us: int
    error: bytes


@dataclass(frozen=True, slots=True)
class ExtensionUsage:
    """How much an extension is used, and how its last jobs ended, newest first.

    `last_failure` is None if the job has been deleted.
    """

    extension: Extension
    jobs: dict[str, int]
    last_job_at_us: int | None
    recent: list[RecentEnd]
    last_failure: LastFailure | None


@dataclass(frozen=True, slots=True)
class ExtensionsOverview(Query[list[ExtensionUsage]]):
    pass


@dataclass(frozen=True, slots=True)
class Queue:
    """The pending jobs of an extension by what keeps them back, and how its jobs ended.

    `ready` ones wait for a worker, `limited` ones for a place in their lane, `paced` ones for the rate, and
    `later` ones for a time or other jobs. `oldest_us` is when the oldest of the first three was submitted.
    """

    extension_id: int
    key: ExtensionKey
    is_paused: bool
    is_broken: bool  # its circuit breaker is open
    ready: int = 0
    limited: int = 0
    paced: int = 0
    later: int = 0
    oldest_us: int | None = None
    completed: int = 0
    failed: int = 0
    cancelled: int = 0


@dataclass(frozen=True, slots=True)
class FindQueues(Query[list[Queue]]):
    """The queues of all extensions. Reads counters, and the beginning of each queue.

    A store may count no more than 100,000 jobs of a kind, and look for the oldest among the next 1,000 only.
    """


@dataclass(frozen=True, slots=True)
class FindWorker(Query[Worker | None]):
    id: str


@dataclass(frozen=True, slots=True)
class FindWorkers(Query[list[Worker]]):
    """Workers that serve a room or have requested to; without a room, the whole fleet.

    With `offline`, also those that served it before they went offline, as long as they are on record.
    """

    room: str | None = None
    offline: bool = False


@dataclass(frozen=True, slots=True)
class LastSecrets(Query[bytes | None]):
    """The encrypted secret values of settings."""

    user: str
    room: str
    category: str
    name: str


@dataclass(frozen=True, slots=True)
class FindSeating(Query[Seating]):
    """What a worker offers, and where it waits for consent."""

    worker: str


@dataclass(frozen=True, slots=True)
class LastValues(Query[bytes | None]):
    """The data that a user last submitted with the form of an extension."""

    user: str
    room: str
    category: str
    name: str


@dataclass(frozen=True, slots=True)
class FindRooms(Query[list[Room]]):
    """Rooms that admit a user, by name; without a user, all rooms. Members are not loaded."""

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
class FindAudit(Query[Page[AuditEntry]]):
    """Entries of the audit log, newest first."""

    before: int | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class FindPeople(Query[list[Account]]):
    """The existing accounts among these names."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindLookalike(Query[Account | None]):
    """The account whose id or display name has one of these UTS 39 skeletons."""

    skeletons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevokedTokens:
    """Revoked tokens: by id, by an account's newer epoch, or because the account is disabled."""

    token_ids: frozenset[str]
    epochs: dict[str, int]
    disabled: frozenset[str]


@dataclass(frozen=True, slots=True)
class FindRevokedTokens(Query[RevokedTokens]):
    pass


@dataclass(frozen=True, slots=True)
class Running:
    """The submitter and the room of a running attempt."""

    user: str
    room: str


@dataclass(frozen=True, slots=True)
class FindRunning(Query[Running | None]):
    """The running attempt that a job's token names."""

    fence: Fence


@dataclass(frozen=True, slots=True)
class FindArtifacts(Query[list[Artifact]]):
    """The artifacts of a job, by name."""

    job_id: str


@dataclass(frozen=True, slots=True)
class FindArtifact(Query[Artifact | None]):
    job_id: str
    name: str


@dataclass(frozen=True, slots=True)
class FindPreview(Query[Preview | None]):
    """The latest preview of a job."""

    job_id: str


@dataclass(frozen=True, slots=True)
class FindFiles(Query[Page[RoomFile]]):
    """The files of a room, newest first; `before` is the previous page's cursor."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FindFile(Query[RoomFile | None]):
    room: str
    id: str


@dataclass(frozen=True, slots=True)
class FindOrphanedBlobs(Query[list[str]]):
    """Blobs without a reference: interrupted uploads, replaced and deleted files."""

    after: str = ""
    limit: int = 500


@dataclass(frozen=True, slots=True)
class FindPresets(Query[list[Preset]]):
    """The room's presets of an extension, and those that a user keeps, by name and without their data."""

    room: str
    user: str
    category: str
    extension: str


@dataclass(frozen=True, slots=True)
class FindPreset(Query[Preset | None]):
    key: PresetKey


@dataclass(frozen=True, slots=True)
class CountUsage(Query[tuple[int, ...]]):
    """The value of each counter, in order. Codes that expired by `now_us` do not count."""

    counters: tuple[Counter, ...]
    now_us: int


@dataclass(frozen=True, slots=True)
class FindOwners(Query[tuple[str | None, ...]]):
    """The owner of each extension, in order, including extensions that have left; None if there is none."""

    keys: tuple[ExtensionKey, ...]


@dataclass(frozen=True, slots=True)
class FindSubmitted(Query[tuple[str, str] | None]):
    """The body hash and the job of a submit with this idempotency key since a time."""

    user: str
    route: str
    key: str
    since_us: int


@dataclass(frozen=True, slots=True)
class FindLocks(Query[list[Lock]]):
    """The locks of a room that are held at `now_us`, by target."""

    room: str
    now_us: int


@dataclass(frozen=True, slots=True)
class FindExpiredLocks(Query[list[tuple[str, str]]]):
    """The rooms and targets of locks that expired by `now_us`."""

    now_us: int
    limit: int = 500


@dataclass(frozen=True, slots=True)
class FindDocument(Query[Document | None]):
    room: str
    key: str


@dataclass(frozen=True, slots=True)
class FindDocuments(Query[list[DocumentInfo]]):
    """The documents of a room, by key, without the index of its frames."""

    room: str


@dataclass(frozen=True, slots=True)
class FindVersions(Query[Page[Version]]):
    """The versions of a room, newest first; `before` is the previous page's cursor."""

    room: str
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FindContents(Query[list[bytes | None]]):
    """Contents by key and the number of the change that made them, in order."""

    room: str
    names: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class FindRecord(Query[Record | None]):
    room: str
    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class FindRecords(Query[Page[Record]]):
    """The records of a kind that have all of these fields, the latest created first."""

    room: str
    kind: str
    where: tuple[tuple[str, str], ...] = ()
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class FindSegments(Query[list[bytes | None]]):
    """Segments of frames, in order; None for those that are not stored."""

    room: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindPieces(Query[list[Piece | None]]):
    """Pieces of frames, in order, without their own `arrays`; None for those that are not stored."""

    room: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindArrays(Query[list[tuple[str, int] | None]]):
    """The piece and the offset of each array, in order; None for those that are not stored."""

    room: str
    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindFrameIndexes(Query[list[bytes]]):
    """Every index of a room's frames that is kept: the current one, and those of versions."""

    room: str


@dataclass(frozen=True, slots=True)
class FindFrameNames(Query[list[FrameName]]):
    """The names of segments and pieces after a name, in order. A segment's id is never that of a piece."""

    room: str
    after: str = ""
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class FindJobEdits(Query[list[JobEdits]]):
    """Attempts that changed a room or hold a lock there, and do not run any more."""

    limit: int = 100
