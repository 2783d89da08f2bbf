"""A worker, the session that speaks for it, and what it says it holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Fence


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
    """One connection of a worker to the server. The highest number speaks for the worker."""

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


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker as the store knows it."""

    spec: WorkerSpec
    online: bool
    draining: bool
    session: int
    registered_at_us: int
    since_us: int
    assigned: int
    running: int
    extensions: tuple[ExtensionKey, ...]

    @property
    def state(self) -> WorkerState:
        return worker_state(online=self.online, running=self.running, assigned=self.assigned)


class Phase(StrEnum):
    """How far a worker has come with an attempt that it holds."""

    QUEUED = "queued"
    BEGUN = "begun"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Hold:
    fence: Fence
    phase: Phase


@dataclass(frozen=True, slots=True)
class Liveness:
    """How long a worker may be silent, in seconds."""

    heartbeat: float = 5.0
    lease: float = 30.0
    grace: float = 10.0
    ack: float = 5.0
    start: float = 15.0
