"""What the server answers, as documented. mypy holds `documents` to it; nothing is checked while serving."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, WithJsonSchema, with_config
from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12

from workroom.domain.extension import RetryOn, RunnerKind, Scope
from workroom.domain.files import FileKind, PreviewKind
from workroom.domain.identity import Role
from workroom.domain.job import JobState
from workroom.domain.logs import Stream
from workroom.domain.waiting import WaitCode
from workroom.domain.worker import WorkerState

Time = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Object = Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": True})]


class Nothing(TypedDict):
    """It is done, and there is no more to say."""


class Fault(TypedDict):
    """One thing that is wrong with what was sent, and where."""

    path: str
    message: str


@with_config(ConfigDict(extra="allow"))
class Problem(TypedDict):
    """RFC 9457. `code` is what programs go by; some problems carry more fields."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: NotRequired[list[Fault]]


class Progress(TypedDict):
    """What the worker said last. A count comes without a fraction if there is no total."""

    fraction: NotRequired[float]
    current: NotRequired[float]
    total: NotRequired[float]
    message: str
    elapsed_ms: float
    updated_at: Time


class JobError(TypedDict):
    """Why a job failed. The stack trace is for its submitter, the extension's owner and admins."""

    type: str
    message: str
    details: Object
    stack_trace: str | None


class WaitingFor(TypedDict):
    """Why a pending job waits: for the holder of a key, until a time, or for a worker."""

    code: WaitCode
    key: str | None
    job: str | None
    until: Time | None


class Job(TypedDict):
    """One run of an extension in a room."""

    id: str
    room: str
    scope: Scope
    category: str
    name: str
    data: Object
    status: JobState
    version: Annotated[int, Field(description="grows with every change")]
    priority: int
    user: str
    runner: RunnerKind
    worker: str | None
    attempt: int
    created_at: Time
    assigned_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    wait_time_ms: float | None
    execution_time_ms: float | None
    progress: Progress | None
    result: Any
    error: JobError | None
    tries: int
    retry_of: Annotated[str | None, Field(description="the job that this one replays")]
    waiting_for: WaitingFor | None
    queue_position: Annotated[int | None, Field(description="0 is next")]
    eta_ms: float | None


class JobPage(TypedDict):
    items: list[Job]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


class JobEntry(TypedDict):
    """One of many that was accepted."""

    job: Job


class BriefJob(TypedDict):
    id: str
    status: JobState


class BriefEntry(TypedDict):
    """One of many that was accepted, for who said `Prefer: return=minimal`."""

    job: BriefJob


class ProblemEntry(TypedDict):
    """One of many that was kept out."""

    error: Problem


class JobEntries(TypedDict):
    """One for each that was asked for, in that order."""

    items: list[JobEntry | BriefEntry | ProblemEntry]


class Artifact(TypedDict):
    """A file that a job saved, in one of its attempts."""

    name: str
    kind: FileKind
    media_type: str
    size: int
    sha256: str
    created_at: Time
    attempt: int


class Artifacts(TypedDict):
    items: list[Artifact]


class Preview(TypedDict):
    """What a job shows; the version grows with each that replaces another."""

    kind: PreviewKind
    version: int
    size: int
    sha256: str


class RoomFile(TypedDict):
    """A file that somebody brought to a room; the values of a job refer to it by its id."""

    id: str
    room: str
    name: str
    kind: FileKind
    media_type: str
    size: int
    sha256: str
    user: str
    created_at: Time


class RoomFilePage(TypedDict):
    items: list[RoomFile]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


class Transition(TypedDict):
    """One step in the life of a job."""

    job_id: str
    room: str
    version: int
    status: JobState
    attempt: int
    worker: str | None
    actor: str
    reason: str | None
    at: Time


class JobHistory(TypedDict):
    items: list[Transition]


class PrintedLine(TypedDict):
    """One line that a job has printed or logged."""

    seq: Annotated[int, Field(description="counts the lines of the job, through all its attempts")]
    at: Time
    stream: Stream
    level: NotRequired[str]
    text: str


class LogLine(PrintedLine):
    """And in which attempt."""

    attempt: int


