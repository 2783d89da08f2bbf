"""Jobs come in."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Response

from workroom.domain.identity import Principal
from workroom.errors import WorkroomError
from workroom.server import documents, problems
from workroom.server.context import Inside, Room, Who, answer
from workroom.server.json_route import JsonRoute
from workroom.server.wire import BatchBody, SubmitBody
from workroom.services.submission import Order, Saved

router = APIRouter(prefix="/api/rooms/{room}", tags=["jobs"], route_class=JsonRoute)

Wait = Annotated[float | None, Query(ge=0, le=300, description="seconds to wait for the end")]


@router.post("/extensions/{category}/{name}/submit", status_code=202)
async def submit(
    room: Room, category: str, name: str, body: SubmitBody, who: Who, inside: Inside, wait: Wait = None
) -> Response:
    """202: the job is durable and will reach exactly one end. 200: it has ended, or settings are saved."""
    order = Order(room, category, name, body.data, body.priority)
    if wait is None:
        job = await inside.submission.submit(who, order)
    else:
        job = await inside.submission.submit_and_wait(who, order, wait)
    if isinstance(job, Saved):
        return answer(
            {"category": job.category, "name": job.name, "data": orjson.Fragment(job.data), "saved": True}
        )
    return answer(documents.job(job, who), 200 if job.status.is_terminal else 202)


@router.post("/jobs/batch", status_code=202)
async def submit_batch(room: Room, body: BatchBody, who: Who, inside: Inside) -> Response:
    """Many jobs in one commit: an entry for each, a job or the problem that kept it out."""
    orders = [Order(room, each.category, each.name, each.data, each.priority) for each in body.jobs]
    answers = await inside.submission.submit_batch(who, orders)
    return answer({"items": [_entry(each, who) for each in answers]}, 202)


def _entry(each: Any, who: Principal) -> dict[str, Any]:
    if isinstance(each, WorkroomError):
        return {"error": problems.document(each)}
    return {"job": documents.job(each, who)}
