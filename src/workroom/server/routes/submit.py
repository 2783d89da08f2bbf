"""Jobs come in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.routing import APIRoute

from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.room import room_name
from workroom.errors import (
    ExtensionNotFound,
    Forbidden,
    IdempotencyConflict,
    InvalidData,
    RoomNotFound,
    SchemaConflict,
    TooManyRequests,
)
from workroom.server import documents, shapes
from workroom.server.context import Inside, Room, Who, answer, principal, services
from workroom.server.json_route import JsonRoute, OrjsonRequest
from workroom.server.openapi import refused
from workroom.server.wire import BatchBody, SubmitBody
from workroom.services.submission import Saved


class SubmitRoute(APIRoute):
    """Most submits have a body and nothing else: those are taken without looking for more.

    What is not plain, or not right, goes the long way, which also says what is wrong.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        take = super().get_route_handler()

        async def take_plainly(request: Request) -> Response:
            request = OrjsonRequest(request.scope, request.receive)
            body = await _plain_body(request)
            return await (take(request) if body is None else _submit_plainly(request, body))

        return take_plainly


async def _plain_body(request: Request) -> SubmitBody | None:
    is_json = request.headers.get("content-type", "").startswith("application/json")
    if not is_json or request.scope["query_string"] or "idempotency-key" in request.headers:
        return None
    try:
        return SubmitBody.model_validate(await request.json())
    except ValueError:
        return None


async def _submit_plainly(request: Request, body: SubmitBody) -> Response:
    inside, path = await services(request), request.path_params
    who = await principal(request)
    job = await inside.ordering.submit(who, room_name(path["room"]), path["category"], path["name"], body)
    return _submitted(job, who)


plain_router = APIRouter(prefix="/api/rooms/{room}", tags=["jobs"], route_class=SubmitRoute)
router = APIRouter(prefix="/api/rooms/{room}", tags=["jobs"], route_class=JsonRoute)

Key = Annotated[
    str | None,
    Header(min_length=1, max_length=200, description="the same key and body within a day is the same job"),
]
Wait = Annotated[float | None, Query(ge=0, le=300, description="seconds to wait for the end")]


@plain_router.post(
    "/extensions/{category}/{name}/submit",
    status_code=202,
    response_model=shapes.Job,
    responses={
        **refused(
            Forbidden,
            RoomNotFound,
            ExtensionNotFound,
            SchemaConflict,
            InvalidData,
            IdempotencyConflict,
            TooManyRequests,
        ),
        200: {
            "model": shapes.Job | shapes.SavedSettings,
            "description": "it has ended, or settings are saved",
        },
    },
)
async def submit_job(
    room: Room,
    category: str,
    name: str,
    body: SubmitBody,
    who: Who,
    inside: Inside,
    wait: Wait = None,
    idempotency_key: Key = None,
) -> Response:
    """202: the job is durable and will reach exactly one end. 200: it has ended, or settings are saved."""
    job = await inside.ordering.submit(who, room, category, name, body, idempotency_key)
    if wait is not None and isinstance(job, Job):
        job = await inside.submission.wait(job.id, wait)
    return _submitted(job, who)


@router.post(
    "/jobs/batch",
    status_code=202,
    response_model=shapes.JobEntries,
    responses=refused(RoomNotFound, TooManyRequests),
)
async def submit_jobs(room: Room, body: BatchBody, who: Who, inside: Inside) -> Response:
    """Many jobs in one commit: an entry for each, a job or the problem that kept it out."""
    answers = await inside.ordering.submit_batch(who, room, body)
    return answer({"items": [documents.entry(each, who) for each in answers]}, 202)


def _submitted(job: Job | Saved, who: Principal) -> Response:
    status = 202 if isinstance(job, Job) and not job.status.is_terminal else 200
    return answer(documents.ordered(job, who), status)
