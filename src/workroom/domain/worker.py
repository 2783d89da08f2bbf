"""A worker, its session, and the attempts that it reports to hold."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.extension import ExtensionKey
from workroom.domain.identity import SERVER
from workroom.domain.job import Fence
from workroom.errors import WorkerDismissed

GONE_WORKERS = 1000  # workers of one user that stay on record after they left


class WorkerState(StrEnum):
    IDLE = "idle"
    ASSIGNED = "assigned"
    RUNNING = "running"
    OFFLINE = "offline"


def worker_state(*, online: bool, running: int, assigned: int) -> WorkerState:
    if not online:
        return WorkerState.OFFLINE
    if running:
        return WorkerState.RUNNING
    return WorkerState.ASSIGNED if assigned else WorkerState.IDLE


@dataclass(frozen=True, slots=True)
class Session:
    """One connection of a worker to the server. The session with the highest number is the current one."""

    worker: str
    number: int


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """A worker as it registers."""

    id: str
    user: str
    name: str
    runner: str
    slots: int
    machine: bytes


DISMISSED_US = 86_400_000_000  # how long a dismissal counts
MAX_DISMISSED = 10_000  # how many dismissals are kept


def worker_dismissed(by: str, reason: str) -> WorkerDismissed:
    """The error for a dismissed worker. `reason` is a sentence without a full stop."""
    name = "the server" if by == SERVER else by
    return WorkerDismissed(f"{name} dismissed this worker: {reason}", by=name, reason=reason)


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """An extension that a worker will offer once the request is accepted.

    `owner` offers the extension already and may accept, as may the room's owner and admins.
    """

    key: ExtensionKey
    owner: str | None


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as the store has it."""

    spec: WorkerSpec
    online: bool
    draining: bool
    session: int
    registered_at_us: int
    since_us: int
    assigned: int
    running: int
    extensions: tuple[ExtensionKey, ...]
    awaiting: tuple[ConsentRequest, ...] = ()

    @property
    def keys(self) -> tuple[ExtensionKey, ...]:
        """The extensions that it offers or has requested to offer."""
        return (*self.extensions, *(request.key for request in self.awaiting))

    @property
    def state(self) -> WorkerState:
        return worker_state(online=self.online, running=self.running, assigned=self.assigned)


class Phase(StrEnum):
    """The progress of an attempt that a worker holds."""

    QUEUED = "queued"
    BEGUN = "begun"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Hold:
    """An attempt of a worker. A suspended one waits for an answer or a child, and occupies no slot."""

    fence: Fence
    phase: Phase
    suspended: bool = False


@dataclass(frozen=True, slots=True)
class Liveness:
    """How long a worker may be silent, in seconds."""

    heartbeat: float = 5.0
    lease: float = 30.0
    grace: float = 10.0
    ack: float = 5.0
    start: float = 15.0
    offline: float = 3600.0  # then the record of a worker that has left is deleted
    linger: float = 86_400.0  # for which an extension stays known after its last worker left
