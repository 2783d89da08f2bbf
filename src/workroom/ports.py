"""Every seam of the house: what the inside needs from the outside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workroom.domain.archive import Ended
from workroom.domain.chat import ChatMessage
from workroom.domain.events import Event
from workroom.domain.extension import ExtensionSpec
from workroom.domain.files import Artifact, Blob, NewFile, Preview, RoomFile, Saving, Showing
from workroom.domain.identity import Account, Code, CodeKind, Role
from workroom.domain.news import News
from workroom.domain.queries import Query
from workroom.domain.room import Room
from workroom.domain.steps import (
    Assignment,
    Claimed,
    LogBatch,
    Logged,
    NewJob,
    Opened,
    Progress,
    Reconciled,
    Registered,
    Report,
    Seat,
    Start,
    Step,
)
from workroom.domain.worker import Hold, Session, WorkerSpec

T = TypeVar("T")


class Clock(Protocol):
    def now_us(self) -> int:
        """Wall time in microseconds, for records."""

    def monotonic(self) -> float:
        """Seconds that never jump, for leases."""


@dataclass(frozen=True, slots=True)
class Receipt(Generic[T]):
    """An answer that can be had before the disk has it, perhaps at once, and again after."""

    applied: asyncio.Future[T]
    durable: asyncio.Future[T]


class Directory(Protocol):
    """Who there is, and which rooms. Every verb answers once it is durable."""

    def add_account(self, account: Account) -> Awaitable[bool]:
        """False if the name is taken."""

    def change_account(
        self,
        name: str,
        *,
        role: Role | None = None,
        password_hash: str | None = None,
        disabled: bool | None = None,
    ) -> Awaitable[Account | None]:
        """Change what is given, and begin a new epoch: older tokens count no more, nor do codes they made."""

    def revoke(self, token_id: str, expires_us: int) -> Awaitable[bool]:
        """Let a token count no more; false if it did not before. Forgotten once it would have expired."""

    def put_code(self, code: Code) -> Awaitable[None]: ...

    def take_code(self, kind: CodeKind, digest: str) -> Awaitable[Code | None]:
        """Use a code up. None if there is none, or no more."""

    def drop_codes(self, kind: CodeKind, room: str | None) -> Awaitable[None]: ...

    def create_room(self, room: Room) -> Awaitable[bool]:
        """False if the name is taken, by a room that was deleted too."""

    def change_room(
        self, name: str, *, title: str | None = None, private: bool | None = None
    ) -> Awaitable[None]: ...

    def delete_room(self, name: str) -> Awaitable[None]:
        """Hide a room and what is offered in it. Its jobs stay on record, so its name stays taken."""

    def add_member(self, room: str, user: str) -> Awaitable[None]: ...

    def remove_member(self, room: str, user: str) -> Awaitable[None]: ...


class Shelf(Protocol):
    """What is kept in files. The bytes are in blobs elsewhere; this says which of them count, and as what.

    Every verb answers once it is durable. A blob is reserved before its first byte is written: until
    something refers to it, and once nothing does any more, it is waste.
    """

    def reserve(self, blob: str) -> Awaitable[None]: ...

    def attach(self, saving: Saving) -> Awaitable[Artifact]:
        """Make a file visible as an artifact of a running attempt; one of the same name makes way.

        Raises JobNotFound or StaleAttempt, and changes nothing then.
        """

    def show(self, showing: Showing) -> Awaitable[Preview]:
        """Make a file the preview of a running attempt; the one before makes way. Raises like `attach`."""

    def add_file(self, file: NewFile) -> Awaitable[RoomFile]:
        """Make a file visible in a room. Raises RoomNotFound if the room was deleted."""

    def delete_file(self, room: str, file_id: str) -> Awaitable[bool]:
        """False if it was not there."""

    def discard(self, blobs: Sequence[str]) -> Awaitable[None]:
        """These blobs are waste no more: they were deleted."""


class Store(Directory, Shelf, Protocol):
    """The truth, behind atomic verbs that take batches.

    A verb takes its place in the order of things when it is called, not when it is awaited. `renew`,
    `disconnect` and `append` answer once applied, `claim` answers twice, every other verb once it is durable.
    """

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        """Make jobs pending. Answers one error or None for each."""

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        """Hand the best pending jobs to the seats, in their order."""

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        """The commit point: only an accepted attempt may run code."""

    def settle(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        """Bring attempts to their end."""

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        """Make jobs cancelled and fence their attempts."""

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        """Keep the latest progress of running attempts."""

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        """Keep what running attempts print, as far as the limits go."""

    def remember(self, user: str, room: str, category: str, name: str, data: bytes) -> Awaitable[None]:
        """Keep the values of a form without queueing a job."""

    def say(self, room: str, user: str, text: str) -> Awaitable[ChatMessage]:
        """Add a line to the chat of a room, which is made if it is not there."""

    def pause(self, extension_id: int, *, paused: bool) -> Awaitable[Step]:
        """Hand out no more jobs of an extension, or go on."""

    def drain(self, worker: str, *, draining: bool) -> Awaitable[None]:
        """Hand out no more jobs to a worker, or go on."""

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        """Make these the extensions of the server; others of the server's that are not listed leave."""

    def register(self, worker: WorkerSpec, specs: Sequence[ExtensionSpec]) -> Awaitable[Registered]:
        """Make a worker and its list of extensions known."""

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        """A worker has connected: its newest session speaks for it."""

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        """A heartbeat: extend the lease and compare holds. What is given back is told, so it is durable."""

    def disconnect(self, session: Session) -> Awaitable[None]:
        """The socket of a session is gone: its lease shrinks to the grace."""

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        """A worker leaves for good."""

    def sweep(self) -> Awaitable[Step]:
        """Let go of what has run out: leases and start deadlines."""

    def read(self, query: Query[T]) -> Awaitable[T]:
        """Answer a question from what is durable."""

    async def aclose(self) -> None:
        """Finish what is waiting and close."""


