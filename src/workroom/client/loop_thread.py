"""An event loop in another thread, so that synchronous code can wait for coroutines."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

_NewLoop = Callable[[], asyncio.AbstractEventLoop]
try:
    import uvloop

    new_event_loop: _NewLoop = uvloop.new_event_loop
except ImportError:  # not available on Windows
    new_event_loop = asyncio.new_event_loop

log = logging.getLogger(__name__)

T = TypeVar("T")


class LoopThread:
    """Runs coroutines on an event loop of another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread: threading.Thread | None = None

    @classmethod
    def open(cls, name: str = "workroom-client") -> LoopThread:
        """Start a new loop in a new daemon thread."""
        loop_thread = cls(new_event_loop())
        loop_thread._thread = threading.Thread(target=loop_thread._run, name=name, daemon=True)
        loop_thread._thread.start()
        return loop_thread

    def _run(self) -> None:
        """A SystemExit in a task, or an exception from another thread, does not stop the loop."""
        while True:
            try:
                self._loop.run_forever()
            except BaseException:
                log.exception("an exception reached the event loop, which goes on")
            else:
                return

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and wait for its result. Ctrl-C cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def iterate(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """Iterate over an asynchronous generator."""

        async def next_item() -> tuple[T] | None:
            async for item in items:
                return (item,)
            return None

        try:
            while (found := self.call(next_item())) is not None:
                yield found[0]
        finally:
            self.call(_close(items))

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Stop the loop, if `open` started it."""
        if self._thread is not None:
            self.call(_cancel_tasks())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)
            self._loop.close()


async def _close(items: AsyncGenerator[Any, None]) -> None:
    await items.aclose()


async def _cancel_tasks() -> None:
    """Let tasks that are about to end do so, then cancel the others."""
    await asyncio.sleep(0)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.wait(left, timeout=1) if left else None
