"""The interfaces between the layers: stores, event bus, notifier, clock and others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workroom.domain.audit import AuditAction, AuditEntry
from workroom.domain.events import Event
from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.files import Artifact, Blob, BlobRange, NewFile, Preview, RoomFile, Saving, Showing
from workroom.domain.identity import Account, Code, CodeKind, MemberRole, Role
from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.domain.jobs.exchanges import ExchangeLimits
from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.preset import Preset, PresetKey
from workroom.domain.queries import Query
from workroom.domain.room import ChatMessage, Room, WorkersFrom
from workroom.domain.room_data.documents import Edit, Written
from workroom.domain.room_data.frames import FramesEdit, NewPiece, Piece
from workroom.domain.room_data.locks import Acquired, Lock, LockRequest, Writer
from workroom.domain.room_data.records import NewRecord, Put
from workroom.domain.room_data.versions import EditsEnd, EndedEdits, Revert, Version
from workroom.domain.steps import (
    Accepted,
    Answered,
    Assignment,
    Claimed,
    Dismissed,
    Exchanged,
    Filled,
    LogBatch,
    Logged,
    NewAnswer,
    NewExchange,
    NewJob,
    Opened,
    Progress,
    Reconciled,
    Registered,
    Report,
    Seat,
    Start,
    Step,
    Suspension,
    Unbegun,
)
from workroom.domain.storage.activity import StoreActivity
from workroom.domain.storage.archive import Ended
from workroom.domain.storage.peer_message import PeerMessage
from workroom.domain.worker import Hold, Session, WorkerSpec

T = TypeVar("T")


class Clock(Protocol):
    def now_us(self) -> int:
        """Return wall time in microseconds, for records."""

    def monotonic(self) -> float:
        """Return monotonic time in seconds, for leases."""


@dataclass(frozen=True, slots=True)
class Receipt(Generic[T]):
    """The result of a verb, once when it is applied and once when it is durable."""

    applied: asyncio.Future[T]
    durable: asyncio.Future[T]


class ReadableStore(Protocol):
    def read(self, query: Query[T]) -> Awaitable[T]:
        """Run a query on durable data."""


class Directory(ReadableStore, Protocol):
    """Accounts, tokens, codes and rooms. Every verb returns once it is durable."""

    def add_account(self, account: Account, skeletons: Sequence[str] = ()) -> Awaitable[bool]:
        """Return False if the name is taken, or if another account has one of the skeletons."""

    def rename_account(self, name: str, display_name: str, skeletons: Sequence[str]) -> Awaitable[bool]:
        """Change the display name of an account, and replace its skeletons.

        Return False and change nothing if the account does not exist or another one has one of the skeletons.
        """

    def change_account(
        self,
        name: str,
        *,
        role: Role | None = None,
        password_hash: str | None = None,
        disabled: bool | None = None,
    ) -> Awaitable[Account | None]:
        """Change the given fields and begin a new epoch, which revokes older tokens and their codes."""

    def revoke(self, token_id: str, expires_us: int) -> Awaitable[bool]:
        """Revoke a ticket or the tokens of a login session until they expire.

        Return False if they were revoked before.
        """

    def write_audit(self, actor: str, action: AuditAction, target: str, detail: str) -> Awaitable[AuditEntry]:
        """Append to the audit log, which is kept for ever."""

    def put_code(self, code: Code) -> Awaitable[None]: ...

    def take_code(self, kind: CodeKind, digest: str, user: str = "") -> Awaitable[Code | None]:
        """Use a code once. Return None if it is unknown, used up, or older than the removal of this user.

        A user who has the role of an invite already uses nothing up.
        """

    def drop_codes(self, kind: CodeKind, room: str | None) -> Awaitable[None]: ...

    def create_room(self, room: Room) -> Awaitable[bool]:
        """Return False if the name is taken, also by a deleted room."""

    def change_room(
        self,
        name: str,
        *,
        title: str | None = None,
        private: bool | None = None,
        workers: WorkersFrom | None = None,
    ) -> Awaitable[None]: ...

    def delete_room(self, name: str) -> Awaitable[None]:
        """Hide a room and its extensions; delete its files and presets. Its jobs keep its name taken."""

    def add_member(self, room: str, user: str, role: MemberRole = MemberRole.MEMBER) -> Awaitable[None]:
        """Add a member, or change the role of one."""
        ...

    def remove_member(self, room: str, user: str, *, banned: bool = False) -> Awaitable[None]:
        """Remove a member. A banned one cannot return with an invite made before the removal."""


class FileIndex(ReadableStore, Protocol):
    """The files of jobs and rooms. Their bytes are in blobs; the index maps files to blobs.

    Every verb returns once it is durable. A blob is reserved before its first byte is written, and is
    orphaned until a file refers to it and again once none does.
    """

    def reserve(self, blob: str) -> Awaitable[None]: ...

    def attach(self, saving: Saving) -> Awaitable[Artifact]:
        """Add an artifact to a running attempt, replacing one of the same name.

        Raise JobNotFound or StaleAttempt and change nothing if the attempt is not running.
        """

    def show(self, showing: Showing) -> Awaitable[Preview]:
        """Replace the preview of a running attempt. Raises like `attach`."""

    def add_file(self, file: NewFile) -> Awaitable[RoomFile]:
        """Add a file to a room.

        Raise RoomNotFound if the room no longer admits the uploader, and StaleAttempt if the uploader is
        a job whose attempt has ended.
        """

    def delete_file(self, room: str, file_id: str) -> Awaitable[bool]:
        """Return False if there is no such file."""

    def discard(self, blobs: Sequence[str]) -> Awaitable[None]:
        """Drop the reservations of deleted blobs."""


class PresetIndex(ReadableStore, Protocol):
    """The presets of rooms and of the people in them. Every verb returns once it is durable."""

    def save_preset(self, preset: Preset, before: str | None) -> Awaitable[Preset | None]:
        """Save a preset in place of the revision `before`; None if there was none.

        Return None and change nothing if another revision is there. Raises RoomNotFound.
        """

    def delete_preset(self, key: PresetKey, revision: str) -> Awaitable[bool]:
        """Return False and change nothing if this revision is not there."""


class RoomData(ReadableStore, Protocol):
    """The documents and frames of rooms, their versions, and locks. Every verb returns once it is durable.

    All raise RoomNotFound, and StaleAttempt for a job whose attempt has ended.
    """

    def acquire_lock(self, request: LockRequest) -> Awaitable[Acquired]:
        """Grant a lock, or keep a place in its queue. Raises QuotaExceeded."""

    def refresh_lock(
        self, room: str, target: str, digest: str, ttl_us: int | None, message: str | None
    ) -> Awaitable[Lock]:
        """Extend a lock, and change its message. Raises LockLost."""

    def release_lock(self, room: str, target: str, digest: str) -> Awaitable[bool]:
        """Release a lock or leave its queue. Return whether it was held."""

    def break_lock(self, room: str, target: str) -> Awaitable[Lock | None]:
        """Take a lock from its holder. Return it as it was."""

    def expire_locks(self, locks: Sequence[tuple[str, str]]) -> Awaitable[list[tuple[str, str]]]:
        """Delete those of these locks that have expired, and return them."""

    def edit_document(self, edit: Edit) -> Awaitable[Written]:
        """Write or delete a document, and keep the version.

        Raises Locked, LockLost, VersionConflict, DocumentNotFound and QuotaExceeded.
        """

    def revert(self, revert: Revert) -> Awaitable[Version]:
        """Undo, redo or restore, as one more version.

        Raises Locked, LockLost, NothingToRevert, VersionNotFound and QuotaExceeded.
        """

    def put_piece(self, new: NewPiece) -> Awaitable[Piece]:
        """Store a piece, and end the reservation of its blob.

        If the piece exists, touch and return it; the new blob stays orphaned. Raises PieceNotFound if a
        piece that it uses is not stored.
        """

    def touch_piece(self, room: str, name: str) -> Awaitable[Piece | None]:
        """Keep a piece, and those that it uses, for another hour. Return None if it is not stored."""

    def edit_frames(self, edit: FramesEdit) -> Awaitable[Written | None]:
        """Write a new index of the frames, and keep the version.

        Return None and change nothing if the index is not that of `edit.base`. Raises Locked, LockLost,
        VersionConflict, PieceNotFound and QuotaExceeded.
        """

    def collect_frames(
        self, room: str, segments: Sequence[str], pieces: Sequence[str], before_us: int
    ) -> Awaitable[list[str]]:
        """Delete those that were not touched since, and orphan the blobs. Return the deleted pieces.

        The caller knows that no index uses them. Nothing happens if the room does not exist.
        """

    def end_job_edits(self, end: EditsEnd) -> Awaitable[EndedEdits | None]:
        """Undo what an attempt changed unless it completed, free its locks, and delete the record.

        Return None and change nothing if there is no record, or the attempt runs.
        """


class RecordIndex(ReadableStore, Protocol):
    """The records of rooms. Every verb returns once it is durable.

    All raise RoomNotFound, and StaleAttempt for a job whose attempt has ended.
    """

    def put_record(self, new: NewRecord) -> Awaitable[Put]:
        """Create or replace a record. One that is the same already stays as it is. Raises QuotaExceeded."""

    def delete_record(self, room: str, kind: str, id: str, writer: Writer) -> Awaitable[bool]:
        """Return False if there is no such record."""


class Store(Directory, FileIndex, PresetIndex, RoomData, RecordIndex, Protocol):
    """The state of the system, changed by atomic verbs that take batches.

    Verbs are ordered by when they are called, not by when they are awaited. `renew`, `disconnect`,
    `suspend` and `append` return once applied, `claim` returns a receipt, and every other verb returns once
    it is durable.
    """

    @property
    def activity(self) -> StoreActivity:
        """What was written since the store was opened."""

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        """Make jobs pending. The step has an error or None for each of them."""

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        """Assign the best pending jobs to the seats, in the order of the seats."""

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        """Start attempts. This is the commit point: a worker runs code only after its start was accepted."""

    def finish(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        """End attempts with a result, an error or a cancellation."""

    def release(self, worker: str, unbegun: Sequence[Unbegun], actor: str, reason: str) -> Awaitable[Step]:
        """Make jobs pending again whose attempts have not begun, at their old positions and uncharged."""

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        """Cancel jobs and fence their attempts."""

    def arrange(self, job_ids: Sequence[str]) -> Awaitable[Step]:
        """Give pending jobs each other's places in the queue, so that they start in this order.

        The step has an error or None for each: only pending jobs have a place.
        """

    def fill(self, values: Sequence[Filled]) -> Awaitable[Step]:
        """Enqueue jobs whose values have the results to which they referred, or skip them."""

    def create_group(self, new: NewGroup) -> Awaitable[None]:
        """Create a group; one that exists stays as it is. Raises RoomNotFound."""

    def change_group(self, group: str, change: GroupChange, actor: str, reason: str) -> Awaitable[Step]:
        """Close, cancel, pause or resume a group. Sweeps carry that out for its jobs.

        Raises GroupNotFound, and GroupClosed for a cancelled one that is paused or resumed.
        """

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        """Store the latest progress of running attempts."""

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        """Store log lines of running attempts, up to the limits."""

    def exchange(
        self, worker: str, items: Sequence[NewExchange], limits: ExchangeLimits
    ) -> Awaitable[Exchanged]:
        """Record external ids, intents and questions of running attempts, up to the limits.

        An external id is accepted from any attempt that the worker was assigned; the first one counts.
        """

    def answer(self, new: NewAnswer) -> Awaitable[Answered]:
        """Answer a question of an unfinished job. The first answer counts.

        Raises JobNotFound, QuestionNotFound and QuestionClosed.
        """

    def suspend(self, worker: str, suspensions: Sequence[Suspension]) -> Awaitable[Step]:
        """Note what running attempts wait for, or that they no longer do."""

    def save_form(
        self, user: str, room: str, category: str, name: str, data: bytes, secrets: bytes | None = None
    ) -> Awaitable[None]:
        """Store the values of a form without submitting a job; `secrets` are the encrypted ones."""

    def post_chat(self, room: str, user: str, text: str, by_job: str | None = None) -> Awaitable[ChatMessage]:
        """Post a chat message; `by_job` is the job that wrote it, if any. Raises RoomNotFound."""

    def annotate(self, annotations: Sequence[Annotating]) -> Awaitable[list[Saved]]:
        """Save what people wrote about jobs: each unless its version, or a newer one, is on record."""

    def pause(self, extension_id: int, *, paused: bool) -> Awaitable[Step]:
        """Stop or resume assigning jobs of an extension."""

    def drain(self, worker: str, *, draining: bool) -> Awaitable[None]:
        """Stop or resume assigning jobs to a worker."""

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        """Replace the server's own extensions by these, and deactivate those that are not listed."""

    def register(
        self, worker: WorkerSpec, specs: Sequence[ExtensionSpec], trusted: Collection[str | None] = ()
    ) -> Awaitable[Registered]:
        """Register a worker and its extensions.

        An extension that another user already offers waits for consent, and so does any extension of a banned
        user, except in `trusted` rooms; None stands for public. Raises WorkerDismissed.
        """

    def accept(self, worker: str, keys: Sequence[ExtensionKey]) -> Awaitable[Accepted]:
        """Accept extensions that wait for consent, and remember the consent for the worker's user.

        Raises WorkerNotFound if none of them waits for consent.
        """

    def refuse(self, worker: str, keys: Sequence[ExtensionKey], by: str, reason: str) -> Awaitable[Dismissed]:
        """Refuse extensions that wait for consent. A worker without any others is dismissed."""

    def dismiss(
        self, worker: str, rooms: Collection[str | None] | None, by: str, reason: str, *, bans: bool
    ) -> Awaitable[Dismissed]:
        """Withdraw the offers and requests of a worker in these rooms, or in all.

        A worker with none left cannot register again under its id. With `bans`, its user needs consent for
        any extension in these rooms for a day, and earlier consents are withdrawn.
        """

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        """Open a session of a worker that connected; older sessions become stale."""

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        """Extend the lease on a heartbeat and reconcile what the worker holds with the record."""

    def disconnect(self, session: Session) -> Awaitable[None]:
        """Shorten the lease of a session that lost its socket to the grace period."""

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        """End the session of a worker that shut down."""

    def sweep(self) -> Awaitable[Step]:
        """Expire leases, start deadlines, timeouts and backoffs."""

    async def probe(self) -> None:
        """Write something small; return once it is durable, or raise what a submit would raise."""

    async def aclose(self) -> None:
        """Finish queued work and close."""


