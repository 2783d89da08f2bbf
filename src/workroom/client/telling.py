"""How far jobs are, on its way to the server: only the latest of each, and before their end is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from workroom.client.outbox import Outbox
from workroom.client.settling import Settling
from workroom.client.task import named
from workroom.domain.job import Fence
from workroom.errors import WorkroomError

Progress = dict[str, Any]


class Telling:
    """Takes progress from any thread."""

    def __init__(self, send: Callable[[list[Progress]], Awaitable[Any]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = send
        self._lock = threading.Lock()
        self._untold: dict[Fence, Progress] = {}
        self._settling = Settling()
        self._outbox: Outbox[Fence] = Outbox(self._send, self._refused)

    def put(self, fence: Fence, progress: Progress) -> None:
        """From any thread."""
        with self._lock:
            self._untold[fence] = progress
        self._loop.call_soon_threadsafe(self._outbox.put, fence)

    async def settle(self, fences: Iterable[Fence]) -> None:
        """Progress counts only while a job runs: the last of it goes ahead of the end."""
        wanted = set(fences)
        await self._settling.until(lambda: wanted.isdisjoint(self._untold))

    async def aclose(self) -> None:
        await self._outbox.aclose()

    async def _send(self, fences: list[Fence]) -> None:
        with self._lock:
            latest = {fence: self._untold[fence] for fence in fences if fence in self._untold}
        if latest:
            await self._call([{**named(fence), **progress} for fence, progress in latest.items()])
            self._over(latest)

    def _over(self, told: dict[Fence, Progress]) -> None:
        with self._lock:
            for fence, progress in told.items():
                if self._untold[fence] is progress:
                    del self._untold[fence]
        self._settling.moved()

    def _refused(self, fences: list[Fence], _: WorkroomError) -> None:
        with self._lock:
            for fence in fences:
                self._untold.pop(fence, None)
        self._settling.moved()
