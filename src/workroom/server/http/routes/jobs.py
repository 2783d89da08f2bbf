"""Jobs: read, cancel, replay, and the reports of workers."""

from __future__ import annotations

from fastapi import Response

from workroom.domain.job import JobState
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobs
from workroom.domain.room import room_name
from workroom.errors import (
    Busy,
    ExtensionNotFound,
    Forbidden,
    IllegalTransition,
    InvalidData,
    InvalidName,
    JobNotFound,
    RoomNotFound,
    SchemaConflict,
    SecretsUnreadable,
    StaleAttempt,
    TooManyRequests,
    WorkerNotFound,
)
from workroom.server.http.bodies.report import ProgressBody, StatusBody
from workroom.server.http.dependencies import (
    AdminCaller,
    Caller,
    Cursor,
    Limit,
    RoomName,
    ServicesDep,
    json_response,
)
from workroom.server.http.job_filters import (
    Extension,
    NameFilter,
    Search,
    Status,
    Unfinished,
    by_extension,
    by_status,
)
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.group import JobArrows, render_arrows
from workroom.server.http.views.job import (
    Job,
    JobEntries,
    JobHistory,
    JobPage,
    render_entries,
    render_history,
    render_job,
    render_job_page,
)
from workroom.server.http.views.values import Nothing, format_time
from workroom.services.jobs.reports import Answers

router = Router(prefix="/api", tags=["jobs"])


