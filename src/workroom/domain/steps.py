"""The arguments and results of the store's atomic verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workroom.domain.extension import ExtensionKey
from workroom.domain.job import Fence, JobError, JobState, Transition
from workroom.domain.jobs.exchanges import Question
from workroom.domain.jobs.group import ChangedGroup
from workroom.domain.jobs.logs import LogLine
from workroom.domain.room import ChatMessage
from workroom.domain.worker import ConsentRequest, Session
from workroom.errors import WorkroomError

INLINE_DATA_BYTES = 64 * 1024  # larger data is not sent with an assignment: the worker fetches it


@dataclass(frozen=True, slots=True)
class Idempotency:
    """Identifies a repeated submit."""

    route: str
    key: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class Postponement:
    """What a new job waits for before it is enqueued: a time, and jobs and groups in its room.

    With `on_end`, any end of these counts, not only completion. One of them may have ended so that the job is
    skipped: `skip` is the reason.
    """

    run_us: int | None = None
    after: tuple[str, ...] = ()
    on_end: bool = False
    skip: str | None = None
    has_refs: bool = False  # results are filled in before it is enqueued


@dataclass(frozen=True, slots=True)
class Filled:
    """The values of a job with the results to which they referred, or why there are none."""

    job_id: str
    room: str
    data: bytes = b""
    lane: str | None = None
    refusal: str | None = None


@dataclass(slots=True)
class NewJob:
    """A job to submit. With `once`, a job that was replayed before is not replayed again.

    A job with a `parent` was submitted by that job, so its data is not remembered as form values.
    `secrets` are the encrypted values that are masked in `data`. Jobs with the same key `unique` are
    duplicates, which the policy of the extension joins, refuses or replaces. `trace` is the W3C traceparent
    of the submit.
    """

    id: str
    room: str
    extension_id: int
    schema_hash: str
    user: str
    data: bytes
    priority: int
    lane: str | None = None
    retry_of: str | None = None
    parent: str | None = None
    secrets: bytes | None = None
    once: bool = False
    idempotency: Idempotency | None = None
    postponed: Postponement | None = None
    group: str | None = None
    unique: str | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """Room for `jobs` more jobs at a worker, of any extension that it offers.

    With `only`, jobs are prefetched: of these extensions alone, and never behind a job of another one. With
    `parents`, only children of these jobs are wanted: those of the first one before those of the others, and
    the newest first.
    """

    session: Session
    jobs: int
    only: frozenset[int] | None = None
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """An extension that a worker serves, and its room unless it is public."""

    extension_id: int
    room: str | None


@dataclass(slots=True)
class Assignment:
    """An attempt assigned to a worker. `number` grows with each assignment; large data is fetched."""

    fence: Fence
    number: int
    worker: str
    extension_id: int
    extension: ExtensionKey
    room: str
    user: str
    data: bytes | None
    timeout: float | None
    secrets: bytes | None = None
    trace: str | None = None
    expected_ms: float | None = None  # set by the dispatcher if the worker may start it ahead


@dataclass(slots=True)
class Start:
    """A worker is about to run an attempt. The nonce distinguishes a repeat from a second executor."""

    fence: Fence
    nonce: str


@dataclass(frozen=True, slots=True)
class Unbegun:
    """An attempt to give back: no code of it has run. Without a nonce, the server recalls it."""

    fence: Fence
    nonce: str | None = None


@dataclass(slots=True)
class Report:
    """How an attempt ended."""

    fence: Fence
    status: JobState
    result: bytes | None = None
    error: JobError | None = None
    trace: str | None = None  # of its run


@dataclass(slots=True)
class Progress:
    fence: Fence
    document: bytes


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Lines of an attempt, numbered by its worker. Lines that were received before change nothing."""

    fence: Fence
    lines: Sequence[LogLine]


@dataclass(frozen=True, slots=True)
class Logged:
    """For each batch: the error or None, and the new lines as they were recorded."""

    answers: Sequence[WorkroomError | None]
    kept: Sequence[Sequence[LogLine]]


@dataclass(frozen=True, slots=True)
class ReportLimits:
    """Limits of one message from a worker. Sizes are in bytes."""

    items: int = 256
    holds: int = 10_000
    result: int = 1_000_000
    details: int = 64_000  # of an error
    message: int = 4_000_000


@dataclass(frozen=True, slots=True)
class NewExternal:
    """A provider has accepted a request of the attempt under this id."""

    fence: Fence
    provider: str
    id: str


@dataclass(frozen=True, slots=True)
class NewIntent:
    """The attempt is about to send a request to a provider."""

    fence: Fence
    provider: str
    digest: str


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """The attempt has a question; `schema` is JSON. One with a known key is the same question."""

    fence: Fence
    key: str
    text: str
    schema: str
    timeout_us: int | None = None


