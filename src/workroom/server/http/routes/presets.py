"""Presets: named values of an extension's form, of the caller or of the room."""

from __future__ import annotations

from fastapi import Response

from workroom.domain.permissions import Permission
from workroom.domain.preset import Whose, preset_key
from workroom.errors import (
    Busy,
    ExtensionNotFound,
    Forbidden,
    InvalidData,
    NameTaken,
    PresetNotFound,
    RoomNotFound,
    TooManyRequests,
)
from workroom.server.http.bodies.preset import PresetBody
from workroom.server.http.dependencies import Caller, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.preset import (
    Preset,
    Presets,
    PresetWithData,
    render_preset,
    render_preset_with_data,
    render_presets,
)
from workroom.server.http.views.values import Nothing

router = Router(prefix="/api/rooms/{room}/presets/{category}/{name}", tags=["extensions"])


@router.get("", response_model=Presets, responses=refused(Forbidden, RoomNotFound))
async def list_presets(
    room: RoomName, category: str, name: str, caller: Caller, services: ServicesDep
) -> Response:
    """The room's presets of an extension and the caller's own, each by name."""
    await services.access.room(caller, room, Permission.SEE_PRESETS)
    return json_response(render_presets(await services.presets.visible(caller, room, category, name)))


@router.get(
    "/{whose}/{preset}",
    response_model=PresetWithData,
    responses=refused(Forbidden, RoomNotFound, PresetNotFound),
)
async def read_preset(
    room: RoomName,
    category: str,
    name: str,
    whose: Whose,
    preset: str,
    caller: Caller,
    services: ServicesDep,
) -> Response:
    """The values as they were saved: the schema of the extension may have changed since."""
    await services.access.room(caller, room, Permission.SEE_PRESETS)
    key = preset_key(room, caller.user, category, name, whose, preset)
    return json_response(render_preset_with_data(await services.presets.read(key)))


@router.put(
    "/{whose}/{preset}",
    response_model=Preset,
    responses=refused(
        Forbidden, *STORING, RoomNotFound, ExtensionNotFound, NameTaken, InvalidData, TooManyRequests
    ),
)
async def save_preset(
    room: RoomName,
    category: str,
    name: str,
    whose: Whose,
    preset: str,
    body: PresetBody,
    caller: Caller,
    services: ServicesDep,
) -> Response:
    """Save values under a name. They are not validated, and secret ones are left out.

    A name that has other values is refused, unless `replace` is true and the caller may change that preset.
    """
    found = await services.access.room(caller, room, Permission.SAVE_PRESET)
    services.throttles.presets.take(caller.user)
    key = preset_key(room, caller.user, category, name, whose, preset)
    saved = await services.presets.save(caller, found, key, body.data, replaces=body.replace)
    return json_response(render_preset(saved))


@router.delete(
    "/{whose}/{preset}",
    response_model=Nothing,
    responses=refused(Forbidden, RoomNotFound, PresetNotFound, TooManyRequests, Busy),
)
async def delete_preset(
    room: RoomName,
    category: str,
    name: str,
    whose: Whose,
    preset: str,
    caller: Caller,
    services: ServicesDep,
) -> Response:
    """Delete a preset: one's own or, of the room's, as who saved it first or as the room's owner."""
    found = await services.access.room(caller, room, Permission.SAVE_PRESET)
    services.throttles.presets.take(caller.user)
    await services.presets.delete(caller, found, preset_key(room, caller.user, category, name, whose, preset))
    return json_response({})
