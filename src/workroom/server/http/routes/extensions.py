"""Extensions: list, pause, and the values last submitted."""

from __future__ import annotations

import orjson
from fastapi import Response

from workroom.domain.audit import AuditAction
from workroom.domain.extension import Scope
from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.errors import ExtensionNotFound, Forbidden, RoomNotFound
from workroom.server.http.context import Services
from workroom.server.http.dependencies import AdminCaller, Caller, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.http.views.extension import (
    DetailedStats,
    Extension,
    Extensions,
    ExtensionUsages,
    LastValues,
    render_detailed_stats,
    render_extension,
    render_extensions,
    render_usages,
)

router = Router(prefix="/api", tags=["extensions"])


@router.get("/rooms/{room}/extensions", response_model=Extensions, responses=refused(RoomNotFound))
async def list_extensions(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """The room's own extensions and the public ones, with live numbers."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_extensions(await services.directory.extensions(room)))


@router.get(
    "/rooms/{room}/extensions/{scope}/{category}/{name}/stats",
    response_model=DetailedStats,
    responses=refused(RoomNotFound, ExtensionNotFound),
)
async def read_extension_stats(
    room: RoomName, scope: Scope, category: str, name: str, caller: Caller, services: ServicesDep
) -> Response:
    """The current numbers of workers and pending jobs, and of jobs by the key of a limit."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    extension = await services.operations.extension(room, scope, category, name)
    return json_response(render_detailed_stats(extension, await services.operations.lanes(extension)))


@router.post(
    "/rooms/{room}/extensions/{scope}/{category}/{name}/pause",
    response_model=Extension,
    responses=refused(Forbidden, RoomNotFound, ExtensionNotFound),
)
async def pause_extension(
    room: RoomName, scope: Scope, category: str, name: str, caller: Caller, services: ServicesDep
) -> Response:
    """Dispatch no more of its jobs. Jobs can still be submitted, and running jobs continue."""
    await _may_operate(caller, room, scope, services)
    paused = await services.operations.pause(room, scope, category, name, paused=True)
    await services.audit.write(caller, AuditAction.EXTENSION_PAUSED, f"{category}/{name}", f"in {room}")
    return json_response(render_extension(paused))


@router.post(
    "/rooms/{room}/extensions/{scope}/{category}/{name}/resume",
    response_model=Extension,
    responses=refused(Forbidden, RoomNotFound, ExtensionNotFound),
)
async def resume_extension(
    room: RoomName, scope: Scope, category: str, name: str, caller: Caller, services: ServicesDep
) -> Response:
    """Dispatch its jobs again."""
    await _may_operate(caller, room, scope, services)
    resumed = await services.operations.pause(room, scope, category, name, paused=False)
    await services.audit.write(caller, AuditAction.EXTENSION_RESUMED, f"{category}/{name}", f"in {room}")
    return json_response(render_extension(resumed))


@router.get(
    "/rooms/{room}/extensions/{category}/{name}/data",
    response_model=LastValues,
    responses=refused(RoomNotFound),
)
async def read_last_values(
    room: RoomName, category: str, name: str, caller: Caller, services: ServicesDep
) -> Response:
    """The values that the caller last submitted, without secret ones; null if there are none."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    data = await services.form_values.values(caller, room, category, name)
    return json_response({"data": None if data is None else orjson.Fragment(data)})


@router.get("/extensions/overview", response_model=ExtensionUsages, responses=refused(Forbidden))
async def read_extensions_overview(caller: AdminCaller, services: ServicesDep) -> Response:
    """Every extension with its usage: jobs by status, how the last 200 ended, and the last failure."""
    return json_response(render_usages(await services.directory.extension_usages()))


async def _may_operate(caller: Principal, room: str, scope: Scope, services: Services) -> None:
    """Only admins may pause a public extension, because every room uses it."""
    await services.access.room(
        caller, room, Permission.SEE_ROOM if scope is Scope.PUBLIC else Permission.MANAGE_ROOM
    )
    if scope is Scope.PUBLIC:
        services.access.check(caller, Permission.ADMINISTER)
