"""Submit one job or a batch."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Query, Response

from workroom import tracing
from workroom.domain import job as domain
from workroom.errors import (
    DuplicateJob,
    ExtensionNotFound,
    Forbidden,
    GroupNotFound,
    GroupOpen,
    IdempotencyConflict,
    InvalidData,
    JobNotFound,
    RoomNotFound,
    SchemaConflict,
    TooManyRequests,
)
from workroom.server.http.bodies.fields import MAX_KEY
from workroom.server.http.bodies.submit import BatchBody, SubmitBody
from workroom.server.http.dependencies import Caller, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.job import (
    Job,
    JobEntries,
    SavedSettings,
    render_entries,
    render_submitted,
    submitted_status,
)
from workroom.services.jobs.submit_requests import SubmitRequest

router = Router(prefix="/api/rooms/{room}", tags=["jobs"])

Key = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=MAX_KEY,
        description="the same key and body within a day returns the same jobs",
    ),
]
BRIEF = "return=minimal"
Prefer = Annotated[
    str | None, Header(max_length=MAX_KEY, description=f"`{BRIEF}` returns ids and states only")
]


async def _get_trace(traceparent: Annotated[str | None, Header(max_length=MAX_KEY)] = None) -> str | None:
    return tracing.valid(traceparent)


Trace = Annotated[str | None, Depends(_get_trace)]
Wait = Annotated[float | None, Query(ge=0, le=300, description="seconds to wait until the job ends")]


@router.post(
    "/extensions/{category}/{name}/submit",
    status_code=202,
    response_model=Job,
    responses={
        **refused(
            Forbidden,
            *STORING,
            RoomNotFound,
            ExtensionNotFound,
            JobNotFound,
            GroupNotFound,
            GroupOpen,
            SchemaConflict,
            DuplicateJob,
            InvalidData,
            IdempotencyConflict,
            TooManyRequests,
        ),
        200: {
            "model": Job | SavedSettings,
            "description": "the job has ended, an earlier job was joined, or settings were saved",
        },
    },
)
async def submit_job(
    room: RoomName,
    category: str,
    name: str,
    body: SubmitBody,
    caller: Caller,
    services: ServicesDep,
    wait: Wait = None,
    idempotency_key: Key = None,
    trace: Trace = None,
) -> Response:
    """202: the job is durable and will reach one terminal status. 200: it has ended, settings were saved, or
    an earlier job with the same unique key was joined.

    `queue_position` is null in the response, because finding it costs a query: read the job to get it.
    """
    request = SubmitRequest(
        room, category, name, body.data, body.priority, idempotency_key, conditions=body.conditions()
    )
    request.trace = trace
    job = await services.submission.submit(caller, request)
    if wait is not None and isinstance(job, domain.Job):
        is_joined = job.is_joined
        job = await services.waits.until_end(caller, job.id, wait)
        job.is_joined = is_joined
    return json_response(render_submitted(job, caller), submitted_status(job))


@router.post(
    "/jobs/batch",
    status_code=202,
    response_model=JobEntries,
    responses=refused(*STORING, RoomNotFound, IdempotencyConflict, TooManyRequests),
)
async def submit_jobs(
    room: RoomName,
    body: BatchBody,
    caller: Caller,
    services: ServicesDep,
    prefer: Prefer = None,
    idempotency_key: Key = None,
    trace: Trace = None,
) -> Response:
    """Submit many jobs in one commit. Each has an entry: the job, or why it was rejected."""
    requests = [each.request(room, trace) for each in body.jobs]
    results = await services.submission.submit_batch(
        caller, room, requests, idempotency_key, brief=prefer == BRIEF
    )
    return json_response(render_entries(results, caller, brief=prefer == BRIEF), 202)
