"""The model's jobs, attempts, extensions and workers, and the expected contents of a step."""

from __future__ import annotations

from dataclasses import dataclass, field

from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Assignment, NewJob, Step
from workroom.domain.worker import Hold, Phase
from workroom.errors import WorkroomError
from workroom.testing.machine.decisions import ModelBreaker, group_end, is_group_over

Answer = type[WorkroomError] | None
Named = tuple[str, int]  # an attempt, by job and number


@dataclass(slots=True)
class ModelQuestion:
    key: str
    expires_us: int | None
    answer: str | None = None
    answered_by: str | None = None


@dataclass(slots=True)
class ModelJob:
    new: NewJob
    sequence: int
    rank: int
    tag: float
    aged_us: int
    submitted_us: int
    history: list[JobState] = field(default_factory=lambda: [JobState.PENDING])
    attempt: int = 0
    starts: int = 0
    losses: int = 0
    has_failed: bool = False
    fence: Fence | None = None  # of the attempt that it waits for or ended with
    nonce: str | None = None
    due_us: int | None = None
    postponed: bool = False
    blockers: set[str] = field(default_factory=set)
    is_skipped: bool = False
    assigned_us: int | None = None
    progress: bytes | None = None
    questions: list[ModelQuestion] = field(default_factory=list)

    @property
    def status(self) -> JobState:
        return self.history[-1]

    @property
    def order(self) -> tuple[int, float, int]:
        return self.rank, self.tag, self.sequence


@dataclass(slots=True)
class ModelGroup:
    is_open: bool = True
    is_cancelled: bool = False
    is_changing: bool = False
    jobs: list[ModelJob] = field(default_factory=list)

    @property
    def end(self) -> str | None:
        """How it has ended as a whole; None if it has not."""
        states = [job.status for job in self.jobs]
        ended = sum(state.is_terminal for state in states)
        if not is_group_over(len(states), ended, self.is_open):
            return None
        return group_end(states.count(JobState.FAILED), states.count(JobState.CANCELLED), 0)


@dataclass(slots=True, eq=False)
class ModelAttempt:
    """An attempt that occupies its worker."""

    assignment: Assignment
    claimed_at: float
    started: bool = False
    started_at: float = 0.0
    waits: str | None = None

    @property
    def name(self) -> Named:
        return self.assignment.fence.job_id, self.assignment.fence.attempt


@dataclass(slots=True)
class ModelExtension:
    id: int
    spec: ExtensionSpec
    active: bool = True
    paused: bool = False
    breaker: ModelBreaker = field(default_factory=ModelBreaker)
    leaves_us: int | None = None


@dataclass(slots=True)
class ModelWorker:
    """A worker as the store should have it, followed by the state of its process."""

    id: str
    slots: int = 1
    offers: frozenset[int] = frozenset()
    session: int = 0
    online: bool = False
    draining: bool = False
    boot: str | None = None
    lease_until: float | None = None
    own_lease: float | None = None

    boots: int = 0
    connected: bool = False
    holds: dict[Fence, Phase] = field(default_factory=dict)
    seen: int = 0

    @property
    def reported_holds(self) -> list[Hold]:
        return [Hold(fence, phase) for fence, phase in self.holds.items()]


@dataclass(slots=True)
class Change:
    """The expected contents of one step."""

    answers: list[Answer] = field(default_factory=list)
    moves: list[tuple[str, int, JobState, int]] = field(default_factory=list)
    released: set[tuple[str, str, int]] = field(default_factory=set)
    departed: set[ExtensionKey] = field(default_factory=set)
    removed: set[ExtensionKey] = field(default_factory=set)
    offline: set[str] = field(default_factory=set)

    def check(self, step: Step) -> None:
        moves = [(each.job_id, each.version, each.status, each.attempt) for each in step.transitions]
        released = [(each.worker, each.job_id, each.attempt) for each in step.released]
        assert sorted(moves) == sorted(self.moves), (moves, self.moves)
        assert sorted(released) == sorted(self.released), (released, self.released)
        assert [answer and type(answer) for answer in step.answers] == self.answers, step.answers
        assert set(step.departed) == self.departed, (step.departed, self.departed)
        assert set(step.removed) == self.removed, (step.removed, self.removed)
        assert sorted(step.offline) == sorted(self.offline), (step.offline, self.offline)
