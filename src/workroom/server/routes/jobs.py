"""Jobs are read, cancelled and reported on."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain.identity import PEOPLE, Principal
from workroom.domain.job import Fence, JobState
from workroom.domain.policy import Act
from workroom.domain.queries import FindJob, FindJobs, JobHistory
from workroom.domain.room import room_name
from workroom.domain.steps import Start
from workroom.errors import (
    ExtensionNotFound,
    Forbidden,
    IllegalTransition,
    InvalidData,
    InvalidName,
    InvalidRequest,
    JobNotFound,
    RoomNotFound,
    SchemaConflict,
    StaleAttempt,
    TooManyRequests,
    WorkerNotFound,
)
from workroom.server import documents, shapes
from workroom.server.context import Admin, Inside, Room, Services, Who, answer
from workroom.server.openapi import refused
from workroom.server.paging import Cursor, Limit, job_page
from workroom.server.router import Router
from workroom.server.wire import FinishBody, ProgressBody, ProgressEvent, StatusBody
from workroom.services.reporting import Answers

router = Router(prefix="/api", tags=["jobs"])

Extension = Annotated[str | None, Query(description="category/name", json_schema_extra={"pattern": "/"})]


@router.get("/rooms/{room}/jobs", response_model=shapes.JobPage, responses=refused(RoomNotFound))
async def list_room_jobs(
    room: Room,
    who: Who,
    inside: Inside,
    status: JobState | None = None,
    user: str | None = None,
    extension: Extension = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """Newest first; pending jobs carry their queue position."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    category, name = _split(extension)
    query = FindJobs(
        room=room,
        user=user,
        status=status,
        category=category,
        name=name,
        before=cursor,
        limit=limit,
    )
    return await job_page(inside, who, query)


