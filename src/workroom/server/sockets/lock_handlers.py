"""Locks over a socket: the same service as the routes."""

from __future__ import annotations

from typing import Any

from workroom.domain.permissions import Permission
from workroom.domain.room import room_name
from workroom.domain.room_data.locks import Lock, target_name
from workroom.server.http.bodies.lock import (
    AcquireEvent,
    BreakEvent,
    MessageEvent,
    RefreshEvent,
    ReleaseEvent,
)
from workroom.server.http.context import Services
from workroom.server.http.views.room_data import render_lock
from workroom.server.sockets.client import Client, Handler
from workroom.services.room_data.locks import Acquisition


class LockHandlers:
    def __init__(self, services: Services) -> None:
        self._access = services.access
        self._locks = services.locks
        self._throttle = services.throttles.room_data
        self._clock = services.clock

    def handlers(self) -> dict[str, Handler]:
        return {
            "lock:acquire": self._acquire,
            "lock:refresh": self._refresh,
            "lock:message": self._message,
            "lock:msg": self._message,
            "lock:release": self._release,
            "lock:break": self._break,
        }

    async def _acquire(self, client: Client, body: Any) -> Any:
        event = AcquireEvent.model_validate(body)
        room = await self._room(client, event.room, Permission.EDIT_DATA)
        wanted = Acquisition(
            room, target_name(event.target), event.token, event.message, event.ttl, event.wait
        )

        async def is_gone() -> bool:
            return client.is_gone

        return self._rendered(await self._locks.acquire(client.principal, wanted, is_gone))

    async def _refresh(self, client: Client, body: Any) -> Any:
        event = RefreshEvent.model_validate(body)
        room = await self._room(client, event.room, Permission.EDIT_DATA)
        return self._rendered(
            await self._locks.refresh(
                client.principal, room, target_name(event.target), event.token, event.ttl, event.message
            )
        )

    async def _message(self, client: Client, body: Any) -> Any:
        event = MessageEvent.model_validate(body)
        room = await self._room(client, event.room, Permission.EDIT_DATA)
        return self._rendered(
            await self._locks.refresh(
                client.principal, room, target_name(event.target), event.token, None, event.message
            )
        )

    async def _release(self, client: Client, body: Any) -> Any:
        event = ReleaseEvent.model_validate(body)
        room = await self._room(client, event.room, Permission.SEE_ROOM)
        released = await self._locks.release(client.principal, room, target_name(event.target), event.token)
        return {"released": released}

    async def _break(self, client: Client, body: Any) -> Any:
        event = BreakEvent.model_validate(body)
        room = await self._room(client, event.room, Permission.BREAK_LOCK)
        return {"released": await self._locks.break_lock(room, target_name(event.target)) is not None}

    async def _room(self, client: Client, name: str, permission: Permission) -> str:
        room = room_name(name)
        await self._access.room(client.principal, room, permission)
        self._throttle.take(client.principal.user)
        return room

    def _rendered(self, lock: Lock) -> Any:
        return render_lock(lock, self._clock.now_us())
