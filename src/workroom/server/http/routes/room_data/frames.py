"""Frames of a room: read, uploaded and edited."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.domain.room_data.frame_edits import FrameEdit, FrameOperation, Source
from workroom.domain.room_data.frame_selection import Selection
from workroom.errors import (
    ArrayNotFound,
    BodyTooLarge,
    DigestMismatch,
    Forbidden,
    FrameNotFound,
    InvalidFrames,
    InvalidRequest,
    LengthMismatch,
    Locked,
    LockLost,
    PieceNotFound,
    RoomNotFound,
    TooManyRequests,
    VersionConflict,
    VersionNotFound,
    WorkroomError,
)
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.bodies.frames import EditBody
from workroom.server.http.conditions import EditOptionsDep, IfNoneMatch, etag, is_known
from workroom.server.http.context import Services
from workroom.server.http.dependencies import Caller, RoomName, ServicesDep, json_response
from workroom.server.http.messages import (
    BODY,
    MESSAGE,
    MessageResponse,
    declared_size,
    message_headers,
    read_message,
)
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.frames import (
    EditedFrames,
    FramesSummary,
    StoredPiece,
    render_edited,
    render_piece,
    render_summary,
)
from workroom.services.room_data.frames.assembly import Wanted
from workroom.services.room_data.frames.editing import FramesRequest
from workroom.services.room_data.frames.indexes import IndexedFrames

router = Router(prefix="/api/rooms/{room}/frames", tags=["data"])

_MAX_LIST_TEXT = 20_000

Number = Annotated[int | None, Query(ge=-MAX_INT, le=MAX_INT)]
Keys = Annotated[
    str | None, Query(max_length=_MAX_LIST_TEXT, description="of each frame, separated by commas")
]
ColumnKeys = Annotated[str, Query(min_length=1, max_length=_MAX_LIST_TEXT, description="separated by commas")]
AtVersion = Annotated[
    int | None, Query(ge=0, le=MAX_INT, description="as they were after this version of the room")
]
WithETag = Annotated[
    int | None,
    Query(ge=0, le=MAX_INT, description="those of a response with this `ETag`, to read them in parts"),
]
Digest = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="the SHA-256 of the message")]
_READING: dict[int | str, dict[str, Any]] = {
    200: MESSAGE,
    304: {"description": "the caller has this version"},
    **refused(RoomNotFound, FrameNotFound, VersionNotFound, TooManyRequests),
}
_UPLOADING: tuple[type[WorkroomError], ...] = (
    Forbidden,
    *STORING,
    RoomNotFound,
    ArrayNotFound,
    DigestMismatch,
    InvalidFrames,
    BodyTooLarge,
    TooManyRequests,
)
_EDITING: tuple[type[WorkroomError], ...] = (
    Forbidden,
    *STORING,
    RoomNotFound,
    FrameNotFound,
    PieceNotFound,
    LengthMismatch,
    LockLost,
    VersionConflict,
    Locked,
    TooManyRequests,
)


@router.get("", response_model=FramesSummary, responses=refused(RoomNotFound))
async def read_frames_summary(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """How many frames there are, and the keys of the first and the last one."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    found = await services.frames.reader.summary(room)
    response = json_response(render_summary(found))
    response.headers["ETag"] = etag(found.frames.version)
    return response


