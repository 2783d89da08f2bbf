"""Says when something about a job may have changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from workroom.client.connection import Connection
from workroom.client.patience import patiently
from workroom.errors import WorkroomError

_CALL_SECONDS = 10.0


class Changes:
    """That something may have changed, and the progress that was told with it. For who waits on one loop."""

    def __init__(self, *, logs: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._progress: dict[str, Any] | None = None
        self._is_more = False
        self.logs = logs

    async def wait(self) -> dict[str, Any] | None:
        """Until there is news. Gives the progress, if nothing else was told that would be asked for."""
        await self._event.wait()
        progress = None if self._is_more else self._progress
        self._event.clear()
        self._progress, self._is_more = None, False
        return progress

    def tell(self, progress: dict[str, Any] | None = None) -> None:
        """From any thread."""
        self._loop.call_soon_threadsafe(self._hear, progress)

    def _hear(self, progress: dict[str, Any] | None) -> None:
        self._progress = progress or self._progress
        self._is_more = self._is_more or progress is None
        self._event.set()


class News:
    """Events are hints: who waits asks the server again, and so after every reconnect."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._changes: dict[str, list[Changes]] = {}
        self._tokens: dict[str, str | None] = {}
        self._rooms: dict[str, list[Changes]] = {}
        connection.on("job:state_changed", self._heard_state)
        connection.on("job:progress", self._heard_progress)
        connection.on("job:log", self._heard_lines)
        connection.on_connect(self._reconnected)

    @asynccontextmanager
    async def about(
        self, job_id: str, token: str | None = None, *, logs: bool = False
    ) -> AsyncIterator[Changes]:
        """Says whenever the job may have changed, with `logs` also when it has printed.

        `token` if one's own shows too little.
        """
        entry = Changes(logs=logs)
        self._changes.setdefault(job_id, []).append(entry)
        try:
            self._tokens[job_id] = token
            await patiently(partial(self._watch, job_id))
            yield entry
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
    async def of_room(self, room: str) -> AsyncIterator[Changes]:
        """Says whenever a job of the room may have changed."""
        entry = Changes()
        self._rooms.setdefault(room, []).append(entry)
        try:
            await patiently(partial(self._join, room))
            yield entry
        finally:
            self._rooms[room].remove(entry)
            if not self._rooms[room]:
                del self._rooms[room]
                await self._connection.tell("room:leave", {"room": room})

    def _heard_state(self, item: dict[str, Any]) -> None:
        self._heard(item)
        for reader in self._rooms.get(item["room"], ()):
            reader.tell()

    def _heard(self, item: dict[str, Any]) -> None:
        for reader in self._changes.get(item["job_id"], ()):
            reader.tell()

    def _heard_progress(self, item: dict[str, Any]) -> None:
        for reader in self._changes.get(item["job_id"], ()):
            reader.tell(item["progress"])

    def _heard_lines(self, item: dict[str, Any]) -> None:
        for reader in self._changes.get(item["job_id"], ()):
            if reader.logs:
                reader.tell()

    async def _reconnected(self) -> None:
        for job_id in list(self._changes):
            with contextlib.suppress(WorkroomError):
                await self._watch(job_id)
            self._heard({"job_id": job_id})

        for room, readers in list(self._rooms.items()):
            with contextlib.suppress(WorkroomError):
                await self._join(room)
            for reader in readers:
                reader.tell()

    async def _join(self, room: str) -> None:
        await self._connection.call("room:join", {"room": room})

    async def _watch(self, job_id: str) -> None:
        token = self._tokens.get(job_id)
        await self._connection.call(
            "job:watch", {"job_id": job_id} if token is None else {"job_id": job_id, "token": token}
        )
