"""The server as a whole, for administrators. Users, tokens, workers and all jobs are with their subjects."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.errors import Forbidden, RoomNotFound, TooManyRequests
from workroom.server.http.bodies.history import ActionBody
from workroom.server.http.dependencies import (
    AdminCaller,
    After,
    Cursor,
    Limit,
    ServicesDep,
    json_response,
)
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.admin import (
    AuditPage,
    Overview,
    RoomUsagePage,
    Settings,
    render_audit_page,
    render_overview,
    render_room_usage_page,
    render_settings,
)
from workroom.server.http.views.job import JobEntries, render_entries
from workroom.services.admin.settings_view import settings_in_force

router = Router(prefix="/api/admin", tags=["operations"])
Hours = Annotated[float, Query(gt=0, le=24, description="how far back the points go, at most to the start")]


@router.get("/overview", response_model=Overview, responses=refused(Forbidden))
async def read_overview(caller: AdminCaller, services: ServicesDep, hours: Hours = 6) -> Response:
    """Queues now, and the ends, waits and executions of the last hours. The server keeps a day in memory."""
    return json_response(render_overview(await services.activity.read(hours)))


@router.get("/rooms", response_model=RoomUsagePage, responses=refused(Forbidden))
async def list_room_usage(
    caller: AdminCaller, services: ServicesDep, after: After = "", limit: Limit = 100
) -> Response:
    """Every room with its unfinished jobs, files and bytes, by name."""
    rooms = await services.directory.rooms(caller, after, limit)
    usage = await services.quotas.room_usage([room.name for room in rooms[:limit]])
    return json_response(render_room_usage_page(rooms, usage, limit))


@router.post(
    "/jobs/actions",
    response_model=JobEntries,
    responses=refused(*STORING, Forbidden, RoomNotFound, TooManyRequests),
)
async def act_on_any_jobs(body: ActionBody, caller: AdminCaller, services: ServicesDep) -> Response:
    """The same as for the jobs of one room, for up to 200 jobs of any rooms."""
    results = await services.bulk.run_anywhere(caller, body.action, body.jobs, body.tags)
    return json_response(render_entries(results, caller, brief=True))


@router.get("/settings", response_model=Settings, responses=refused(Forbidden))
async def read_settings(caller: AdminCaller, services: ServicesDep) -> Response:
    """Every setting of this server with its value in force. Secrets are masked."""
    return json_response(render_settings(settings_in_force(services.settings)))


@router.get("/audit", response_model=AuditPage, responses=refused(Forbidden))
async def list_audit(
    caller: AdminCaller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 100
) -> Response:
    """What administrators did, and which rooms were deleted by whom, newest first."""
    return json_response(render_audit_page(await services.audit.read(cursor, limit)))
