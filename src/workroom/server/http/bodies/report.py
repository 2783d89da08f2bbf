"""Starts, ends, progress and log lines that workers report."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from workroom.domain.job import STATE_ALIASES, Fence, JobError, JobState, parse_state
from workroom.domain.jobs.logs import MAX_LINE, LogLine, Stream
from workroom.domain.steps import LogBatch, Progress, Report, Start, Unbegun
from workroom.errors import InvalidRequest
from workroom.server.http.bodies.fields import (
    MAX_INT,
    Attempt,
    Body,
    Milliseconds,
    Name,
    Time,
    Traceparent,
    truncate,
)
from workroom.server.http.bodies.worker import FenceBody
from workroom.services.json_codec import encoded


def _parse_state(word: object) -> JobState:
    try:
        return parse_state(word if isinstance(word, str) else "")
    except ValueError:
        raise ValueError(f"use one of {', '.join([*JobState, *STATE_ALIASES])}") from None


State = Annotated[
    JobState,
    BeforeValidator(_parse_state),
    WithJsonSchema({"type": "string", "enum": [*JobState, *STATE_ALIASES]}, mode="validation"),
]


class StartBody(FenceBody):
    nonce: str = Field(min_length=8, max_length=64)

    def start(self) -> Start:
        return Start(self.fence(), self.nonce)


class ReleaseBody(FenceBody):
    nonce: str = Field(min_length=8, max_length=64)

    def unbegun(self) -> Unbegun:
        return Unbegun(self.fence(), self.nonce)


class ErrorBody(Body):
    type: Annotated[str, truncate(200)] = "Error"
    message: Annotated[str, truncate(10_000)] = ""
    details: dict[str, Any] | None = None
    stack_trace: Annotated[str | None, truncate(100_000)] = None

    def value(self) -> JobError:
        return JobError(self.type, self.message, self.details or {}, self.stack_trace or "")


_NO_REASON = ErrorBody(message="the worker gave no reason")


class FinishBody(FenceBody):
    status: State
    result: Any = None
    error: ErrorBody | None = None
    run_ms: Milliseconds | None = Field(None, description="how long run() took")
    traceparent: Traceparent = Field(None, description="W3C Trace Context of the run; ignored if malformed")

    def report(self) -> Report:
        if not self.status.is_terminal:
            raise InvalidRequest(f"'{self.status}' is not a terminal status")
        error = (self.error or _NO_REASON).value() if self.status is JobState.FAILED else None
        result = None if self.result is None else encoded(self.result, "the result")
        return Report(self.fence(), self.status, result, error)


class StatusBody(Body):
    """`PUT /api/jobs/{id}/status`: a start or an end, with the fields of the socket events."""

    worker_id: Name
    attempt: Attempt
    token: Name
    status: State
    nonce: str = Field("", max_length=64)
    result: Any = None
    error: ErrorBody | None = None
    run_ms: Milliseconds | None = None

    def start(self, job_id: str) -> Start:
        return Start(Fence(job_id, self.attempt, self.token), self.nonce or f"rest-{self.worker_id}")

    def report(self, job_id: str) -> Report:
        return FinishBody(job_id=job_id, **self.model_dump(exclude={"worker_id", "nonce"})).report()


class LineBody(Body):
    seq: int = Field(ge=1, le=MAX_INT, description="counts the lines of the attempt from 1")
    at: Time
    stream: Stream = Field(Stream.STDOUT, strict=False)
    level: Annotated[str, truncate(20)] | None = None
    text: Annotated[str, truncate(MAX_LINE)]

    def line(self) -> LogLine:
        at = self.at.isoformat(timespec="milliseconds")[:-6] + "Z"
        return LogLine(self.seq, at, self.stream, self.text, self.level)


class LogReport(Body):
    attempt: Attempt
    token: Name
    lines: list[LineBody] = Field(min_length=1, max_length=10_000)

    def batch(self, job_id: str) -> LogBatch:
        lines = sorted((each.line() for each in self.lines), key=lambda line: line.seq)
        return LogBatch(Fence(job_id, self.attempt, self.token), lines)


class LogBody(LogReport):
    """`POST /api/jobs/{id}/logs`."""

    worker_id: Name


class LogEvent(LogReport):
    job_id: Name


class ProgressReport(Body):
    attempt: Attempt
    token: Name
    fraction: float | None = Field(None, ge=0, le=1)
    current: int | float | None = None
    total: int | float | None = None
    message: Annotated[str, truncate(1000)] = ""
    elapsed_ms: Milliseconds = 0


class ProgressBody(ProgressReport):
    """`PUT /api/jobs/{id}/progress`."""

    worker_id: Name

    def progress(self, job_id: str, updated_at: str) -> Progress:
        return ProgressEvent(job_id=job_id, **self.model_dump(exclude={"worker_id"})).progress(updated_at)


class ProgressEvent(ProgressReport):
    job_id: Name

    def progress(self, updated_at: str) -> Progress:
        document = self.model_dump(exclude={"job_id", "attempt", "token"}, exclude_none=True)
        fence = Fence(self.job_id, self.attempt, self.token)
        return Progress(fence, encoded({**document, "updated_at": updated_at}, "the progress"))
