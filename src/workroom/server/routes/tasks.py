"""The task facade: actors are asked for by name, and jobs are told as tasks."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from workroom.errors import Forbidden, InvalidData, JobNotFound, RoomNotFound, TooManyRequests, UnknownActor
from workroom.server import shapes
from workroom.server.context import Inside, Who, answer
from workroom.server.openapi import refused
from workroom.server.router import Router
from workroom.server.wire import Wire

router = Router(prefix="/api/task", tags=["tasks"])


class TaskBody(Wire):
    actor: str = Field(min_length=1, max_length=64)
    payload: dict[str, Any] = Field(default_factory=dict)
    priority: int | None = Field(None, ge=0, le=10)


@router.post(
    "",
    status_code=202,
    response_model=shapes.Task,
    responses=refused(Forbidden, RoomNotFound, UnknownActor, InvalidData, TooManyRequests),
)
async def submit_task(body: TaskBody, who: Who, inside: Inside) -> Response:
    """Durable with this answer. The room is `payload.workflow_run_id`, else the caller's own."""
    inside.throttles.submits.take(who.user)
    return answer(await inside.tasks.submit(who, body.actor, body.payload, body.priority), 202)


@router.get("", response_model=shapes.Tasks, responses=refused(RoomNotFound))
async def list_tasks(
    who: Who,
    inside: Inside,
    workflow_run_id: Annotated[str | None, Query(max_length=1000)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """The tasks of a workflow run, newest first; without one, those in the caller's own room."""
    return answer({"items": await inside.tasks.of_workflow(who, workflow_run_id, limit)})


@router.get("/{task_id}", response_model=shapes.Task, responses=refused(JobNotFound))
async def read_task(task_id: str, who: Who, inside: Inside) -> Response:
    """The task as it stands."""
    return answer(await inside.tasks.read(who, task_id))
