"""Why a job waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.rules.breaker import BREAK_US


class WaitCode(StrEnum):
    NO_WORKER = "no_worker"
    WORKERS_BUSY = "workers_busy"
    CONCURRENCY = "concurrency"
    BACKOFF = "backoff"
    CIRCUIT_OPEN = "circuit_open"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a pending job waits for: the key of its lane and one job that holds it, or a time."""

    code: WaitCode
    key: str | None = None
    job: str | None = None
    until_us: int | None = None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts that decide why a pending job waits."""

    paused: bool
    opened_us: int | None
    due_us: int | None
    lane: str | None
    ready: bool
    lane_holder: str | None
    slots: int


def why(circumstances: Circumstances) -> Waiting:
    """The first condition that would have to change."""
    if circumstances.paused:
        return Waiting(WaitCode.PAUSED)
    if circumstances.due_us is not None:
        return Waiting(WaitCode.BACKOFF, until_us=circumstances.due_us)
    if circumstances.opened_us is not None:
        return Waiting(WaitCode.CIRCUIT_OPEN, until_us=circumstances.opened_us + BREAK_US)
    if not circumstances.ready:
        return Waiting(WaitCode.CONCURRENCY, key=circumstances.lane, job=circumstances.lane_holder)
    return Waiting(WaitCode.NO_WORKER if circumstances.slots == 0 else WaitCode.WORKERS_BUSY)
