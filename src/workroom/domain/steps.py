"""What the store is asked to do and what it answers: the arguments and results of its atomic verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workroom.domain.chat import ChatMessage
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Fence, JobError, JobState, Transition
from workroom.domain.logs import LogLine
from workroom.domain.worker import Session
from workroom.errors import WorkroomError


@dataclass(frozen=True, slots=True)
class Idempotency:
    """What tells a submit that is sent again from a new one."""

    route: str
    key: str
    body_hash: str


@dataclass(slots=True)
class NewJob:
    """With `once`, a job that has been replayed before is not replayed again."""

    id: str
    room: str
    extension_id: int
    schema_hash: str
    user: str
    data: bytes
    priority: int
    lane: str | None = None
    retry_of: str | None = None
    once: bool = False
    idempotency: Idempotency | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """Room for `jobs` more jobs at a worker, of any extension that it offers.

    With `only`, jobs to be fetched ahead: of these extensions, and not behind a job of another.
    """

    session: Session
    jobs: int
    only: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """An extension that a worker serves, and the one room that sees it, if not all."""

    extension_id: int
    room: str | None


@dataclass(slots=True)
class Assignment:
    """An attempt handed to a worker. `number` grows with each one in a session; large data is fetched."""

    fence: Fence
    number: int
    worker: str
    extension_id: int
    extension: ExtensionKey
    room: str
    user: str
    data: bytes | None
    timeout: float | None


@dataclass(slots=True)
class Start:
    """A worker is about to run an attempt; the nonce tells a repeat from a second executor."""

    fence: Fence
    nonce: str


@dataclass(slots=True)
class Report:
    """How an attempt ended."""

    fence: Fence
    status: JobState
    result: bytes | None = None
    error: JobError | None = None


@dataclass(slots=True)
class Progress:
    fence: Fence
    document: bytes


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Lines of an attempt, as its worker numbers them. Those that came before change nothing."""

    fence: Fence
    lines: Sequence[LogLine]


@dataclass(frozen=True, slots=True)
class Logged:
    """For each batch: why it was refused, or None; and which lines are new, as they are on record."""

    answers: Sequence[WorkroomError | None]
    kept: Sequence[Sequence[LogLine]]


@dataclass(slots=True)
class Release:
    """An attempt that no longer takes up its worker."""

    worker: str
    job_id: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Revocation:
    """An attempt that its worker must stop."""

    worker: str
    job_id: str
    attempt: int
    reason: str


@dataclass(slots=True)
class Step:
    """What one atomic step changed. Publishing it and dispatching after it is all that is left to do.

    `requeued` are the extensions for which jobs wait anew, and `arrivals` counts those jobs. `known` has,
    for a submit that was sent again, the job it stands for; `rooms` where the jobs are that progressed.
    """

    answers: list[WorkroomError | None] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    released: list[Release] = field(default_factory=list)
    revoked: list[Revocation] = field(default_factory=list)
    requeued: set[int] = field(default_factory=set)
    arrivals: dict[int, int] = field(default_factory=dict, compare=False)
    removed: list[ExtensionKey] = field(default_factory=list)
    offline: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, str] = field(default_factory=dict)
    said: list[ChatMessage] = field(default_factory=list)

    def arrive(self, extension: int, jobs: int = 1) -> None:
        """Jobs of the extension may be handed out that could not be before."""
        self.requeued.add(extension)
        self.arrivals[extension] = self.arrivals.get(extension, 0) + jobs

    def absorb(self, other: Step) -> None:
        self.answers += other.answers
        self.transitions += other.transitions
        self.released += other.released
        self.revoked += other.revoked
        for extension in other.requeued:
            self.arrive(extension, other.arrivals.get(extension, 0))
        self.removed += other.removed
        self.offline += other.offline
        self.said += other.said


@dataclass(frozen=True, slots=True)
class Claimed:
    assignments: Sequence[Assignment]
    step: Step


@dataclass(frozen=True, slots=True)
class Registered:
    """A worker is known; `created` are the extensions that were not there before."""

    worker: str
    is_new: bool
    extension_ids: tuple[int, ...]
    created: tuple[ExtensionKey, ...]
    step: Step


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a worker must do so that it holds what the store says it holds."""

    keep: Sequence[Fence] = ()
    drop: Sequence[Fence] = ()
    cancel: Sequence[Fence] = ()
    resend: Sequence[Assignment] = ()
    step: Step = field(default_factory=Step)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session speaks for its worker from now on."""

    session: Session
    slots: int
    offers: Sequence[Offer]
    reconciled: Reconciled
    last_number: int
    draining: bool
