"""Messages gather while one is under way, then leave together: single when idle, many under load."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from workroom.errors import WorkroomError

T = TypeVar("T")
_BATCH = 256
_BATCH_BYTES = 4_000_000
_RETRY_SECONDS = 0.5


class Outbox(Generic[T]):
    """Nothing is lost: what could not be sent is sent again. The receiver knows a repeat when it sees one."""

    def __init__(
        self, send: Callable[[list[T]], Awaitable[None]], size: Callable[[T], int] = lambda _: 0
    ) -> None:
        self._send = send
        self._size = size
        self._waiting: list[T] = []
        self._wake = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def put(self, item: T) -> None:
        self._waiting.append(item)
        self._wake.set()

    async def aclose(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            batch = self._next_batch()
            try:
                await self._send(batch)
            except WorkroomError:
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            del self._waiting[: len(batch)]
            if not self._waiting:
                self._wake.clear()

    def _next_batch(self) -> list[T]:
        batch, size = self._waiting[:1], self._size(self._waiting[0])
        for item in self._waiting[1:_BATCH]:
            size += self._size(item)
            if size > _BATCH_BYTES:
                break
            batch.append(item)
        return batch