class Archive(Protocol):
    """A database for ended jobs, so that a store in memory does not grow for ever.

    Storing a job twice has no effect. Every method may raise StoreUnavailable, and then changes nothing.
    """

    name: str
    """Unique to the archive, so that a store does not mistake another archive for its own."""

    def bind(self, epoch: str) -> Awaitable[str]:
        """Bind the archive to a store if it is not bound yet. Return the epoch of the store it belongs to."""

    def keep(self, jobs: Sequence[Ended]) -> Awaitable[None]:
        """Store jobs; they are durable once this returns."""

    def read(self, query: Query[T]) -> Awaitable[T]:
        """Run a store query on the archived jobs. The archive does not know which jobs were replayed."""

    def annotate(self, annotations: Sequence[Annotating]) -> Awaitable[list[Saved]]:
        """Save annotations of archived jobs, as a store does."""

    def forget(self, job_ids: Sequence[str]) -> Awaitable[None]: ...

    async def aclose(self) -> None: ...


class Blobs(Protocol):
    """Byte strings of any size, each with an id."""

    async def write(self, blob_id: str, chunks: AsyncIterator[bytes]) -> Blob:
        """Write a blob. It is durable once this returns; if this raises, nothing remains."""

    @property
    def is_remote(self) -> bool:
        """Whether each read takes a request over a network."""

    async def write_whole(self, blob_id: str, content: bytes | memoryview, sha256: str) -> Blob:
        """Write a blob that is in memory and whose digest is known, like `write`."""

    async def read(self, blob: Blob, start: int, length: int) -> AsyncIterator[bytes]:
        """Open a blob and return an iterator over its chunks."""

    async def read_ranges(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        """Read small parts of blobs whole. Raises StoreUnavailable for a part that is not there."""

    async def delete(self, blob_ids: Sequence[str]) -> None: ...

    async def aclose(self) -> None: ...


class EventBus(Protocol):
    """Delivers events to subscribers of this server and of its peers."""

    def publish(self, events: Sequence[Event]) -> None: ...


class Peers(Protocol):
    """The other servers on the same store. A message may be lost, which costs only time."""

    def send(self, message: PeerMessage) -> None: ...

    def subscribe(self, receive: Callable[[PeerMessage], None], missed: Callable[[], None]) -> None:
        """`missed` is called when messages may have been lost."""

    async def aclose(self) -> None: ...


class Notifier(Protocol):
    """Sends wake-up messages to on-call workers. A message may be lost, and may find no job."""

    def notify(self, count: int) -> None: ...

    def close(self) -> None: ...


class WorkerChannel(Protocol):
    """Pushes assignments to connected workers."""

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None: ...

    def silent(self) -> list[str]:
        """Workers that did not ack a push in time, each reported once."""
