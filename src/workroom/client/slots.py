"""Threads that run jobs. A slot runs one job at a time; coroutines share one loop of their own.

Without threads of its own, whoever comes serves.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from workroom.client.portal import Portal
from workroom.runtime.outcome import Outcome

T = TypeVar("T")


class Slots(Generic[T]):
    """User code never runs on the loop that keeps the worker alive."""

    def __init__(self, count: int, run: Callable[[T], Outcome], done: Callable[[T, Outcome], None]) -> None:
        self._run = run
        self._done = done
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[T | None] = SimpleQueue()
        self._ended: deque[tuple[T, Outcome]] = deque()
        self._telling = False
        self._user_loop: Portal | None = None
        self._user_loop_lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._serve, name=f"workroom-slot-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def put(self, job: T) -> None:
        self._queue.put(job)

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine of user code to its end, from a slot's thread."""
        with self._user_loop_lock:
            if self._user_loop is None:
                self._user_loop = Portal.open("workroom-async")
        result, error = self._user_loop.call(_caught(work))
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        """Let idle threads go; one that still runs user code ends with the process."""
        for _ in self._threads:
            self._queue.put(None)
        if self._user_loop is not None:
            self._user_loop.close()

    def serve_one(self) -> bool:
        """Run the next job in the thread that calls; false at the end of all work."""
        job = self._queue.get()
        if job is None:
            return False
        self._ended.append((job, self._run(job)))
        if not self._telling:
            self._telling = True
            self._loop.call_soon_threadsafe(self._tell)
        return True

    def _serve(self) -> None:
        while self.serve_one():
            pass

    def _tell(self) -> None:
        self._telling = False
        while self._ended:
            self._done(*self._ended.popleft())


async def _caught(work: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    """User code may raise what would end the loop that others run on: bring it out as a value."""
    try:
        return await work, None
    except BaseException as error:
        return None, error
