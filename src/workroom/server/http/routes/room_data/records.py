"""Records of a room: small JSON objects that packs and users keep, found by their indexed fields."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.domain.room_data.records import FieldValue
from workroom.errors import (
    Forbidden,
    InvalidName,
    InvalidRequest,
    RecordNotFound,
    RoomNotFound,
    TooManyRequests,
)
from workroom.server.http.bodies.record import RecordBody
from workroom.server.http.context import Services
from workroom.server.http.dependencies import Caller, Cursor, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.record import Record, RecordPage, render_record, render_record_page
from workroom.server.http.views.values import Nothing
from workroom.services.json_codec import decode

router = Router(prefix="/api/rooms/{room}/records/{kind}", tags=["data"])

_MAX_WHERE = 4000
Where = Annotated[
    str,
    Query(max_length=_MAX_WHERE, description='values of indexed fields as JSON: `{"state": "done"}`'),
]
RecordLimit = Annotated[int, Query(ge=1, le=200)]


@router.get("", response_model=RecordPage, responses=refused(RoomNotFound, InvalidName))
async def list_records(
    room: RoomName,
    kind: str,
    caller: Caller,
    services: ServicesDep,
    where: Where = "",
    cursor: Cursor = None,
    limit: RecordLimit = 50,
) -> Response:
    """The records of a kind that have all of these fields, the latest created first."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    page = await services.records.find(room, kind, _wanted(where), cursor, limit)
    return json_response(render_record_page(page))


@router.get("/{id}", response_model=Record, responses=refused(RoomNotFound, RecordNotFound, InvalidName))
async def read_record(room: RoomName, kind: str, id: str, caller: Caller, services: ServicesDep) -> Response:
    """A record with its fields."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_record(await services.records.read(room, kind, id)))


@router.put(
    "/{id}",
    response_model=Record,
    responses=refused(Forbidden, *STORING, RoomNotFound, InvalidName, TooManyRequests),
)
async def put_record(
    room: RoomName, kind: str, id: str, body: RecordBody, caller: Caller, services: ServicesDep
) -> Response:
    """Create or replace a record. Sending the same one again changes nothing."""
    await _check(caller, room, services)
    services.quotas.check_disk()
    return json_response(
        render_record(await services.records.put(caller, room, kind, id, body.body, body.fields))
    )


@router.delete(
    "/{id}",
    response_model=Nothing,
    responses=refused(Forbidden, RoomNotFound, RecordNotFound, InvalidName, TooManyRequests),
)
async def delete_record(
    room: RoomName, kind: str, id: str, caller: Caller, services: ServicesDep
) -> Response:
    """Delete a record. It cannot be undone."""
    await _check(caller, room, services)
    await services.records.delete(caller, room, kind, id)
    return json_response({})


async def _check(caller: Principal, room: str, services: Services) -> None:
    await services.access.room(caller, room, Permission.EDIT_DATA)
    services.throttles.room_data.take(caller.user)


def _wanted(where: str) -> dict[str, FieldValue]:
    if not where:
        return {}
    try:
        found = decode(where.encode())
    except ValueError as error:
        raise InvalidRequest("where is a JSON object with the values of indexed fields") from error
    if not isinstance(found, dict) or not all(
        isinstance(value, str | int | float) for value in found.values()
    ):
        raise InvalidRequest("where is a JSON object with the values of indexed fields")
    return found