@router.get("/data", response_class=Response, responses=_READING)
async def read_frames(
    room: RoomName,
    caller: Caller,
    services: ServicesDep,
    index: Annotated[
        str | None,
        Query(max_length=_MAX_LIST_TEXT, description="indices, separated by commas: `0,3,-1`"),
    ] = None,
    start: Number = None,
    stop: Number = None,
    step: Number = None,
    keys: Keys = None,
    dtype: Annotated[Literal["f32"] | None, Query(description="send float64 as float32")] = None,
    after: Annotated[int, Query(ge=0, le=MAX_INT, description="selected frames to skip")] = 0,
    version: AtVersion = None,
    etag: WithETag = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """As many of the selected frames as fit in about 4 MB, at least one: see the header `Frames-Count`."""
    selection = _selection(services, index, start, stop, step)
    await services.access.room(caller, room, Permission.SEE_ROOM)
    frames = await _indexed(services, room, version, etag)
    if is_known(if_none_match, frames.version):
        return _unchanged(frames)
    wanted = Wanted(None if keys is None else frozenset(keys.split(",")), dtype is not None)
    held = await services.frames.take_memory(caller.user, frames, selection, wanted)
    try:
        read = await services.frames.reader.read(room, frames, selection, wanted, after)
        return MessageResponse(read.content, message_headers(read), held)
    except BaseException:
        held.give_back()
        raise


@router.get("/columns", response_class=Response, responses=_READING)
async def read_frame_columns(
    room: RoomName,
    keys: ColumnKeys,
    caller: Caller,
    services: ServicesDep,
    start: Number = None,
    stop: Number = None,
    step: Number = None,
    version: AtVersion = None,
    etag: WithETag = None,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Plain values of many frames, as one block."""
    selection = _selection(services, None, start, stop, step)
    await services.access.room(caller, room, Permission.SEE_ROOM)
    frames = await _indexed(services, room, version, etag)
    if is_known(if_none_match, frames.version):
        return _unchanged(frames)
    names = list(dict.fromkeys(keys.split(",")))
    held = await services.frames.memory.take(caller.user, services.settings.max_column_values * 16)
    try:
        read = await services.frames.columns.read(room, frames, selection, names)
        return MessageResponse(read.content, message_headers(read), held)
    except BaseException:
        held.give_back()
        raise


@router.put(
    "/pieces/{sha256}",
    response_model=StoredPiece,
    responses={201: {"model": StoredPiece, "description": "stored"}, **refused(*_UPLOADING)},
    openapi_extra=BODY,
)
async def upload_piece(
    room: RoomName, sha256: Digest, caller: Caller, services: ServicesDep, request: Request
) -> Response:
    """Upload a message of frames. It is kept for an hour, and for as long as the sequence uses it."""
    await _check(caller, room, services)
    known = await services.frames.pieces.touch(room, sha256)
    if known is not None:
        return json_response(render_piece(known))
    size = declared_size(request, services.settings.max_piece)
    with await services.frames.memory.take(caller.user, size), services.frames.buffers.lend(size) as buffer:
        body = await read_message(request, buffer)
        piece = await services.frames.pieces.upload(caller, room, body, sha256)
    return json_response(render_piece(piece), 201)


@router.post(
    "/pieces",
    response_model=StoredPiece,
    status_code=201,
    responses=refused(*_UPLOADING),
    openapi_extra=BODY,
)
async def post_piece(room: RoomName, caller: Caller, services: ServicesDep, request: Request) -> Response:
    """Upload a message of frames as a piece that the server names, by its SHA-256."""
    await _check(caller, room, services)
    size = declared_size(request, services.settings.max_piece)
    with await services.frames.memory.take(caller.user, size), services.frames.buffers.lend(size) as buffer:
        piece = await services.frames.pieces.upload(caller, room, await read_message(request, buffer))
    return json_response(render_piece(piece), 201)


@router.head("/pieces/{sha256}", include_in_schema=False)
async def touch_piece(room: RoomName, sha256: Digest, caller: Caller, services: ServicesDep) -> Response:
    """Whether a piece is stored. It is kept for another hour."""
    await _check(caller, room, services)
    if await services.frames.pieces.touch(room, sha256) is None:
        raise PieceNotFound(pieces=[sha256])
    return Response(status_code=204)


@router.post("/edit", response_model=EditedFrames, responses=refused(*_EDITING))
async def edit_frames(
    room: RoomName,
    body: EditBody,
    caller: Caller,
    services: ServicesDep,
    options: EditOptionsDep,
) -> Response:
    """Change the sequence, as Python would change a list. Uploaded pieces become part of it by this."""
    await _check(caller, room, services)
    return await _edit(services, FramesRequest(caller, room, options), body.edit())


@router.post(
    "",
    response_model=EditedFrames,
    responses=refused(*dict.fromkeys((*_EDITING, *_UPLOADING))),
    openapi_extra=BODY,
)
async def post_frames(
    room: RoomName,
    op: Literal["append", "insert", "set"],
    caller: Caller,
    services: ServicesDep,
    request: Request,
    options: EditOptionsDep,
    at: Number = None,
) -> Response:
    """Upload a message and edit the sequence with it, in one request."""
    await _check(caller, room, services)
    if (at is None) != (op == "append"):
        raise InvalidRequest("`insert` and `set` need `at`, and `append` has none")
    size = declared_size(request, services.settings.max_piece)
    with await services.frames.memory.take(caller.user, size), services.frames.buffers.lend(size) as buffer:
        piece = await services.frames.pieces.upload(caller, room, await read_message(request, buffer))
    edit = FrameEdit(FrameOperation(op), at, sources=(Source(piece.name),))
    return await _edit(services, FramesRequest(caller, room, options), edit)


async def _check(caller: Principal, room: str, services: Services) -> None:
    await services.access.room(caller, room, Permission.EDIT_DATA)
    services.throttles.frames.take(caller.user)
    services.quotas.check_disk()


async def _edit(services: Services, request: FramesRequest, edit: FrameEdit) -> Response:
    edited = await services.frames.editor.edit(request, edit)
    response = json_response(render_edited(edited))
    response.headers["ETag"] = etag(edited.version)
    return response


async def _indexed(services: Services, room: str, version: int | None, tag: int | None) -> IndexedFrames:
    if version is not None and tag is not None:
        raise InvalidRequest("send `version` or `etag`")
    return await services.frames.reader.index(room, version, tag)


def _selection(
    services: Services, index: str | None, start: int | None, stop: int | None, step: int | None
) -> Selection:
    if index is None:
        return Selection(None, start, stop, step)
    if not start is stop is step is None:
        raise InvalidRequest("send `index`, or `start`, `stop` and `step`")
    indices = index.split(",")
    most = services.settings.max_frame_indices
    if len(indices) > most:
        raise InvalidRequest(
            f"one request may have {most:,} indices; this one has {len(indices):,}", max_indices=most
        )
    return Selection(tuple(_index(each) for each in indices))


def _index(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_INT))):
        raise InvalidRequest(f"'{text[:20]}' is not the index of a frame")
    return int(text)


def _unchanged(frames: IndexedFrames) -> Response:
    return Response(None, 304, {"ETag": etag(frames.version), "Cache-Control": "private, no-cache"})
