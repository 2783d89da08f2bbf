"""What clients send, by REST and by socket alike."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    field_validator,
)

from workroom.domain.chat import MAX_TEXT
from workroom.domain.extension import Policy, RetryOn, make_policy
from workroom.domain.identity import Role
from workroom.domain.job import SPOKEN_STATES, Fence, JobError, JobState, parse_state
from workroom.domain.logs import MAX_LINE, LogLine, Stream
from workroom.domain.room import room_name
from workroom.domain.steps import LogBatch, Progress, Report, Start
from workroom.domain.worker import Hold, Phase
from workroom.errors import InvalidRequest
from workroom.services.encoding import encoded

MAX_INT = 2**53 - 1  # the largest number that every JSON reader keeps exactly
Attempt = Annotated[int, Field(ge=1, le=MAX_INT)]
MAX_KEY = 200
JobCount = Annotated[int, Field(ge=1, le=MAX_INT)]


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


UserName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\w.@-]+$")]
Password = Annotated[str, Field(max_length=1000)]
SecretCode = Annotated[str, Field(min_length=1, max_length=200)]
Title = Annotated[str, Field(max_length=200)]
_WEEK = 7 * 86_400


class LoginBody(Wire):
    name: UserName | None = None
    password: Password | None = Field(None, repr=False)
    code: SecretCode | None = Field(None, repr=False, description="from the admin's link, or a pairing code")
    cookie: bool = Field(False, description="for pages: keep the token in a cookie that scripts cannot read")


class RevokeBody(Wire):
    user: UserName | None = Field(None, description="whose tokens; my own one if not given")


class AccountBody(Wire):
    name: UserName
    role: Literal[Role.USER, Role.ADMIN] = Role.USER
    password: Password = Field(repr=False)


class AccountChange(Wire):
    password: Password | None = Field(None, repr=False)
    role: Literal[Role.GUEST, Role.USER, Role.ADMIN, Role.WORKER] | None = None
    disabled: bool | None = None


class MachineTokenBody(Wire):
    name: UserName
    role: Literal[Role.USER, Role.ADMIN, Role.WORKER, Role.RUNNER] = Role.WORKER
    days: float | None = Field(None, gt=0, le=3650)


class RoomBody(Wire):
    name: str
    title: Title = ""
    private: bool = False


class RoomChange(Wire):
    title: Title | None = None
    private: bool | None = None


class MemberBody(Wire):
    user: UserName | None = None
    code: SecretCode | None = Field(None, repr=False)


class InviteBody(Wire):
    seconds: float = Field(_WEEK, gt=0, le=52 * _WEEK, description="how long it is good")
    uses: int = Field(100, ge=1, le=100_000)


class PairBody(Wire):
    seconds: float = Field(600, gt=0, le=86_400, description="how long it is good")


class ChatBody(Wire):
    text: str = Field(min_length=1, max_length=MAX_TEXT)


class SubmitBody(Wire):
    data: dict[str, Any] = Field(default_factory=dict)
    priority: int | None = Field(None, ge=0, le=10)


class SubmitEvent(SubmitBody):
    room: str
    category: str
    name: str
    key: str | None = Field(None, min_length=1, max_length=MAX_KEY, description="as Idempotency-Key")


class WaitEvent(Wire):
    job_id: str
    seconds: float = Field(ge=0, le=300)
    token: str | None = Field(None, repr=False, description="of a job that may see it")


class BatchItem(SubmitBody):
    category: str
    name: str


class BatchBody(Wire):
    jobs: list[BatchItem] = Field(min_length=1, max_length=10_000)


class ConcurrencyBody(Wire):
    key: str = Field(max_length=200, description="template over the values, like {provider}")
    limits: dict[str, JobCount] = Field(default_factory=dict, max_length=1000)
    default: JobCount = 1


class PolicyBody(Wire):
    priority: int = Field(0, ge=0, le=10)
    retries: int = Field(0, ge=0, le=100)
    retry_on: RetryOn = RetryOn.WORKER_LOST
    timeout: float | None = Field(None, gt=0)
    concurrency: ConcurrencyBody | None = None
    actor: str | None = Field(None, min_length=1, max_length=64, description="its name for POST /api/task")

    def policy(self) -> Policy:
        return make_policy(self.model_dump())


_OF_AN_OBJECT: dict[str, Any] = {"properties": {"type": {"const": "object"}}, "required": ["type"]}


class ExtensionBody(Wire):
    category: str
    name: str
    json_schema: dict[str, Any] = Field(alias="schema", json_schema_extra=_OF_AN_OBJECT)
    room: str | None = Field(None, description="the room that sees it")
    public: bool = Field(False, description="every room sees it; needs the role admin")
    policy: PolicyBody = Field(default_factory=PolicyBody)

    @field_validator("room")
    @classmethod
    def _normalise(cls, value: str | None) -> str | None:
        return None if value is None else room_name(value)


class RegisterBody(Wire):
    worker_id: str | None = Field(None, min_length=8, max_length=64)
    name: str = Field("", max_length=100)
    slots: int = Field(1, ge=1, le=1000)
    machine: dict[str, Any] = Field(default_factory=dict)
    extensions: list[ExtensionBody] = Field(min_length=1, max_length=1000)


class FenceBody(Wire):
    job_id: str
    attempt: Attempt
    token: str

    def fence(self) -> Fence:
        return Fence(self.job_id, self.attempt, self.token)


class HoldBody(FenceBody):
    phase: Phase

    def hold(self) -> Hold:
        return Hold(self.fence(), self.phase)


class HoldsBody(Wire):
    holds: list[HoldBody] = Field(default_factory=list)
    seen: int = Field(
        0, ge=0, le=MAX_INT, description="number of the last assignment that reached the worker"
    )


class HelloBody(HoldsBody):
    worker_id: str | None = Field(None, description="if it was not given when connecting")
    boot_id: str = Field(min_length=8, max_length=64)
    on_call: bool = Field(False, description="push nothing: I ask when I am called")


class AskBody(Wire):
    session: int = Field(ge=0, le=MAX_INT)


class HeartbeatBody(HoldsBody):
    session: int = Field(ge=0, le=MAX_INT)


class StartBody(FenceBody):
    nonce: str = Field(min_length=8, max_length=64)

    def start(self) -> Start:
        return Start(self.fence(), self.nonce)


def _cut(length: int) -> BeforeValidator:
    """Too long is no reason to lose a report: the end is cut off."""
    return BeforeValidator(lambda text: text[:length] if isinstance(text, str) else text)


class ErrorBody(Wire):
    type: Annotated[str, _cut(200)] = "Error"
    message: Annotated[str, _cut(10_000)] = ""
    details: dict[str, Any] | None = None
    stack_trace: Annotated[str | None, _cut(100_000)] = None

    def value(self) -> JobError:
        encoded(self.details, "the error")
        return JobError(self.type, self.message, self.details or {}, self.stack_trace or "")


_NO_REASON = ErrorBody(message="the worker gave no reason")


def _state(word: object) -> JobState:
    return parse_state(str(word))


State = Annotated[
    JobState,
    BeforeValidator(_state),
    WithJsonSchema({"type": "string", "enum": [*JobState, *SPOKEN_STATES]}, mode="validation"),
]


class FinishBody(FenceBody):
    status: State
    result: Any = None
    error: ErrorBody | None = None
    run_ms: float | None = Field(None, ge=0, description="how long run() took")

    def report(self) -> Report:
        if not self.status.is_terminal:
            raise InvalidRequest(f"a job does not end as '{self.status}'")
        error = (self.error or _NO_REASON).value() if self.status is JobState.FAILED else None
        result = None if self.result is None else encoded(self.result, "the result")
        return Report(self.fence(), self.status, result, error)


class StatusBody(Wire):
    """`PUT /api/jobs/{id}/status`: a start or an end, as a socket event would say it."""

    worker_id: str
    attempt: Attempt
    token: str
    status: State
    nonce: str = Field("", max_length=64)
    result: Any = None
    error: ErrorBody | None = None
    run_ms: float | None = Field(None, ge=0)


class LineBody(Wire):
    seq: int = Field(ge=1, le=MAX_INT, description="counts the lines of the attempt from 1")
    at: AwareDatetime
    stream: Stream = Stream.STDOUT
    level: Annotated[str, _cut(20)] | None = None
    text: Annotated[str, _cut(MAX_LINE)]

    def line(self) -> LogLine:
        text = self.text.encode("utf-8", "backslashreplace").decode()
        at = self.at.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
        return LogLine(self.seq, at, self.stream, text, self.level)


class LogReport(Wire):
    attempt: Attempt
    token: str
    lines: list[LineBody] = Field(min_length=1, max_length=10_000)

    def batch(self, job_id: str) -> LogBatch:
        lines = sorted((each.line() for each in self.lines), key=lambda line: line.seq)
        return LogBatch(Fence(job_id, self.attempt, self.token), lines)


class LogBody(LogReport):
    """`POST /api/jobs/{id}/logs`."""

    worker_id: str


class LogEvent(LogReport):
    job_id: str


class ProgressReport(Wire):
    attempt: Attempt
    token: str
    fraction: float | None = Field(None, ge=0, le=1)
    current: int | float | None = None
    total: int | float | None = None
    message: Annotated[str, _cut(1000)] = ""
    elapsed_ms: float = Field(0, ge=0)


class ProgressBody(ProgressReport):
    """`PUT /api/jobs/{id}/progress`."""

    worker_id: str


class ProgressEvent(ProgressReport):
    job_id: str

    def progress(self, updated_at: str) -> Progress:
        document = self.model_dump(exclude={"job_id", "attempt", "token"}, exclude_none=True)
        fence = Fence(self.job_id, self.attempt, self.token)
        return Progress(fence, encoded({**document, "updated_at": updated_at}, "the progress"))
