"""A job, its states, and which state may follow which.

Values that are created for every job are not frozen, here and in `steps`: freezing triples the cost of
creating one. Treat them as immutable.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.jobs.annotation import Annotation
from workroom.domain.jobs.exchanges import Exchanges
from workroom.domain.rules.queue.waiting import Waiting


class JobState(StrEnum):
    PENDING = "pending"
    ASSIGNED = "assigned"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self in TERMINAL


TERMINAL = frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED})

TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    JobState.PENDING: frozenset({JobState.ASSIGNED, JobState.CANCELLED}),
    JobState.ASSIGNED: frozenset({JobState.RUNNING, JobState.PENDING, JobState.FAILED, JobState.CANCELLED}),
    JobState.RUNNING: frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED, JobState.PENDING}),
    JobState.COMPLETED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELLED: frozenset(),
}

STATE_ALIASES = {"processing": JobState.RUNNING, "finished": JobState.COMPLETED}


def may_follow(current: JobState, following: JobState) -> bool:
    return following in TRANSITIONS[current]


def parse_state(word: str) -> JobState:
    """The state that a client named; `processing` and `finished` are accepted as aliases."""
    return STATE_ALIASES.get(word) or JobState(word)


@dataclass(slots=True, unsafe_hash=True)
class Fence:
    """Identifies one attempt at a job. Reports about the attempt must carry the token."""

    job_id: str
    attempt: int
    token: str


@dataclass(slots=True, unsafe_hash=True)
class Transition:
    """One change of a job's state: audit line, history entry and stream event in one."""

    sequence: int
    job_id: str
    room: str
    user: str
    version: int
    status: JobState
    attempt: int
    worker: str | None
    actor: str
    reason: str | None
    at_us: int
    created_at_us: int | None = None
    started_at_us: int | None = None  # of a job that is running or has ended


@dataclass(slots=True)
class Job:
    """A job as the store has it. JSON values stay encoded: they are passed on, never read.

    `parent` is the job that submitted this one. `secrets` are the encrypted values that are masked in `data`.
    """

    sequence: int
    id: str
    room: str
    scope: str
    category: str
    name: str
    data: bytes
    schema_hash: str
    status: JobState
    version: int
    priority: int
    user: str
    runner: str
    worker: str | None
    attempt: int
    created_at_us: int
    assigned_at_us: int | None
    started_at_us: int | None
    completed_at_us: int | None
    progress: bytes | None
    result: bytes | None
    error: bytes | None
    extension_owner: str
    tries: int = 0
    retry_of: str | None = None
    parent: str | None = None
    secrets: bytes | None = None
    waiting: Waiting | None = None
    queue_position: int | None = None
    slots: int = 0
    eta_ms: float | None = None
    extension_id: int = 0
    group: str | None = None
    annotation: Annotation | None = None
    is_joined: bool = False  # a submit that made no job of its own led to it
    exchanges: Exchanges | None = None

    @property
    def wait_time_ms(self) -> float | None:
        return _elapsed_ms(self.created_at_us, self.started_at_us)

    @property
    def execution_time_ms(self) -> float | None:
        return _elapsed_ms(self.started_at_us, self.completed_at_us)


def _elapsed_ms(since_us: int | None, until_us: int | None) -> float | None:
    if since_us is None or until_us is None:
        return None
    return (until_us - since_us) / 1000


@dataclass(frozen=True, slots=True)
class JobError:
    """Why a job failed."""

    type: str
    message: str
    details: dict[str, object]
    stack_trace: str


def replaced_by(job_id: str) -> str:
    """The reason in the history of a job that a later one with the same unique key replaced."""
    return f"replaced by job {job_id}"


def submitted_by(parent: str) -> str:
    """The reason in the history of a job that another job submitted."""
    return f"submitted by job {parent}"
