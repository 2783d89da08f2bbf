"""Files uploaded to a room, to which the values of a job can refer."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from workroom.domain.files import file_name, media_type_of
from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.errors import DigestMismatch, FileNotFound, Forbidden, RangeNotSatisfiable, RoomNotFound
from workroom.server.http.context import Services
from workroom.server.http.dependencies import Caller, Cursor, Limit, RoomName, ServicesDep, json_response
from workroom.server.http.downloads import BINARY, download
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.uploads import BODY, incoming
from workroom.server.http.views.file import RoomFile, RoomFilePage, render_room_file, render_room_file_page
from workroom.server.http.views.values import Nothing

router = Router(prefix="/api/rooms/{room}/files", tags=["files"])

Name = Annotated[str, Query(max_length=1000, description="the name of the file")]


@router.post(
    "",
    status_code=201,
    response_model=RoomFile,
    responses=refused(*STORING, RoomNotFound, DigestMismatch),
    openapi_extra=BODY,
)
async def upload_file(
    room: RoomName, name: Name, caller: Caller, services: ServicesDep, request: Request
) -> Response:
    """Stream a file of any size into the room; a form field refers to it by its `id`."""
    await services.access.room(caller, room, Permission.SUBMIT_JOB)
    kept_name = file_name(name)
    media_type = media_type_of(kept_name, request.headers.get("content-type"))
    file = await services.files.upload(caller, room, kept_name, media_type, incoming(request))
    return json_response(render_room_file(file), 201)


@router.get("", response_model=RoomFilePage, responses=refused(RoomNotFound))
async def list_files(
    room: RoomName, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """Newest first."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_room_file_page(await services.directory.room_files(room, cursor, limit)))


@router.get(
    "/{file_id}",
    response_class=Response,
    responses={**BINARY, **refused(RoomNotFound, FileNotFound, RangeNotSatisfiable)},
)
async def read_file(
    room: RoomName,
    file_id: str,
    caller: Caller,
    services: ServicesDep,
    request: Request,
    inline: bool = False,
) -> Response:
    """The file, or the part that `Range` names. With `inline`, browsers display safe media types."""
    return await _file(room, file_id, caller, services, request, inline=inline)


@router.head("/{file_id}", include_in_schema=False)
async def head_file(
    room: RoomName,
    file_id: str,
    caller: Caller,
    services: ServicesDep,
    request: Request,
    inline: bool = False,
) -> Response:
    return await _file(room, file_id, caller, services, request, inline=inline)


@router.delete(
    "/{file_id}",
    response_model=Nothing,
    responses=refused(Forbidden, RoomNotFound, FileNotFound),
)
async def delete_file(room: RoomName, file_id: str, caller: Caller, services: ServicesDep) -> Response:
    """For its uploader, the room's owner and admins."""
    await services.files.delete(await services.access.file(caller, room, file_id, Permission.DELETE_FILE))
    return json_response({})


async def _file(
    room: str, file_id: str, caller: Principal, services: Services, request: Request, *, inline: bool
) -> Response:
    found = await services.access.file(caller, room, file_id, Permission.SEE_ROOM)
    return await download(request, services.files, found.blob, found.name, found.media_type, inline=inline)
