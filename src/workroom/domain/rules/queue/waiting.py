"""Why a job waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.jobs.exchanges import Exchanges
from workroom.domain.jobs.group_ids import is_group_id
from workroom.domain.rules.breaker import BREAK_US


class WaitCode(StrEnum):
    NO_WORKER = "no_worker"
    WORKERS_BUSY = "workers_busy"
    CONCURRENCY = "concurrency"
    BACKOFF = "backoff"
    CIRCUIT_OPEN = "circuit_open"
    PAUSED = "paused"
    AFTER = "after"
    RUN_AT = "run_at"
    RATE = "rate"
    ANSWER = "answer"
    CHILDREN = "children"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a job waits for: the key of its lane and one job that holds it, a time, or others.

    `count` is the number of jobs and groups that must end first; `job` or `group` is one of them. A group
    that is paused is in `group` too. The key of one that waits for an answer is the id of its question, and
    the job or the group of one that waits for children is the first of them.
    """

    code: WaitCode
    key: str | None = None
    job: str | None = None
    until_us: int | None = None
    group: str | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Postponed:
    """Why a job is not in the queue yet: what must end first, a time, or a paused group."""

    blockers: int = 0
    job: str | None = None
    group: str | None = None
    run_us: int | None = None
    paused_group: str | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """The rate of a job that is not ready: its key, if it has one, and when the job can start."""

    key: str | None
    starts_us: int | None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts that decide why a pending job waits. `pace` is None if its lane is full."""

    paused: bool
    opened_us: int | None
    due_us: int | None
    lane: str | None
    ready: bool
    lane_holder: str | None
    slots: int
    postponed: Postponed | None = None
    pace: Pace | None = None


def why(circumstances: Circumstances) -> Waiting:
    """The first condition that would have to change."""
    if circumstances.postponed is not None:
        return _postponed(circumstances.postponed)
    if circumstances.paused:
        return Waiting(WaitCode.PAUSED)
    if circumstances.due_us is not None:
        return Waiting(WaitCode.BACKOFF, until_us=circumstances.due_us)
    if circumstances.opened_us is not None:
        return Waiting(WaitCode.CIRCUIT_OPEN, until_us=circumstances.opened_us + BREAK_US)
    if not circumstances.ready:
        return _in_lane(circumstances)
    return Waiting(WaitCode.NO_WORKER if circumstances.slots == 0 else WaitCode.WORKERS_BUSY)


def _in_lane(circumstances: Circumstances) -> Waiting:
    pace = circumstances.pace
    if pace is not None:
        return Waiting(WaitCode.RATE, key=pace.key, until_us=pace.starts_us)
    return Waiting(WaitCode.CONCURRENCY, key=circumstances.lane, job=circumstances.lane_holder)


def _postponed(postponed: Postponed) -> Waiting:
    if postponed.blockers == 0 and postponed.paused_group is not None:
        return Waiting(WaitCode.PAUSED, group=postponed.paused_group)
    if postponed.blockers == 0 and postponed.run_us is not None:
        return Waiting(WaitCode.RUN_AT, until_us=postponed.run_us)
    return Waiting(WaitCode.AFTER, job=postponed.job, group=postponed.group, count=postponed.blockers)


def encode_waits(code: WaitCode, of: str) -> str:
    """What a running attempt waits for: the id of a question, of a child, or of a group."""
    return f"{code}:{of}"


def is_for_children(waits: str) -> bool:
    return waits.startswith(f"{WaitCode.CHILDREN}:")


def while_running(waits: str | None, exchanges: Exchanges | None) -> Waiting | None:
    """What a running job waits for, if it does."""
    if waits is None:
        return None
    code, _, of = waits.partition(":")
    if code == WaitCode.CHILDREN:
        is_group = is_group_id(of)
        return Waiting(WaitCode.CHILDREN, job=None if is_group else of, group=of if is_group else None)
    found = [each for each in exchanges.questions if str(each.id) == of] if exchanges else []
    return Waiting(WaitCode.ANSWER, key=of, until_us=found[0].expires_us if found else None)
