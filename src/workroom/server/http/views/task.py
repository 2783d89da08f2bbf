"""A job of an actor as the task facade shows it; `services/tasks` makes the document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from workroom.server.http.views.job import JobError, Progress
from workroom.server.http.views.values import Object, Time


class Task(TypedDict):
    """A job of an actor."""

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
