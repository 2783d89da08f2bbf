"""Locks of a room."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Request, Response

from workroom.domain.permissions import Permission
from workroom.domain.room_data.locks import MAX_TOKEN, MIN_TOKEN, target_name
from workroom.errors import (
    Forbidden,
    InvalidRequest,
    Locked,
    LockLost,
    QuotaExceeded,
    RoomNotFound,
    TooManyRequests,
)
from workroom.server.http.bodies.lock import AcquireBody, RefreshBody
from workroom.server.http.dependencies import Caller, RoomName, ServicesDep, json_response
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.http.views.room_data import Lock, Locks, Released, render_lock, render_locks
from workroom.services.room_data.locks import Acquisition

router = Router(prefix="/api/rooms/{room}/locks", tags=["data"])

HeldToken = Annotated[
    str | None,
    Header(alias="Lock-Token", min_length=MIN_TOKEN, max_length=MAX_TOKEN, description="the lock's token"),
]
_REFUSED = refused(Forbidden, RoomNotFound, TooManyRequests)


@router.get("", response_model=Locks, responses=refused(RoomNotFound))
async def list_locks(room: RoomName, caller: Caller, services: ServicesDep) -> Response:
    """The locks that somebody holds, by target."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    return json_response(render_locks(await services.locks.of_room(room), services.clock.now_us()))


@router.post(
    "/{target}",
    response_model=Lock,
    responses=refused(Forbidden, QuotaExceeded, RoomNotFound, Locked, TooManyRequests),
)
async def acquire_lock(
    room: RoomName,
    target: str,
    body: AcquireBody,
    caller: Caller,
    services: ServicesDep,
    request: Request,
) -> Response:
    """Acquire a lock, or the same lock again. With `wait`, in order behind those who wait already."""
    await services.access.room(caller, room, Permission.EDIT_DATA)
    services.throttles.room_data.take(caller.user)
    wanted = Acquisition(room, target_name(target), body.token, body.message, body.ttl, body.wait)
    lock = await services.locks.acquire(caller, wanted, request.is_disconnected)
    return json_response(render_lock(lock, services.clock.now_us()))


@router.patch(
    "/{target}",
    response_model=Lock,
    responses=refused(Forbidden, RoomNotFound, LockLost, TooManyRequests),
)
async def refresh_lock(
    room: RoomName, target: str, body: RefreshBody, caller: Caller, services: ServicesDep
) -> Response:
    """Extend a lock, and change its message."""
    await services.access.room(caller, room, Permission.EDIT_DATA)
    services.throttles.room_data.take(caller.user)
    lock = await services.locks.refresh(caller, room, target_name(target), body.token, body.ttl, body.message)
    return json_response(render_lock(lock, services.clock.now_us()))


@router.delete("/{target}", response_model=Released, responses=_REFUSED)
async def release_lock(
    room: RoomName, target: str, caller: Caller, services: ServicesDep, lock_token: HeldToken = None
) -> Response:
    """Release a lock, or leave its queue."""
    await services.access.room(caller, room, Permission.SEE_ROOM)
    services.throttles.room_data.take(caller.user)
    if lock_token is None:
        raise InvalidRequest("send the token of the lock as Lock-Token")
    released = await services.locks.release(caller, room, target_name(target), lock_token)
    return json_response({"released": released})


@router.post("/{target}/break", response_model=Released, responses=_REFUSED)
async def break_lock(room: RoomName, target: str, caller: Caller, services: ServicesDep) -> Response:
    """Take a lock from its holder: as the room's owner or an admin."""
    await services.access.room(caller, room, Permission.BREAK_LOCK)
    services.throttles.room_data.take(caller.user)
    broken = await services.locks.break_lock(room, target_name(target))
    return json_response({"released": broken is not None})