@router.get("/users/{user}/jobs", response_model=shapes.JobPage, responses=refused(JobNotFound))
async def list_user_jobs(
    user: str, who: Who, inside: Inside, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """My own jobs; an admin may read everyone's."""
    if not who.is_admin and (user != who.user or who.role not in PEOPLE):
        raise JobNotFound("there are no jobs of that user to see")
    return await job_page(inside, who, FindJobs(user=user, before=cursor, limit=limit))


@router.get("/jobs", response_model=shapes.JobPage, responses=refused(Forbidden, InvalidName))
async def list_jobs(
    who: Admin,
    inside: Inside,
    status: JobState | None = None,
    room: str | None = None,
    user: str | None = None,
    extension: Extension = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """All jobs of all rooms."""
    category, name = _split(extension)
    query = FindJobs(
        room=None if room is None else room_name(room),
        user=user,
        status=status,
        category=category,
        name=name,
        before=cursor,
        limit=limit,
    )
    return await job_page(inside, who, query)


@router.get("/jobs/{job_id}", response_model=shapes.Job, responses=refused(JobNotFound))
async def read_job(job_id: str, who: Who, inside: Inside) -> Response:
    """The job as it stands; a pending one says why it waits."""
    return await _job(job_id, who, inside, Act.SEE_JOB)


@router.delete(
    "/jobs/{job_id}", response_model=shapes.Job, responses=refused(Forbidden, JobNotFound, IllegalTransition)
)
async def cancel_job(job_id: str, who: Who, inside: Inside) -> Response:
    """Cancelled at once, in whatever state it was; the worker is told."""
    await inside.access.job(who, job_id, Act.CANCEL_JOB)
    await inside.reporting.cancel(who, job_id)
    return await _job(job_id, who, inside, Act.SEE_JOB)


@router.post(
    "/jobs/{job_id}/retry",
    status_code=202,
    response_model=shapes.Job,
    responses=refused(
        Forbidden,
        JobNotFound,
        ExtensionNotFound,
        IllegalTransition,
        SchemaConflict,
        InvalidData,
        TooManyRequests,
    ),
)
async def replay_job(job_id: str, who: Who, inside: Inside) -> Response:
    """The same values again, as a new job that points back with `retry_of`."""
    job = await inside.access.job(who, job_id, Act.REPLAY_JOB)
    inside.throttles.submits.take(who.user)
    may_raise = await inside.access.manages(who, job.room)
    return answer(documents.job(await inside.operating.replay(who, job, may_raise=may_raise), who), 202)


@router.post(
    "/rooms/{room}/jobs/retry",
    status_code=202,
    response_model=shapes.JobEntries,
    responses=refused(RoomNotFound, TooManyRequests),
)
async def replay_jobs(
    room: Room,
    who: Who,
    inside: Inside,
    status: JobState = JobState.FAILED,
    extension: Extension = None,
    limit: Limit = 100,
) -> Response:
    """Replay all that match, oldest first: an entry for each, a job or the problem that kept it out."""
    await inside.access.enter(who, room, Act.REPLAY_JOB)
    inside.throttles.submits.take(who.user, limit)
    category, name = _split(extension)
    query = FindJobs(room=room, status=status, category=category, name=name, limit=limit)
    may_raise = await inside.access.manages(who, room)
    replayed = await inside.operating.replay_all(who, query, may_raise=may_raise)
    return answer({"items": [documents.entry(each, who) for each in replayed]}, 202)


@router.get("/jobs/{job_id}/history", response_model=shapes.JobHistory, responses=refused(JobNotFound))
async def read_job_history(job_id: str, who: Who, inside: Inside) -> Response:
    """Every step of the job: when, who, which attempt, why."""
    await inside.access.job(who, job_id, Act.SEE_JOB)
    steps = await inside.store.read(JobHistory(job_id))
    return answer({"items": [documents.transition(step) for step in steps]})


@router.put(
    "/jobs/{job_id}/status",
    response_model=shapes.Job,
    responses=refused(Forbidden, WorkerNotFound, JobNotFound, StaleAttempt, IllegalTransition),
)
async def report_status(job_id: str, body: StatusBody, who: Who, inside: Inside) -> Response:
    """A worker starts or ends an attempt. `processing` means running, `finished` means completed."""
    await inside.access.worker(who, body.worker_id, Act.RUN_WORKER)
    if body.status is JobState.RUNNING:
        fence = Fence(job_id, body.attempt, body.token)
        nonce = body.nonce or f"rest-{body.worker_id}"
        _raise(await inside.reporting.start(body.worker_id, [Start(fence, nonce)]))
    else:
        report = FinishBody(job_id=job_id, **body.model_dump(exclude={"worker_id", "nonce"})).report()
        run_ms = {} if body.run_ms is None else {job_id: body.run_ms}
        _raise(await inside.reporting.finish(body.worker_id, [report], run_ms))
    job = await inside.store.read(FindJob(job_id))
    assert job is not None
    return answer(documents.job(job, who))


@router.put(
    "/jobs/{job_id}/progress",
    response_model=shapes.Nothing,
    responses=refused(Forbidden, WorkerNotFound, JobNotFound, StaleAttempt),
)
async def report_progress(job_id: str, body: ProgressBody, who: Who, inside: Inside) -> Response:
    """How far a worker has come with an attempt."""
    now = documents.time_of(inside.clock.now_us())
    await inside.access.worker(who, body.worker_id, Act.RUN_WORKER)
    event = ProgressEvent(job_id=job_id, **body.model_dump(exclude={"worker_id"}))
    _raise(await inside.reporting.progress(body.worker_id, [event.progress(now)]))
    return answer({})


async def _job(job_id: str, who: Principal, inside: Services, act: Act) -> Response:
    job = await inside.access.job(who, job_id, act)
    return answer(documents.job(inside.reading.estimated(job), who))


def _split(extension: str | None) -> tuple[str | None, str | None]:
    if extension is None:
        return None, None
    category, separator, name = extension.partition("/")
    if not separator:
        raise InvalidRequest("an extension is named category/name")
    return category, name


def _raise(answers: Answers) -> None:
    if answers[0] is not None:
        raise answers[0]
