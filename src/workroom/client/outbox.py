"""Messages gather while one is under way, then leave together: single when idle, many under load."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from workroom.errors import WorkroomError

T = TypeVar("T")
_BATCH = 256
_BATCH_BYTES = 4_000_000
_RETRY_SECONDS = 0.5
_CLOSE_SECONDS = 5.0


class Outbox(Generic[T]):
    """Nothing is lost: what could not be sent is sent again. The receiver knows a repeat when it sees one.

    What the server will never take is handed to `refused`.
    """

    def __init__(
        self,
        send: Callable[[list[T]], Awaitable[None]],
        refused: Callable[[list[T], WorkroomError], None],
        size: Callable[[T], int] = lambda _: 0,
    ) -> None:
        self._send = send
        self._refused = refused
        self._size = size
        self._waiting: list[T] = []
        self._wake = asyncio.Event()
        self._is_open = True
        self._task = asyncio.get_running_loop().create_task(self._run())

    def put(self, item: T) -> None:
        self._waiting.append(item)
        self._wake.set()

    async def aclose(self) -> None:
        """Wait for the answer to what is under way, and send nothing more."""
        self._is_open = False
        self._wake.set()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._task
        except TimeoutError:
            return

    async def _run(self) -> None:
        while await self._wake.wait() and self._is_open:
            batch = self._next_batch()
            try:
                await self._send(batch)
            except WorkroomError as error:
                if error.status >= 500:
                    await asyncio.sleep(_RETRY_SECONDS)
                    continue
                self._refused(batch, error)
            del self._waiting[: len(batch)]
            if not self._waiting and self._is_open:
                self._wake.clear()

    def _next_batch(self) -> list[T]:
        batch, size = self._waiting[:1], self._size(self._waiting[0])
        for item in self._waiting[1:_BATCH]:
            size += self._size(item)
            if size > _BATCH_BYTES:
                break
            batch.append(item)
        return batch