@router.get("/rooms/{room}/jobs", response_model=JobPage, responses=refused(RoomNotFound, Busy))
async def list_room_jobs(
    room: RoomName,
    caller: Caller,
    services: ServicesDep,
    status: Status = None,
    user: NameFilter = None,
    extension: Extension = None,
    q: Search = "",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Newest first; pending jobs carry their queue position."""
    query = FindJobs(
        room=room, user=user, before=cursor, limit=limit, **by_status(status), **by_extension(extension)
    )
    if q.strip():
        return json_response(render_job_page(await services.job_search.in_room(caller, query, q), caller))
    return json_response(render_job_page(await services.job_reader.search_room(caller, room, query), caller))


@router.get("/users/{user}/jobs", response_model=JobPage, responses=refused(JobNotFound))
async def list_user_jobs(
    user: str,
    caller: Caller,
    services: ServicesDep,
    unfinished: Unfinished = False,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """My own jobs; an admin may read everyone's."""
    query = FindJobs(user=user, unfinished=unfinished or None, before=cursor, limit=limit)
    return json_response(render_job_page(await services.job_reader.search_user(caller, user, query), caller))


@router.get("/jobs", response_model=JobPage, responses=refused(Forbidden, InvalidName))
async def list_jobs(
    caller: AdminCaller,
    services: ServicesDep,
    status: Status = None,
    room: NameFilter = None,
    user: NameFilter = None,
    extension: Extension = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """All jobs of all rooms."""
    query = FindJobs(
        room=None if room is None else room_name(room),
        user=user,
        before=cursor,
        limit=limit,
        **by_status(status),
        **by_extension(extension),
    )
    return json_response(render_job_page(await services.job_reader.search(query), caller))


@router.get("/jobs/{job_id}", response_model=Job, responses=refused(JobNotFound, SecretsUnreadable))
async def read_job(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """The current state of a job; a pending one includes why it waits.

    Secret values are masked, except for the job's own running attempt.
    """
    return json_response(render_job(await services.job_reader.read(caller, job_id), caller))


@router.delete(
    "/jobs/{job_id}", response_model=Job, responses=refused(Forbidden, JobNotFound, IllegalTransition)
)
async def cancel_job(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """Cancel the job at once, whether it is pending, assigned or running; its worker is notified."""
    await services.access.job(caller, job_id, Permission.CANCEL_JOB)
    await services.reports.cancel(caller, job_id)
    return json_response(render_job(await services.job_reader.read(caller, job_id), caller))


@router.post(
    "/jobs/{job_id}/retry",
    status_code=202,
    response_model=Job,
    responses=refused(
        Forbidden,
        *STORING,
        JobNotFound,
        ExtensionNotFound,
        IllegalTransition,
        SchemaConflict,
        SecretsUnreadable,
        InvalidData,
        TooManyRequests,
    ),
)
async def replay_job(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """Submit the same values again, as a new job whose `retry_of` is this one."""
    job = await services.access.job(caller, job_id, Permission.REPLAY_JOB)
    services.throttles.submits.take(caller.user)
    may_raise = await services.access.manages(caller, job.room)
    return json_response(
        render_job(await services.operations.replay(caller, job, may_raise=may_raise), caller), 202
    )


@router.post(
    "/rooms/{room}/jobs/retry",
    status_code=202,
    response_model=JobEntries,
    responses=refused(*STORING, RoomNotFound, TooManyRequests, Busy),
)
async def replay_jobs(
    room: RoomName,
    caller: Caller,
    services: ServicesDep,
    status: Status = "failed",
    extension: Extension = None,
    limit: Limit = 100,
) -> Response:
    """Replay all jobs that match, oldest first. Each has an entry: the new job, or why there is none."""
    await services.access.room(caller, room, Permission.REPLAY_JOB)
    services.throttles.submits.take(caller.user, limit)
    query = FindJobs(room=room, limit=limit, **by_status(status), **by_extension(extension))
    may_raise = await services.access.manages(caller, room)
    replayed = await services.operations.replay_all(caller, query, may_raise=may_raise)
    return json_response(render_entries(replayed, caller), 202)


@router.get("/jobs/{job_id}/children", response_model=JobPage, responses=refused(JobNotFound))
async def list_children(
    job_id: str, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """The jobs that this job submitted, newest first."""
    query = FindJobs(parent=job_id, before=cursor, limit=limit)
    return json_response(
        render_job_page(await services.job_reader.search_children(caller, job_id, query), caller)
    )


@router.get("/jobs/{job_id}/arrows", response_model=JobArrows, responses=refused(JobNotFound))
async def list_arrows(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """What the job waits for, and the jobs that wait for it; also after all of them have ended."""
    return json_response(render_arrows(await services.job_reader.neighbours(caller, job_id)))


@router.get("/jobs/{job_id}/history", response_model=JobHistory, responses=refused(JobNotFound))
async def read_job_history(job_id: str, caller: Caller, services: ServicesDep) -> Response:
    """Every transition of the job: time, actor, attempt and reason."""
    return json_response(render_history(await services.job_reader.history(caller, job_id)))


@router.put(
    "/jobs/{job_id}/status",
    response_model=Job,
    responses=refused(Forbidden, WorkerNotFound, JobNotFound, StaleAttempt, IllegalTransition),
)
async def report_status(job_id: str, body: StatusBody, caller: Caller, services: ServicesDep) -> Response:
    """A worker starts or ends an attempt. `processing` means running, `finished` means completed."""
    await services.access.worker(caller, body.worker_id, Permission.RUN_WORKER)
    if body.status is JobState.RUNNING:
        _raise(await services.reports.start(body.worker_id, [body.start(job_id)]))
    else:
        run_ms = {} if body.run_ms is None else {job_id: body.run_ms}
        _raise(await services.reports.finish(body.worker_id, [body.report(job_id)], run_ms))
    return json_response(render_job(await services.job_reader.find(job_id), caller))


@router.put(
    "/jobs/{job_id}/progress",
    response_model=Nothing,
    responses=refused(Forbidden, WorkerNotFound, JobNotFound, StaleAttempt),
)
async def report_progress(job_id: str, body: ProgressBody, caller: Caller, services: ServicesDep) -> Response:
    """A worker reports the progress of an attempt."""
    now = format_time(services.clock.now_us())
    await services.access.worker(caller, body.worker_id, Permission.RUN_WORKER)
    _raise(await services.reports.progress(body.worker_id, [body.progress(job_id, now)]))
    return json_response({})


def _raise(refusals: Answers) -> None:
    """A report over REST is a batch of one."""
    if refusals[0] is not None:
        raise refusals[0]
