"""The task facade: jobs of actors, as tasks of a queue."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.errors import (
    Forbidden,
    IdempotencyConflict,
    IllegalTransition,
    InvalidData,
    JobNotFound,
    NameTaken,
    RoomNotFound,
    TooManyRequests,
    UnknownActor,
)
from workroom.server.http.bodies.submit import TaskBody
from workroom.server.http.dependencies import Caller, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.routes.submit import Key
from workroom.server.http.views.task import Task, Tasks

router = Router(prefix="/api/task", tags=["tasks"])


@router.post(
    "",
    status_code=202,
    response_model=Task,
    responses=refused(
        Forbidden,
        *STORING,
        RoomNotFound,
        NameTaken,
        UnknownActor,
        InvalidData,
        IdempotencyConflict,
        TooManyRequests,
    ),
)
async def submit_task(
    body: TaskBody, caller: Caller, services: ServicesDep, idempotency_key: Key = None
) -> Response:
    """The task is durable with this response. The room is `payload.workflow_run_id`, else the caller's own.

    A missing room is created; the caller's own is private.
    """
    task = await services.tasks.submit(caller, body.actor, body.payload, body.priority, idempotency_key)
    return json_response(task, 202)


@router.get("", response_model=Tasks, responses=refused(RoomNotFound))
async def list_tasks(
    caller: Caller,
    services: ServicesDep,
    workflow_run_id: Annotated[str | None, Query(max_length=1000)] = None,
    interaction_id: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """The tasks of a workflow run, newest first; without one, those in the caller's own room.

    With an interaction, only tasks whose payload names it, among the newest 1,000 jobs.
    """
    found = await services.tasks.of_workflow(caller, workflow_run_id, limit, interaction_id)
    return json_response({"items": found})


@router.get("/{task_id}", response_model=Task, responses=refused(JobNotFound))
async def read_task(task_id: str, caller: Caller, services: ServicesDep) -> Response:
    """The current state of the task."""
    return json_response(await services.tasks.read(caller, task_id))


@router.delete(
    "/{task_id}", response_model=Task, responses=refused(Forbidden, JobNotFound, IllegalTransition)
)
async def cancel_task(task_id: str, caller: Caller, services: ServicesDep) -> Response:
    """Cancel the task: it fails at once with an error of type `Cancelled`."""
    return json_response(await services.tasks.cancel(caller, task_id))
