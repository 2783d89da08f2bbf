"""What jobs print: reported by their workers, read by people."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain.policy import Act
from workroom.domain.queries import JobLogs
from workroom.errors import Forbidden, JobNotFound, StaleAttempt, WorkerNotFound
from workroom.server import documents, shapes
from workroom.server.context import Inside, Who, answer
from workroom.server.openapi import refused
from workroom.server.router import Router
from workroom.server.wire import MAX_INT, LogBody

router = Router(prefix="/api/jobs/{job_id}/logs", tags=["jobs"])

After = Annotated[int, Query(ge=0, le=MAX_INT, description="the last line that was read")]
Lines = Annotated[int, Query(ge=1, le=10_000)]


@router.get("", response_model=shapes.JobLogs, responses=refused(JobNotFound))
async def read_job_logs(
    job_id: str, who: Who, inside: Inside, after: After = 0, limit: Lines = 1000
) -> Response:
    """What the job has printed and logged, in its order; also after its end."""
    await inside.access.job(who, job_id, Act.SEE_JOB)
    lines = await inside.store.read(JobLogs(job_id, after, limit + 1))
    return answer(documents.logs(lines, limit))


@router.post(
    "",
    response_model=shapes.Nothing,
    responses=refused(Forbidden, WorkerNotFound, JobNotFound, StaleAttempt),
)
async def report_logs(job_id: str, body: LogBody, who: Who, inside: Inside) -> Response:
    """What an attempt has printed. Lines that were sent before change nothing."""
    await inside.access.worker(who, body.worker_id, Act.RUN_WORKER)
    (refusal,) = await inside.reporting.log(body.worker_id, [body.batch(job_id)])
    if refusal is not None:
        raise refusal
    return answer({})
