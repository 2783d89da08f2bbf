"""Files that people bring to a room, so that the values of a job can refer to them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from workroom.domain.files import file_name, media_type_of
from workroom.domain.identity import Principal
from workroom.domain.policy import Act
from workroom.domain.queries import FindFiles
from workroom.errors import DigestMismatch, FileNotFound, Forbidden, RangeNotSatisfiable, RoomNotFound
from workroom.server import documents, shapes
from workroom.server.context import Inside, Room, Services, Who, answer
from workroom.server.downloads import BINARY, download
from workroom.server.openapi import refused
from workroom.server.paging import Cursor, Limit
from workroom.server.router import Router
from workroom.server.uploads import BODY, incoming

router = Router(prefix="/api/rooms/{room}/files", tags=["files"])

Name = Annotated[str, Query(max_length=1000, description="what the file is called")]


@router.post(
    "",
    status_code=201,
    response_model=shapes.RoomFile,
    responses=refused(RoomNotFound, DigestMismatch),
    openapi_extra=BODY,
)
async def upload_file(room: Room, name: Name, who: Who, inside: Inside, request: Request) -> Response:
    """Stream a file of any size into the room; a form field refers to it by its `id`."""
    await inside.access.enter(who, room, Act.SUBMIT)
    kept_name = file_name(name)
    media_type = media_type_of(kept_name, request.headers.get("content-type"))
    file = await inside.files.upload(room, who.user, kept_name, media_type, incoming(request))
    return answer(documents.room_file(file), 201)


@router.get("", response_model=shapes.RoomFilePage, responses=refused(RoomNotFound))
async def list_files(
    room: Room, who: Who, inside: Inside, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """Newest first."""
    await inside.access.enter(who, room, Act.SEE_ROOM)
    page = await inside.store.read(FindFiles(room, cursor, limit))
    items = [documents.room_file(file) for file in page.items]
    return answer({"items": items, "next_cursor": page.next_cursor})


@router.get(
    "/{file_id}",
    response_class=Response,
    responses={**BINARY, **refused(RoomNotFound, FileNotFound, RangeNotSatisfiable)},
)
async def read_file(
    room: Room, file_id: str, who: Who, inside: Inside, request: Request, inline: bool = False
) -> Response:
    """The file, or the part that `Range` names. `inline` shows what is safe to show in a page."""
    return await _file(room, file_id, who, inside, request, inline=inline)


@router.head("/{file_id}", include_in_schema=False)
async def head_file(
    room: Room, file_id: str, who: Who, inside: Inside, request: Request, inline: bool = False
) -> Response:
    return await _file(room, file_id, who, inside, request, inline=inline)


@router.delete(
    "/{file_id}",
    response_model=shapes.Nothing,
    responses=refused(Forbidden, RoomNotFound, FileNotFound),
)
async def delete_file(room: Room, file_id: str, who: Who, inside: Inside) -> Response:
    """By who brought it, the room's owner, or an admin."""
    await inside.files.delete(await inside.access.file(who, room, file_id, Act.DELETE_FILE))
    return answer({})


async def _file(
    room: str, file_id: str, who: Principal, inside: Services, request: Request, *, inline: bool
) -> Response:
    found = await inside.access.file(who, room, file_id, Act.SEE_ROOM)
    return await download(request, inside.files, found.blob, found.name, found.media_type, inline=inline)
