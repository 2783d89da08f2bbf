"""What people do with the jobs of a room: annotate them, act on many at once, export them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobs
from workroom.errors import Busy, Forbidden, JobNotFound, RoomNotFound, TooManyRequests
from workroom.server.http.bodies.fields import Name
from workroom.server.http.bodies.history import ActionBody, AnnotationBody
from workroom.server.http.dependencies import Caller, Cursor, RoomName, ServicesDep, json_response
from workroom.server.http.job_filters import Extension, NameFilter, Search, Status, by_extension, by_status
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.job import Job, JobEntries, render_entries, render_job
from workroom.services.history.bulk import MAX_JOBS
from workroom.services.history.export import MAX_ROWS

router = Router(prefix="/api", tags=["jobs"])
NEXT_CURSOR = "X-Next-Cursor"
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": f"The newest {MAX_ROWS:,} jobs that match. If there are more, `{NEXT_CURSOR}` is "
        "the `cursor` of the next file.",
        "content": {"text/csv": {"schema": {"type": "string"}}},
        "headers": {NEXT_CURSOR: {"schema": {"type": "integer"}}},
    }
}
Ids = Annotated[
    list[Name], Query(alias="id", max_length=MAX_JOBS, description="these jobs, instead of a search")
]


@router.patch(
    "/jobs/{job_id}", response_model=Job, responses=refused(Forbidden, JobNotFound, TooManyRequests, Busy)
)
async def annotate_job(job_id: str, body: AnnotationBody, caller: Caller, services: ServicesDep) -> Response:
    """Name, star, tag or note a job, for everybody in its room."""
    job = await services.access.job(caller, job_id, Permission.ANNOTATE_JOB)
    services.throttles.annotations.take(caller.user)
    annotated = await services.annotations.change(caller, job, body.change())
    return json_response(render_job(annotated, caller))


@router.post(
    "/rooms/{room}/jobs/actions",
    response_model=JobEntries,
    responses=refused(*STORING, RoomNotFound, TooManyRequests, Busy),
)
async def act_on_jobs(room: RoomName, body: ActionBody, caller: Caller, services: ServicesDep) -> Response:
    """Cancel, retry, arrange, star or tag up to 200 jobs. Each has an entry: the job, or why it was refused.

    Pending jobs of one person that are arranged start in the order in which they are listed.
    """
    results = await services.bulk.run(caller, room, body.action, body.jobs, body.tags)
    return json_response(render_entries(results, caller, brief=True))


@router.get(
    "/rooms/{room}/jobs.csv",
    response_class=Response,
    responses={**refused(RoomNotFound, Busy), **_FILE},
)
async def export_jobs(
    room: RoomName,
    caller: Caller,
    services: ServicesDep,
    status: Status = None,
    user: NameFilter = None,
    extension: Extension = None,
    q: Search = "",
    cursor: Cursor = None,
    ids: Ids = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Jobs as a table: parameters and plain results are columns. Texts cannot act as formulas."""
    if ids:
        selection = await services.export.select(caller, room, ids)
    else:
        query = FindJobs(room=room, user=user, before=cursor, **by_status(status), **by_extension(extension))
        selection = await services.export.search(caller, query, q)
    headers = {"Content-Disposition": f'attachment; filename="{room}-jobs.csv"'}
    if selection.next_cursor is not None:
        headers[NEXT_CURSOR] = str(selection.next_cursor)
    rows = services.export.rows(caller, selection)
    return StreamingResponse(rows, 200, headers, "text/csv; charset=utf-8")
