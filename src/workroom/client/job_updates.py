"""Notifies job handles when a job may have changed."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

from workroom.client import requests
from workroom.client.transport.connection import Connection
from workroom.client.transport.retries import retry
from workroom.errors import TooManyRequests, WorkroomError

_CALL_SECONDS = 10.0
_POLL_SECONDS = 2.0


class Subscription:
    """Wakes one reader when something may have changed, and carries the latest progress."""

    def __init__(self, *, logs: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._progress: dict[str, Any] | None = None
        self._needs_refresh = False
        self.logs = logs

    async def wait(self) -> dict[str, Any] | None:
        """Wait for a change. Return the progress if nothing else changed, else None: read the job again."""
        await self._event.wait()
        progress = None if self._needs_refresh else self._progress
        self._event.clear()
        self._progress, self._needs_refresh = None, False
        return progress

    def notify(self, progress: dict[str, Any] | None = None) -> None:
        """Safe to call from any thread."""
        self._loop.call_soon_threadsafe(self._set, progress)

    def _set(self, progress: dict[str, Any] | None) -> None:
        self._progress = progress or self._progress
        self._needs_refresh = self._needs_refresh or progress is None
        self._event.set()


class JobUpdates:
    """Subscriptions to jobs and rooms. Events are hints: readers read the job again, as after a reconnect."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._by_job: dict[str, list[Subscription]] = {}
        self._by_room: dict[str, list[Subscription]] = {}
        self._tokens: dict[str, str | None] = {}
        connection.on("job:state_changed", self._changed)
        connection.on("job:progress", self._progressed)
        connection.on("job:log", self._logged)
        connection.on("subscription:ended", self._changed)  # reading again gives the reason
        connection.on_connect(self._connected)

    @asynccontextmanager
    async def subscribe(
        self, job_id: str, token: str | None = None, *, logs: bool = False
    ) -> AsyncIterator[Subscription]:
        """Subscribe to changes of a job and, with `logs`, to its output; `token` replaces one's own."""
        subscription = Subscription(logs=logs)
        self._by_job.setdefault(job_id, []).append(subscription)
        try:
            self._tokens[job_id] = token
            await retry(partial(self._watch, job_id))
            yield subscription
        finally:
            self._by_job[job_id].remove(subscription)
            if not self._by_job[job_id]:
                del self._by_job[job_id], self._tokens[job_id]
                await self._connection.emit("job:unwatch", {"job_id": job_id})

    async def wait_for_end(self, job_id: str, token: str | None = None, *, seconds: float) -> dict[str, Any]:
        """Return the job once it has ended, or as it is after this time."""
        body = {"job_id": job_id, "seconds": seconds, "token": token}
        try:
            reply = await self._connection.call("job:wait", body, seconds + _CALL_SECONDS)
        except TooManyRequests:  # this socket waits for too many jobs already: poll
            await asyncio.sleep(_POLL_SECONDS * (0.5 + random.random()))  # noqa: S311 - jitter
            return cast(dict[str, Any], await self._connection.send(requests.job(job_id), token))
        document: dict[str, Any] = reply["job"]
        return document

    @asynccontextmanager
    async def subscribe_room(self, room: str) -> AsyncIterator[Subscription]:
        """Subscribe to changes of any job in a room."""
        subscription = Subscription()
        self._by_room.setdefault(room, []).append(subscription)
        try:
            await retry(partial(self._join, room))
            yield subscription
        finally:
            self._by_room[room].remove(subscription)
            if not self._by_room[room]:
                del self._by_room[room]
                await self._connection.emit("room:leave", {"room": room})

    def _changed(self, item: dict[str, Any]) -> None:
        self._notify_job(item["job_id"])
        for subscription in self._by_room.get(item["room"], ()):
            subscription.notify()

    def _notify_job(self, job_id: str) -> None:
        for subscription in self._by_job.get(job_id, ()):
            subscription.notify()

    def _progressed(self, item: dict[str, Any]) -> None:
        for subscription in self._by_job.get(item["job_id"], ()):
            subscription.notify(item["progress"])

    def _logged(self, item: dict[str, Any]) -> None:
        for subscription in self._by_job.get(item["job_id"], ()):
            if subscription.logs:
                subscription.notify()

    async def _connected(self) -> None:
        for job_id in list(self._by_job):
            with contextlib.suppress(WorkroomError):
                await self._watch(job_id)
            self._notify_job(job_id)
        for room, subscriptions in list(self._by_room.items()):
            with contextlib.suppress(WorkroomError):
                await self._join(room)
            for subscription in subscriptions:
                subscription.notify()

    async def _join(self, room: str) -> None:
        await self._connection.call("room:join", {"room": room})

    async def _watch(self, job_id: str) -> None:
        token = self._tokens.get(job_id)
        await self._connection.call(
            "job:watch", {"job_id": job_id} if token is None else {"job_id": job_id, "token": token}
        )
