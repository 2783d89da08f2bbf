"""A loop in a thread of its own, so that plain functions can wait for coroutines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

_NewLoop = Callable[[], asyncio.AbstractEventLoop]
try:
    import uvloop

    new_event_loop: _NewLoop = uvloop.new_event_loop
except ImportError:  # there is none for Windows
    new_event_loop = asyncio.new_event_loop

T = TypeVar("T")


class Portal:
    """The way into a loop that runs in another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread: threading.Thread | None = None

    @classmethod
    def open(cls, name: str = "workroom-client") -> Portal:
        """A new loop in a new thread."""
        portal = cls(new_event_loop())
        portal._thread = threading.Thread(target=portal._loop.run_forever, name=name, daemon=True)
        portal._thread.start()
        return portal

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop and wait for it. Ctrl-C stops the waiting and the work."""
        future = self.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def iterate(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """What an asynchronous generator gives, one by one."""

        async def following() -> tuple[T] | None:
            async for item in items:
                return (item,)
            return None

        try:
            while (found := self.call(following())) is not None:
                yield found[0]
        finally:
            self.call(_closed(items))

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Stop the loop, if it was opened here."""
        if self._thread is not None:
            self.call(_settle())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)
            self._loop.close()


async def _closed(items: AsyncGenerator[Any, None]) -> None:
    await items.aclose()


async def _settle() -> None:
    """Let everyone who was just woken have a turn, then end what is left."""
    await asyncio.sleep(0)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.wait(left, timeout=1) if left else None
