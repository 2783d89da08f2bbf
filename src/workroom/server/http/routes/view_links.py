"""Links that show a room in a frame."""

from __future__ import annotations

from fastapi import Response

from workroom.domain.permissions import Permission
from workroom.errors import Forbidden, RoomNotFound
from workroom.server.http.dependencies import Caller, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.http.views.account import ViewLink

router = Router(prefix="/api/rooms", tags=["rooms"])


@router.post(
    "/{room}/view-link", status_code=201, response_model=ViewLink, responses=refused(Forbidden, RoomNotFound)
)
async def create_view_link(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """A ticket to show the room in a frame: `/rooms/{room}/view#ticket=…`, valid once within two minutes.

    Its token reads this room alone, and changes nothing.
    """
    found = await services.access.room(caller, room, Permission.SEE_ROOM)
    ticket = services.view_links.issue(caller, found)
    return json_response({"ticket": ticket, "frame_ancestors": services.settings.frame_ancestors}, 201)
