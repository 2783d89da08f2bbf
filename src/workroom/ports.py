"""Every seam of the house: what the inside needs from the outside."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from workroom.domain.events import Event
from workroom.domain.extension import ExtensionSpec
from workroom.domain.queries import Query
from workroom.domain.steps import (
    Assignment,
    Claimed,
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
    """An answer that can be had before the disk has it and again after."""

    applied: Awaitable[T]
    durable: Awaitable[T]


class Store(Protocol):
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

    def remember(self, user: str, room: str, category: str, name: str, data: bytes) -> Awaitable[None]:
        """Keep the values of a form without queueing a job."""

    def pause(self, extension_id: int, *, paused: bool) -> Awaitable[Step]:
        """Hand out no more jobs of an extension, or go on."""

    def drain(self, worker: str, *, draining: bool) -> Awaitable[None]:
        """Hand out no more jobs to a worker, or go on."""

    def create_room(self, name: str, owner: str) -> Awaitable[None]:
        """Make a room known; one that is there stays as it is."""

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        """Make these the extensions of the server; others of the server's that are not listed leave."""

    def register(self, worker: WorkerSpec, specs: Sequence[ExtensionSpec]) -> Awaitable[Registered]:
        """Make a worker and its list of extensions known."""

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        """A worker has connected: its newest session speaks for it."""

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        """A heartbeat: extend the lease and compare holds."""

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


class EventBus(Protocol):
    """Carries events to whoever listens, here or behind another server."""

    def publish(self, events: Sequence[Event]) -> None: ...


class Courier(Protocol):
    """Brings assignments to a connected worker."""

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None: ...

    def silent(self) -> list[str]:
        """Workers that did not ack a push in time, each told once."""
