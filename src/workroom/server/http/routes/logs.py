"""Log lines of jobs: workers report them, people read them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain.permissions import Permission
from workroom.errors import Forbidden, JobNotFound, StaleAttempt, WorkerNotFound
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.bodies.report import LogBody
from workroom.server.http.dependencies import Caller, ServicesDep, json_response
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.http.views.log import JobLogs, render_logs
from workroom.server.http.views.values import Nothing

router = Router(prefix="/api/jobs/{job_id}/logs", tags=["jobs"])

After = Annotated[int, Query(ge=0, le=MAX_INT, description="`seq` of the last line of the previous page")]
Lines = Annotated[int, Query(ge=1, le=10_000)]


@router.get("", response_model=JobLogs, responses=refused(JobNotFound))
async def read_job_logs(
    job_id: str, caller: Caller, services: ServicesDep, after: After = 0, limit: Lines = 1000
) -> Response:
    """The lines that the job has printed and logged, in order; also after its end."""
    lines = await services.job_reader.logs(caller, job_id, after, limit)
    return json_response(render_logs(lines, limit))


@router.post(
    "",
    response_model=Nothing,
    responses=refused(Forbidden, WorkerNotFound, JobNotFound, StaleAttempt),
)
async def report_logs(job_id: str, body: LogBody, caller: Caller, services: ServicesDep) -> Response:
    """A worker reports lines of an attempt. Lines that were sent before change nothing."""
    await services.access.worker(caller, body.worker_id, Permission.RUN_WORKER)
    (refusal,) = await services.reports.log(body.worker_id, [body.batch(job_id)])
    if refusal is not None:
        raise refusal
    return json_response({})