class JobLogs(TypedDict):
    items: list[LogLine]
    next_after: Annotated[int | None, Field(description="`after` of the next page, if there is one")]


class Task(TypedDict):
    """A job of an actor, told as a task."""

    task_id: str
    actor: str
    concurrency_identifier: str | None
    concurrency_limit: int | None
    status: Literal["queued", "processing", "completed", "failed"]
    priority: int
    payload: Object
    result: Any
    error: JobError | None
    progress: Progress
    created_at: Time
    started_at: Time | None
    completed_at: Time | None
    worker_id: str | None
    heartbeat_at: Time | None
    retry_count: int
    max_retries: int


class Tasks(TypedDict):
    items: list[Task]


class SavedSettings(TypedDict):
    """Settings are kept for their user, not queued."""

    category: str
    name: str
    data: Object
    saved: Literal[True]


class LastValues(TypedDict):
    data: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "null"}]})]


class Concurrency(TypedDict):
    """How many jobs run at once, per key: a template over the values."""

    key: str
    limits: dict[str, int]
    default: int


class Policy(TypedDict):
    """How jobs of an extension are treated."""

    priority: int
    retries: int
    retry_on: RetryOn
    timeout: Annotated[float | None, Field(description="seconds")]
    concurrency: Concurrency | None
    actor: Annotated[str | None, Field(description="its name for POST /api/task")]


class ExtensionStats(TypedDict):
    idle_workers: int
    busy_workers: int
    pending_jobs: int


class Extension(ExtensionStats):
    """Something that can be run; its form is made from `schema`."""

    scope: Scope
    room: str | None
    category: str
    name: str
    schema: Object
    schema_hash: str
    runner: RunnerKind
    owner: str
    policy: Policy
    paused: bool
    circuit_open: bool


class Extensions(TypedDict):
    items: list[Extension]


class ExtensionUsage(Extension):
    jobs: Annotated[dict[str, int], Field(description="how many, by status")]
    last_job_at: Time | None


class ExtensionUsages(TypedDict):
    items: list[ExtensionUsage]


class ExtensionName(TypedDict):
    scope: Scope
    room: str | None
    category: str
    name: str


class Worker(TypedDict):
    """A process that runs jobs."""

    id: str
    user: str
    name: str
    runner: RunnerKind
    slots: int
    machine: Object
    state: WorkerState
    since: Time
    draining: bool
    registered_at: Time
    assigned_jobs: int
    running_jobs: int
    extensions: list[ExtensionName]


class Workers(TypedDict):
    items: list[Worker]


class RegisteredWorker(TypedDict):
    worker_id: str


class Fence(TypedDict):
    """One attempt at a job."""

    job_id: str
    attempt: int
    token: str


class Reconciled(TypedDict):
    """What a worker must let go of, and what it must stop."""

    drop: list[Fence]
    cancel: list[Fence]


class Room(TypedDict):
    name: str
    title: str
    owner: str
    private: bool
    created_at: Time


class RoomPage(TypedDict):
    items: list[Room]
    next_after: Annotated[str | None, Field(description="`after` of the next page, if there is one")]


class ChatMessage(TypedDict):
    """One that names a job was written when that job failed."""

    seq: int
    room: str
    user: str
    text: str
    job_id: str | None
    at: Time


class ChatPage(TypedDict):
    items: list[ChatMessage]
    next_cursor: Annotated[int | None, Field(description="`cursor` of the next page, if there is one")]


class Members(TypedDict):
    owner: str
    items: list[str]


class IssuedCode(TypedDict):
    code: str
    expires_at: Time


class Principal(TypedDict):
    """Who a token stands for. `room` is the only room that it counts for, if not all."""

    user: str
    role: Role
    room: str | None
    expires_at: Time | None


class Token(Principal):
    token: str


class Ticket(TypedDict):
    ticket: str


class Account(TypedDict):
    name: str
    role: Role
    has_password: bool
    disabled: bool
    created_at: Time


class AccountPage(TypedDict):
    items: list[Account]
    next_after: Annotated[str | None, Field(description="`after` of the next page, if there is one")]


class Health(TypedDict):
    status: Literal["ok"]
    version: str


class Readiness(TypedDict):
    ready: bool
