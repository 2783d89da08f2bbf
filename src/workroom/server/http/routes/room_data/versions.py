"""Versions of a room's documents: undo, redo, restore, compare."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.domain.room_data.locks import target_name
from workroom.domain.room_data.versions import VersionKind
from workroom.errors import (
    Forbidden,
    Locked,
    LockLost,
    NothingToRevert,
    RoomNotFound,
    TooManyRequests,
    VersionNotFound,
    WorkroomError,
)
from workroom.server.http.bodies.fields import MAX_INT
from workroom.server.http.conditions import RequestKey, WriteTokens, lock_tokens
from workroom.server.http.context import Services
from workroom.server.http.dependencies import Caller, Cursor, Limit, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.room_data import (
    Differences,
    Version,
    VersionPage,
    render_differences,
    render_version,
    render_version_page,
)

router = Router(prefix="/api/rooms/{room}", tags=["data"])

Number = Annotated[int, Path(ge=1, le=MAX_INT)]
Target = Annotated[str | None, Query(max_length=64)]
OneVersion = Annotated[int, Query(ge=1, le=MAX_INT)]
_REVERTING: tuple[type[WorkroomError], ...] = (
    Forbidden,
    *STORING,
    RoomNotFound,
    LockLost,
    NothingToRevert,
    Locked,
    TooManyRequests,
)


@router.get("/versions", response_model=VersionPage, responses=refused(RoomNotFound))
async def list_versions(
    room: RoomName, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """The changes of the room's documents, newest first."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_version_page(await services.versions.page(room, cursor, limit)))


@router.get("/versions/diff", response_model=Differences, responses=refused(RoomNotFound, VersionNotFound))
async def compare_versions(
    room: RoomName, before: OneVersion, after: OneVersion, caller: Caller, services: ServicesDep
) -> Response:
    """The documents that differ between two versions, and where the frames do, as `frames`."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    documents = await services.versions.compare(room, before, after)
    frames = await services.frames.reader.compare(room, before, after)
    return json_response(render_differences(documents, frames))


@router.post("/undo", response_model=Version, responses=refused(*_REVERTING))
async def undo(
    room: RoomName,
    caller: Caller,
    services: ServicesDep,
    target: Target = None,
    lock_token: WriteTokens = "",
    idempotency_key: RequestKey = None,
) -> Response:
    """Undo the newest change that is not undone, no matter who made it; with a target, the newest of that."""
    return await _revert(caller, room, services, VersionKind.UNDO, lock_token, idempotency_key, target=target)


@router.post("/redo", response_model=Version, responses=refused(*_REVERTING))
async def redo(
    room: RoomName,
    caller: Caller,
    services: ServicesDep,
    target: Target = None,
    lock_token: WriteTokens = "",
    idempotency_key: RequestKey = None,
) -> Response:
    """Redo the change that was undone last, unless something else was changed since."""
    return await _revert(caller, room, services, VersionKind.REDO, lock_token, idempotency_key, target=target)


@router.post(
    "/versions/{number}/restore",
    response_model=Version,
    responses=refused(VersionNotFound, *_REVERTING),
)
async def restore_version(
    room: RoomName,
    number: Number,
    caller: Caller,
    services: ServicesDep,
    lock_token: WriteTokens = "",
    idempotency_key: RequestKey = None,
) -> Response:
    """Make the documents what they were after this version."""
    return await _revert(caller, room, services, VersionKind.RESTORE, lock_token, idempotency_key, to=number)


async def _revert(
    caller: Principal,
    room: str,
    services: Services,
    kind: VersionKind,
    tokens: str,
    key: str | None,
    *,
    to: int | None = None,
    target: str | None = None,
) -> Response:
    await services.access.room(caller, room, Permission.EDIT_DATA)
    services.throttles.room_data.take(caller.user)
    services.quotas.check_disk()
    made = await services.versions.revert(
        caller,
        room,
        kind,
        to=to,
        target=None if target is None else target_name(target),
        lock_tokens=lock_tokens(tokens),
        request=key or "",
    )
    return json_response(render_version(made))
