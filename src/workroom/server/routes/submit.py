"""Jobs come in."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Query, Response

from workroom.domain.identity import Principal
from workroom.domain.job import Job
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
from workroom.server.context import Inside, Room, Who, answer
from workroom.server.openapi import refused
from workroom.server.ordering import Wish
from workroom.server.router import Router
from workroom.server.wire import MAX_KEY, BatchBody, SubmitBody
from workroom.services.submission import Saved

router = Router(prefix="/api/rooms/{room}", tags=["jobs"])

Key = Annotated[
    str | None,
    Header(
        min_length=1, max_length=MAX_KEY, description="the same key and body within a day is the same job"
    ),
]
_BRIEF = "return=minimal"
Prefer = Annotated[str | None, Header(description=f"`{_BRIEF}` answers ids and states only")]
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
    job = await inside.ordering.submit(
        who, room, category, name, Wish(body.data, body.priority), idempotency_key
    )
    if wait is not None and isinstance(job, Job):
        job = await inside.submission.wait(job.id, wait)
    return _submitted(job, who)


@router.post(
    "/jobs/batch",
    status_code=202,
    response_model=shapes.JobEntries,
    responses=refused(RoomNotFound, TooManyRequests),
)
async def submit_jobs(
    room: Room, body: BatchBody, who: Who, inside: Inside, prefer: Prefer = None
) -> Response:
    """Many jobs in one commit: an entry for each, a job or the problem that kept it out."""
    answers = await inside.ordering.submit_batch(who, room, body)
    if prefer == _BRIEF:
        return answer({"items": [documents.brief_entry(each) for each in answers]}, 202)
    return answer({"items": [documents.entry(each, who) for each in answers]}, 202)


def _submitted(job: Job | Saved, who: Principal) -> Response:
    status = 202 if isinstance(job, Job) and not job.status.is_terminal else 200
    return answer(documents.ordered(job, who), status)