NewExchange = NewExternal | NewIntent | NewQuestion


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is on record, and whose it is; `is_new` if it was not known before."""

    job_id: str
    room: str
    user: str
    question: Question
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class Exchanged:
    """For each item: the error or None, and its question as it is on record. `asked` are the new ones."""

    answers: Sequence[WorkroomError | None]
    questions: Sequence[Question | None]
    asked: Sequence[Asked]


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """A person answers a question; `answer` is JSON."""

    job_id: str
    question: int
    answer: str
    user: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that has an answer now, and the worker that waits for it, if one does.

    `is_repeat` if it had this answer before.
    """

    asked: Asked
    worker: str | None
    is_repeat: bool


@dataclass(frozen=True, slots=True)
class Suspension:
    """A running attempt waits for an answer or a child; without `waits`, it no longer does."""

    fence: Fence
    waits: str | None


@dataclass(slots=True)
class Release:
    """An attempt that no longer occupies its worker."""

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
    """What one atomic verb changed, for the effects that follow it.

    `answers` has an error or None for each item of the batch. `requeued` are extensions with newly waiting
    jobs, and `arrivals` counts those jobs. The last worker of `departed` extensions left, and `removed` ones
    are no longer known. `known` maps repeated submits to their jobs; `rooms` maps jobs that progressed to
    their rooms. Jobs `to_fill` can start once results are filled into their values. `wake_s` is the time
    until the next timeout or backoff ends.
    """

    answers: list[WorkroomError | None] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    released: list[Release] = field(default_factory=list)
    revoked: list[Revocation] = field(default_factory=list)
    requeued: set[int] = field(default_factory=set)
    arrivals: dict[int, int] = field(default_factory=dict, compare=False)
    departed: list[ExtensionKey] = field(default_factory=list)
    removed: list[ExtensionKey] = field(default_factory=list)
    offline: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, str] = field(default_factory=dict)
    chat: list[ChatMessage] = field(default_factory=list)
    groups: list[ChangedGroup] = field(default_factory=list)
    to_fill: list[str] = field(default_factory=list)
    wake_s: float | None = field(default=None, compare=False)

    def wake_in(self, seconds: float | None) -> None:
        """A deadline ends in this many seconds; the soonest counts."""
        if seconds is not None and (self.wake_s is None or seconds < self.wake_s):
            self.wake_s = seconds

    def arrive(self, extension: int, jobs: int = 1) -> None:
        """Jobs of the extension became ready to hand out."""
        self.requeued.add(extension)
        self.arrivals[extension] = self.arrivals.get(extension, 0) + jobs

    def absorb(self, other: Step) -> None:
        self.answers += other.answers
        self.transitions += other.transitions
        self.released += other.released
        self.revoked += other.revoked
        for extension in other.requeued:
            self.arrive(extension, other.arrivals.get(extension, 0))
        self.departed += other.departed
        self.removed += other.removed
        self.offline += other.offline
        self.chat += other.chat
        self.groups += other.groups
        self.to_fill += other.to_fill
        self.wake_in(other.wake_s)


@dataclass(frozen=True, slots=True)
class Claimed:
    assignments: Sequence[Assignment]
    step: Step


@dataclass(frozen=True, slots=True)
class Registered:
    """A registered worker; `created` are new extensions.

    Extensions that are `awaiting` consent are not offered yet.
    """

    worker: str
    is_new: bool
    extension_ids: tuple[int, ...]
    created: tuple[ExtensionKey, ...]
    step: Step
    awaiting: tuple[ConsentRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Seating:
    """What a worker offers, and the rooms in which it waits for consent."""

    worker: str
    offers: Sequence[Offer]
    waits_in: frozenset[str | None] = frozenset()


@dataclass(frozen=True, slots=True)
class Accepted:
    """Accepted requests became offers; `created` are new extensions."""

    keys: Sequence[ExtensionKey]
    created: Sequence[ExtensionKey]
    seating: Seating


@dataclass(frozen=True, slots=True)
class Dismissed:
    """Ended offers and requests of a worker; `is_over` if it has none left and may not return."""

    keys: Sequence[ExtensionKey]
    is_over: bool
    seating: Seating
    step: Step


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a worker must do to hold exactly what the store has on record."""

    keep: Sequence[Fence] = ()
    drop: Sequence[Fence] = ()
    cancel: Sequence[Fence] = ()
    resend: Sequence[Assignment] = ()
    step: Step = field(default_factory=Step)


@dataclass(frozen=True, slots=True)
class Opened:
    """A new current session of a worker."""

    session: Session
    slots: int
    offers: Sequence[Offer]
    reconciled: Reconciled
    last_number: int
    draining: bool
    awaiting: Sequence[ConsentRequest] = ()
    lease: float | None = None  # in seconds, if it is not the server's
