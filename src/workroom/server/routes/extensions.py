"""What can be run."""

from __future__ import annotations

import orjson
from fastapi import Response

from workroom.domain.extension import Scope
from workroom.domain.identity import Principal
from workroom.domain.policy import Act
from workroom.domain.queries import ExtensionsOverview, LastValues, VisibleExtensions
from workroom.errors import ExtensionNotFound, Forbidden, RoomNotFound
from workroom.server import documents, shapes
from workroom.server.context import Admin, Inside, Room, Services, Who, answer
from workroom.server.openapi import refused
from workroom.server.router import Router

router = Router(prefix="/api", tags=["extensions"])


@router.get("/rooms/{room}/extensions", response_model=shapes.Extensions, responses=refused(RoomNotFound))
async def list_extensions(room: Room, who: Who, inside: Inside) -> Response:
    """The room's own extensions and the public ones, with live numbers."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    found = await inside.store.read(VisibleExtensions(room))
    return answer({"items": [documents.extension(extension) for extension in found]})


@router.get(
    "/rooms/{room}/extensions/{scope}/{category}/{name}/stats",
    response_model=shapes.ExtensionStats,
    responses=refused(RoomNotFound, ExtensionNotFound),
)
async def read_extension_stats(
    room: Room, scope: Scope, category: str, name: str, who: Who, inside: Inside
) -> Response:
    """How many workers and jobs it has right now."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    return answer(documents.stats(await inside.operating.extension(room, scope, category, name)))


@router.post(
    "/rooms/{room}/extensions/{scope}/{category}/{name}/pause",
    response_model=shapes.Extension,
    responses=refused(Forbidden, RoomNotFound, ExtensionNotFound),
)
async def pause_extension(
    room: Room, scope: Scope, category: str, name: str, who: Who, inside: Inside
) -> Response:
    """Hand out no more of its jobs; submitting goes on, what runs goes on."""
    await _may_operate(who, room, scope, inside)
    paused = await inside.operating.pause(room, scope, category, name, paused=True)
    return answer(documents.extension(paused))


@router.post(
    "/rooms/{room}/extensions/{scope}/{category}/{name}/resume",
    response_model=shapes.Extension,
    responses=refused(Forbidden, RoomNotFound, ExtensionNotFound),
)
async def resume_extension(
    room: Room, scope: Scope, category: str, name: str, who: Who, inside: Inside
) -> Response:
    """Hand out its jobs again."""
    await _may_operate(who, room, scope, inside)
    resumed = await inside.operating.pause(room, scope, category, name, paused=False)
    return answer(documents.extension(resumed))


@router.get(
    "/rooms/{room}/extensions/{category}/{name}/data",
    response_model=shapes.LastValues,
    responses=refused(RoomNotFound),
)
async def read_last_values(room: Room, category: str, name: str, who: Who, inside: Inside) -> Response:
    """What I last submitted with this form; null if nothing."""
    await inside.access.enter(who, room, Act.SUBMIT)
    data = await inside.store.read(LastValues(who.user, room, category, name))
    return answer({"data": None if data is None else orjson.Fragment(data)})


@router.get("/extensions/overview", response_model=shapes.ExtensionUsages, responses=refused(Forbidden))
async def read_extensions_overview(who: Admin, inside: Inside) -> Response:
    """Every extension there is, with how much it is used."""
    usages = await inside.store.read(ExtensionsOverview())
    return answer({"items": [documents.usage(usage) for usage in usages]})


async def _may_operate(who: Principal, room: str, scope: Scope, inside: Services) -> None:
    """A public extension is everybody's: only admins pause it."""
    await inside.access.room(who, room, Act.SEE_ROOM if scope is Scope.PUBLIC else Act.MANAGE_ROOM)
    if scope is Scope.PUBLIC:
        inside.access.check(who, Act.ADMINISTER)
