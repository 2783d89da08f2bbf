"""Jobs come in."""

from __future__ import annotations

import hashlib
from typing import Annotated

import orjson
from fastapi import APIRouter, Header, Query, Response

from workroom.domain.identity import Principal
from workroom.domain.policy import Act, in_room, may
from workroom.domain.steps import Idempotency
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
from workroom.server.context import Inside, Room, Services, Who, answer
from workroom.server.json_route import JsonRoute
from workroom.server.openapi import refused
from workroom.server.wire import BatchBody, SubmitBody
from workroom.services.submission import Order, Saved

router = APIRouter(prefix="/api/rooms/{room}", tags=["jobs"], route_class=JsonRoute)

Key = Annotated[
    str | None,
    Header(min_length=1, max_length=200, description="the same key and body within a day is the same job"),
]
Wait = Annotated[float | None, Query(ge=0, le=300, description="seconds to wait for the end")]


@router.post(
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
    idempotency = _idempotency(idempotency_key, f"submit:{room}/{category}/{name}", body)
    order = Order(
        room,
        category,
        name,
        body.data,
        body.priority,
        idempotency,
        may_raise=await _may_raise(who, room, inside),
    )
    if wait is None:
        job = await inside.submission.submit(who, order)
    else:
        job = await inside.submission.submit_and_wait(who, order, wait)
    if isinstance(job, Saved):
        return answer(
            {"category": job.category, "name": job.name, "data": orjson.Fragment(job.data), "saved": True}
        )
    return answer(documents.job(job, who), 200 if job.status.is_terminal else 202)


@router.post(
    "/jobs/batch",
    status_code=202,
    response_model=shapes.JobEntries,
    responses=refused(RoomNotFound, TooManyRequests),
)
async def submit_jobs(room: Room, body: BatchBody, who: Who, inside: Inside) -> Response:
    """Many jobs in one commit: an entry for each, a job or the problem that kept it out."""
    may_raise = await _may_raise(who, room, inside, len(body.jobs))
    orders = [
        Order(room, each.category, each.name, each.data, each.priority, may_raise=may_raise)
        for each in body.jobs
    ]
    answers = await inside.submission.submit_batch(who, orders)
    return answer({"items": [documents.entry(each, who) for each in answers]}, 202)


async def _may_raise(who: Principal, room: str, inside: Services, count: int = 1) -> bool:
    """May they submit here at all; and may they raise priorities too?"""
    found = await inside.access.enter(who, room, Act.SUBMIT)
    inside.throttles.submits.take(who.user, count)
    return may(Act.MANAGE_ROOM, in_room(who, found))


def _idempotency(key: str | None, route: str, body: SubmitBody) -> Idempotency | None:
    if key is None:
        return None
    digest = hashlib.sha256(orjson.dumps(body.model_dump(), option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Idempotency(route, key, digest)
