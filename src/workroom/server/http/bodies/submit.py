"""Jobs and tasks to run, and waiting for their results."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from workroom.server.http.bodies.fields import (
    MAX_KEY,
    Body,
    Milliseconds,
    Name,
    Time,
    Title,
    Token,
    Traceparent,
)
from workroom.services.jobs.submit_requests import Conditions, SubmitRequest


class SubmitBody(Body):
    data: dict[str, Any] = Field(default_factory=dict)
    priority: int | None = Field(None, ge=0, le=10)
    run_at: Time | None = Field(None, description="start no sooner; at most a year ahead")
    delay_ms: Milliseconds | None = Field(None, description="the same, as a duration")
    after: list[Name] = Field(
        default_factory=list, max_length=1000, description="ids of jobs and groups that must end first"
    )
    on: Literal["completed", "ended"] = Field(
        "completed", description="how these must end; if one does otherwise, the job is cancelled"
    )

    @model_validator(mode="after")
    def _check_times(self) -> Self:
        if self.run_at is not None and self.delay_ms is not None:
            raise ValueError("run_at and delay_ms exclude each other")
        return self

    def conditions(self) -> Conditions | None:
        """None for a job that may start at once."""
        if self.run_at is None and self.delay_ms is None and not self.after:
            return None
        run_us = None if self.run_at is None else round(self.run_at.timestamp() * 1_000_000)
        return Conditions(run_us, self.delay_ms, tuple(self.after), self.on == "ended")


class SubmitEvent(SubmitBody):
    room: Name
    category: Name
    name: Name
    key: str | None = Field(None, min_length=1, max_length=MAX_KEY, description="as Idempotency-Key")
    traceparent: Traceparent = Field(None, description="W3C Trace Context; ignored if malformed")


class BatchItem(SubmitBody):
    category: Name
    name: Name

    def request(self, room: str, trace: str | None = None) -> SubmitRequest:
        conditions = self.conditions()
        return SubmitRequest(
            room, self.category, self.name, self.data, self.priority, conditions=conditions, trace=trace
        )


class BatchBody(Body):
    jobs: list[BatchItem] = Field(min_length=1, max_length=10_000)


class GroupJobsBody(Body):
    jobs: list[BatchItem] = Field(max_length=10_000)
    open: bool = Field(False, description="more jobs follow")


class GroupBody(GroupJobsBody):
    jobs: list[BatchItem] = Field(min_length=1, max_length=10_000)
    title: Title = ""
    parameters: list[Name] = Field(
        default_factory=list, max_length=20, description="the fields in which the jobs differ"
    )


class TaskBody(Body):
    actor: str = Field(min_length=1, max_length=64)
    payload: dict[str, Any] = Field(default_factory=dict)
    priority: int | None = Field(None, ge=0, le=10)


class WaitEvent(Body):
    job_id: Name
    seconds: float = Field(ge=0, le=300)
    token: Token | None = Field(None, repr=False, description="of a job that may see it")
