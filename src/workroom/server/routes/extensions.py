"""What can be run."""

from __future__ import annotations

import orjson
from fastapi import APIRouter, Response

from workroom.domain.extension import Scope
from workroom.domain.identity import Principal
from workroom.domain.policy import Act
from workroom.domain.queries import ExtensionsOverview, LastValues, VisibleExtensions
from workroom.server import documents
from workroom.server.context import Admin, Inside, Room, Services, Who, answer
from workroom.server.json_route import JsonRoute

router = APIRouter(prefix="/api", tags=["extensions"], route_class=JsonRoute)


@router.get("/rooms/{room}/extensions")
async def list_extensions(room: Room, who: Who, inside: Inside) -> Response:
    """The room's own extensions and the public ones, with live numbers."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    found = await inside.store.read(VisibleExtensions(room))
    return answer({"items": [documents.extension(extension) for extension in found]})


@router.get("/rooms/{room}/extensions/{scope}/{category}/{name}/stats")
async def extension_stats(
    room: Room, scope: Scope, category: str, name: str, who: Who, inside: Inside
) -> Response:
    await inside.access.enter(who, room, Act.SEE_ROOM)
    return answer(documents.stats(await inside.operating.extension(room, scope, category, name)))


@router.post("/rooms/{room}/extensions/{scope}/{category}/{name}/pause")
async def pause_extension(
    room: Room, scope: Scope, category: str, name: str, who: Who, inside: Inside
) -> Response:
    """Hand out no more of its jobs; submitting goes on, what runs goes on."""
    await _may_operate(who, room, scope, inside)
    paused = await inside.operating.pause(room, scope, category, name, paused=True)
    return answer(documents.extension(paused))


@router.post("/rooms/{room}/extensions/{scope}/{category}/{name}/resume")
async def resume_extension(
    room: Room, scope: Scope, category: str, name: str, who: Who, inside: Inside
) -> Response:
    await _may_operate(who, room, scope, inside)
    resumed = await inside.operating.pause(room, scope, category, name, paused=False)
    return answer(documents.extension(resumed))


@router.get("/rooms/{room}/extensions/{category}/{name}/data")
async def last_values(room: Room, category: str, name: str, who: Who, inside: Inside) -> Response:
    """What I last submitted with this form; null if nothing."""
    await inside.access.enter(who, room, Act.SUBMIT)
    data = await inside.store.read(LastValues(who.user, room, category, name))
    return answer({"data": None if data is None else orjson.Fragment(data)})


@router.get("/extensions/overview")
async def overview(who: Admin, inside: Inside) -> Response:
    """Every extension there is, with how much it is used."""
    usages = await inside.store.read(ExtensionsOverview())
    return answer({"items": [documents.usage(usage) for usage in usages]})


async def _may_operate(who: Principal, room: str, scope: Scope, inside: Services) -> None:
    """A public extension is everybody's: only admins pause it."""
    await inside.access.room(who, room, Act.SEE_ROOM if scope is Scope.PUBLIC else Act.MANAGE_ROOM)
    if scope is Scope.PUBLIC:
        inside.access.check(who, Act.ADMINISTER)
