"""Says when something about a job may have changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

from workroom.client.connection import Connection
from workroom.client.patience import patiently
from workroom.errors import WorkroomError

_CALL_SECONDS = 10.0


class _Reader(NamedTuple):
    loop: asyncio.AbstractEventLoop
    event: asyncio.Event
    logs: bool


class News:
    """Events are hints: who waits asks the server again, and so after every reconnect."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._changes: dict[str, list[_Reader]] = {}
        self._tokens: dict[str, str | None] = {}
        self._rooms: dict[str, list[_Reader]] = {}
        connection.on("job:state_changed", self._heard_state)
        connection.on("job:progress", self._heard)
        connection.on("job:log", self._heard_lines)
        connection.on_connect(self._reconnected)

    @asynccontextmanager
    async def about(
        self, job_id: str, token: str | None = None, *, logs: bool = False
    ) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever the job may have changed, with `logs` also when it has printed.

        `token` if one's own shows too little.
        """
        entry = _Reader(asyncio.get_running_loop(), asyncio.Event(), logs)
        self._changes.setdefault(job_id, []).append(entry)
        try:
            self._tokens[job_id] = token
            await patiently(partial(self._watch, job_id))
            yield entry.event
        finally:
            self._changes[job_id].remove(entry)
            if not self._changes[job_id]:
                del self._changes[job_id], self._tokens[job_id]
                await self._connection.tell("job:unwatch", {"job_id": job_id})

    async def ended(self, job_id: str, token: str | None = None, *, seconds: float) -> dict[str, Any]:
        """The job once it has ended, or as it stands when the time is over."""
        body = {"job_id": job_id, "seconds": seconds, "token": token}
        answer = await self._connection.call("job:wait", body, seconds + _CALL_SECONDS)
        document: dict[str, Any] = answer["job"]
        return document

    @asynccontextmanager
    async def of_room(self, room: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set whenever a job of the room may have changed."""
        entry = _Reader(asyncio.get_running_loop(), asyncio.Event(), False)
        self._rooms.setdefault(room, []).append(entry)
        try:
            await patiently(partial(self._join, room))
            yield entry.event
        finally:
            self._rooms[room].remove(entry)
            if not self._rooms[room]:
                del self._rooms[room]
                await self._connection.tell("room:leave", {"room": room})

    def _heard_state(self, item: dict[str, Any]) -> None:
        self._heard(item)
        for reader in self._rooms.get(item["room"], ()):
            reader.loop.call_soon_threadsafe(reader.event.set)

    def _heard(self, item: dict[str, Any]) -> None:
        for reader in self._changes.get(item["job_id"], ()):
            reader.loop.call_soon_threadsafe(reader.event.set)

    def _heard_lines(self, item: dict[str, Any]) -> None:
        for reader in self._changes.get(item["job_id"], ()):
            if reader.logs:
                reader.loop.call_soon_threadsafe(reader.event.set)

    async def _reconnected(self) -> None:
        for job_id in list(self._changes):
            with contextlib.suppress(WorkroomError):
                await self._watch(job_id)
            self._heard({"job_id": job_id})

        for room, readers in list(self._rooms.items()):
            with contextlib.suppress(WorkroomError):
                await self._join(room)
            for reader in readers:
                reader.loop.call_soon_threadsafe(reader.event.set)

    async def _join(self, room: str) -> None:
        await self._connection.call("room:join", {"room": room})

    async def _watch(self, job_id: str) -> None:
        token = self._tokens.get(job_id)
        await self._connection.call(
            "job:watch", {"job_id": job_id} if token is None else {"job_id": job_id, "token": token}
        )
