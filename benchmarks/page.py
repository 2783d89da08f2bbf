"""A client like a browser with the room open: it receives every change of every job."""

from __future__ import annotations

import asyncio
from typing import Any

from guest import log_in
from workroom.client.transport.connection import Connection

PATIENCE_SECONDS = 120.0


class Page:
    def __init__(self, connection: Connection) -> None:
        self.completed = 0
        self._connection = connection
        self._news = asyncio.Event()
        connection.on("job:state_changed", self._hear)

    @classmethod
    async def open(cls, url: str, room: str) -> Page:
        page = cls(Connection(url, user=None, password=None, token=log_in(url, "watcher")))
        await page._connection.call("room:join", {"room": room})
        return page

    async def until(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.completed < count:
                self._news.clear()
                await self._news.wait()

    async def close(self) -> None:
        await self._connection.aclose()

    def _hear(self, change: dict[str, Any]) -> None:
        self.completed += change["status"] == "completed"
        self._news.set()
