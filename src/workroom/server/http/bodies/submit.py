"""Jobs and tasks to run, and waiting for their results."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workroom.server.http.bodies.fields import MAX_KEY, Body, Name, Token


class SubmitBody(Body):
    data: dict[str, Any] = Field(default_factory=dict)
    priority: int | None = Field(None, ge=0, le=10)


class SubmitEvent(SubmitBody):
    room: Name
    category: Name
    name: Name
    key: str | None = Field(None, min_length=1, max_length=MAX_KEY, description="as Idempotency-Key")


class BatchItem(SubmitBody):
    category: Name
    name: Name


class BatchBody(Body):
    jobs: list[BatchItem] = Field(min_length=1, max_length=10_000)


class TaskBody(Body):
    actor: str = Field(min_length=1, max_length=64)
    payload: dict[str, Any] = Field(default_factory=dict)
    priority: int | None = Field(None, ge=0, le=10)


class WaitEvent(Body):
    job_id: Name
    seconds: float = Field(ge=0, le=300)
    token: Token | None = Field(None, repr=False, description="of a job that may see it")
