"""Groups: submit many jobs as one thing, watch and operate them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response
from fastapi.responses import StreamingResponse

from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.queries import FindJobs
from workroom.errors import (
    Busy,
    Forbidden,
    GroupClosed,
    GroupNotFound,
    IdempotencyConflict,
    RoomNotFound,
    TooManyRequests,
)
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.bodies.submit import GroupBody, GroupJobsBody
from workroom.server.http.dependencies import Caller, Cursor, Limit, RoomName, ServicesDep, json_response
from workroom.server.http.job_filters import Status, by_status
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.routes.history import NEXT_CURSOR
from workroom.server.http.routes.submit import BRIEF, Key, Prefer, Trace
from workroom.server.http.views.group import (
    EndedJobs,
    Group,
    GroupEntries,
    GroupPage,
    RetriedGroup,
    render_added,
    render_ended,
    render_group,
    render_group_page,
)
from workroom.server.http.views.job import JobPage, render_job_page
from workroom.services.history.export import MAX_ROWS

router = Router(prefix="/api", tags=["groups"])

MAX_WAIT = 30
AfterEnd = Annotated[int, Query(ge=0, le=MAX_INT, description="`next_after` of the previous request")]
WaitForEnd = Annotated[float, Query(ge=0, le=MAX_WAIT, description="seconds to wait for the end of a job")]
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": f"The newest {MAX_ROWS:,} jobs. If there are more, `{NEXT_CURSOR}` is the `cursor` of "
        "the next file.",
        "content": {"text/csv": {"schema": {"type": "string"}}},
        "headers": {NEXT_CURSOR: {"schema": {"type": "integer"}}},
    }
}


@router.post(
    "/rooms/{room}/groups",
    status_code=202,
    response_model=GroupEntries,
    responses=refused(*STORING, RoomNotFound, IdempotencyConflict, GroupClosed, TooManyRequests),
)
async def create_group(
    room: RoomName,
    body: GroupBody,
    caller: Caller,
    services: ServicesDep,
    prefer: Prefer = None,
    idempotency_key: Key = None,
    trace: Trace = None,
) -> Response:
    """Submit jobs as a group, in one commit. Each has an entry: the job, or why it was rejected."""
    group_id = services.groups.id_of(caller, room, idempotency_key)
    new = NewGroup(group_id, room, caller.user, body.title, tuple(body.parameters))
    requests, brief = [each.request(room, trace) for each in body.jobs], prefer == BRIEF
    added = await services.groups.create(
        caller, new, requests, idempotency_key, stays_open=body.open, brief=brief
    )
    return json_response(render_added(added, caller, brief=brief), 202)


@router.post(
    "/groups/{group}/jobs",
    status_code=202,
    response_model=GroupEntries,
    responses=refused(Forbidden, *STORING, GroupNotFound, IdempotencyConflict, GroupClosed, TooManyRequests),
)
async def add_to_group(
    group: str,
    body: GroupJobsBody,
    caller: Caller,
    services: ServicesDep,
    prefer: Prefer = None,
    idempotency_key: Key = None,
    trace: Trace = None,
) -> Response:
    """Add jobs to a group that is open. Without `open`, it is closed behind them."""
    requests, brief = [each.request("", trace) for each in body.jobs], prefer == BRIEF
    added = await services.groups.add(
        caller, group, requests, idempotency_key, stays_open=body.open, brief=brief
    )
    return json_response(render_added(added, caller, brief=brief), 202)


@router.get("/rooms/{room}/groups", response_model=GroupPage, responses=refused(RoomNotFound))
async def list_groups(
    room: RoomName, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """Newest first."""
    return json_response(render_group_page(await services.groups.list(caller, room, cursor, limit)))


@router.get("/groups/{group}", response_model=Group, responses=refused(GroupNotFound))
async def read_group(group: str, caller: Caller, services: ServicesDep) -> Response:
    """Its state, and how many of its jobs are in each state."""
    return json_response(render_group(await services.groups.read(caller, group)))


@router.get("/groups/{group}/jobs", response_model=JobPage, responses=refused(GroupNotFound))
async def list_group_jobs(
    group: str,
    caller: Caller,
    services: ServicesDep,
    status: Status = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Response:
    """The jobs of a group, newest first."""
    query = FindJobs(group=group, before=cursor, limit=limit, **by_status(status))
    return json_response(render_job_page(await services.groups.jobs(caller, query), caller))


@router.get("/groups/{group}/ended", response_model=EndedJobs, responses=refused(GroupNotFound))
async def list_ended_jobs(
    group: str,
    caller: Caller,
    services: ServicesDep,
    after: AfterEnd = 0,
    limit: Limit = 100,
    wait: WaitForEnd = 0.0,
) -> Response:
    """The jobs of a group in the order of their ends, behind number `after`. Waits if there is none."""
    ended = await services.groups.ended(caller, group, after, limit, wait)
    return json_response(render_ended(ended, caller))


@router.get(
    "/groups/{group}/jobs.csv",
    response_class=Response,
    responses={**refused(GroupNotFound, Busy), **_FILE},
)
async def export_group(group: str, caller: Caller, services: ServicesDep, cursor: Cursor = None) -> Response:
    """The jobs of a group as a table: parameters and plain results are columns."""
    found = await services.groups.read(caller, group)
    selection = await services.export.of_group(caller, found, cursor)
    headers = {"Content-Disposition": f'attachment; filename="{found.room}-group.csv"'}
    if selection.next_cursor is not None:
        headers[NEXT_CURSOR] = str(selection.next_cursor)
    rows = services.export.rows(caller, selection)
    return StreamingResponse(rows, 200, headers, "text/csv; charset=utf-8")


@router.post(
    "/groups/{group}/cancel",
    status_code=202,
    response_model=Group,
    responses=refused(Forbidden, GroupNotFound),
)
async def cancel_group(group: str, caller: Caller, services: ServicesDep) -> Response:
    """Cancel all its jobs. Acknowledged at once, carried out in the background."""
    return json_response(render_group(await services.groups.change(caller, group, GroupChange.CANCEL)), 202)


@router.post(
    "/groups/{group}/pause",
    status_code=202,
    response_model=Group,
    responses=refused(Forbidden, GroupNotFound, GroupClosed),
)
async def pause_group(group: str, caller: Caller, services: ServicesDep) -> Response:
    """Start no further jobs of it; what runs goes on."""
    return json_response(render_group(await services.groups.change(caller, group, GroupChange.PAUSE)), 202)


@router.post(
    "/groups/{group}/resume",
    status_code=202,
    response_model=Group,
    responses=refused(Forbidden, GroupNotFound, GroupClosed),
)
async def resume_group(group: str, caller: Caller, services: ServicesDep) -> Response:
    """Its jobs return to their places in the queue."""
    return json_response(render_group(await services.groups.change(caller, group, GroupChange.RESUME)), 202)


@router.post(
    "/groups/{group}/retry",
    status_code=202,
    response_model=RetriedGroup,
    responses=refused(Forbidden, *STORING, GroupNotFound, Busy, TooManyRequests),
)
async def retry_group(group: str, caller: Caller, services: ServicesDep) -> Response:
    """Submit its failed jobs again, some hundred at a time, as new jobs of the group."""
    found, retried, more = await services.groups.retry(caller, group)
    return json_response({"group": render_group(found), "retried": retried, "more": more}, 202)
