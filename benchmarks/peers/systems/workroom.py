"""Workroom in its usual setup: durable, with two remote workers and a page that watches the room."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from fresh import fresh_server, fresh_worker
from http_load import Target
from page import Page
from peers.audit import audit
from peers.joblog import JobLog
from peers.system import BROKER, System
from peers.systems.workroom_job import Echo
from workroom import AsyncRoom
from workroom.testing.guests import guest_token

ROOM = "bench"
USER = "bench"
SUBMIT = f"/api/rooms/{ROOM}/extensions/{Echo.category}/{Echo.extension_name}/submit"


class Measured(System):
    def __init__(self, log: JobLog, folder: Path) -> None:
        super().__init__(log, folder)
        self._opened = AsyncExitStack()

    async def open(self) -> None:
        store: dict[str, Any] = {"store": BROKER, "durability": "none"} if BROKER else {}
        self._server = self._opened.enter_context(
            fresh_server(self.folder / "data", log_level="warning", sweep=1, **store)
        )
        for name in ("one", "two"):
            self._start_worker(name)
        self._room = await self._opened.enter_async_context(AsyncRoom(ROOM, self._server.url, user=USER))
        self._page = await Page.open(self._server.url, ROOM)
        self._opened.push_async_callback(self._page.close)

    def _start_worker(self, name: str) -> None:
        job, log = f"{Echo.__module__}:{Echo.__name__}", self.folder / f"{name}.log"
        worker = fresh_worker(self._server.url, job, room=ROOM, name=name, log=log)
        self._opened.callback(worker.close)

    async def close(self) -> None:
        await self._opened.aclose()

    async def submit(self, n: int) -> None:
        await self._room.submit(Echo(n=n))

    async def submit_many(self, numbers: Sequence[int]) -> None:
        await self._room.submit_many([Echo(n=n) for n in numbers])

    async def result(self, n: int) -> int:
        job = await self._room.submit(Echo(n=n))
        return int(await job.result(timeout=10))

    def forget(self) -> None:
        super().forget()
        self._page.completed = 0

    async def until_done(self, count: int) -> None:
        """Later than for the others: when a browser knows of the end, not when the code ran."""
        await self._page.until(count)

    async def http(self) -> Target:
        port = int(self._server.url.rpartition(":")[2])
        return Target(port, SUBMIT, {"data": {"n": 1}}, {"Authorization": f"Bearer {self._token()}"})

    async def verify(self, submitted: int) -> int:
        return await audit(self._server.url, self._token(), ROOM, submitted)

    def _token(self) -> str:
        return guest_token(self._server.url, USER)