class Archive(Protocol):
    """Where jobs go that are over, so that a store that lives in memory does not grow for ever.

    What is kept twice is kept once. Raises StoreUnavailable, and changes nothing then.
    """

    name: str
    """Made when the archive was, so that no store takes another archive for its own."""

    def bind(self, epoch: str) -> Awaitable[str]:
        """Belong to the store of this epoch, if to none before. Answers to which."""

    def keep(self, jobs: Sequence[Ended]) -> Awaitable[None]:
        """Durable once it answers."""

    def read(self, query: Query[T]) -> Awaitable[T]:
        """Answer a question that a store is asked about jobs, from what is kept here.

        Whether a job was replayed is not known here.
        """

    def forget(self, job_ids: Sequence[str]) -> Awaitable[None]: ...

    async def aclose(self) -> None: ...


class Blobs(Protocol):
    """Bytes of any size, each under an id of its own."""

    async def write(self, blob_id: str, chunks: AsyncIterator[bytes]) -> Blob:
        """Durable once it returns; if it raises, nothing is left."""

    async def read(self, blob: Blob, start: int, length: int) -> AsyncIterator[bytes]:
        """It is open once this returns; its pieces come when they are asked for."""

    async def delete(self, blob_ids: Sequence[str]) -> None: ...

    async def aclose(self) -> None: ...


class EventBus(Protocol):
    """Carries events to whoever listens, here or behind another server."""

    def publish(self, events: Sequence[Event]) -> None: ...


class Peers(Protocol):
    """The other servers on the same store. What they are told may be lost, which costs time only."""

    def tell(self, news: News) -> None: ...

    def listen(self, hear: Callable[[News], None], missed: Callable[[], None]) -> None:
        """Hear what the others tell. `missed` is called when there may have been more."""

    async def aclose(self) -> None: ...


class Bell(Protocol):
    """Calls workers that come only when they are called. A ring may be lost, and may be in vain."""

    def ring(self, times: int) -> None: ...

    def close(self) -> None: ...


class Courier(Protocol):
    """Brings assignments to a connected worker."""

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None: ...

    def silent(self) -> list[str]:
        """Workers that did not ack a push in time, each told once."""
