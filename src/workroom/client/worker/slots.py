"""The threads that run jobs, one job at a time each. Coroutines of all slots share one event loop."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from workroom.client.loop_thread import LoopThread
from workroom.runtime.outcome import Outcome

T = TypeVar("T")


class Slots(Generic[T]):
    """Keeps user code off the event loop that sends heartbeats. Without threads, callers run `serve_one`."""

    def __init__(self, count: int, run: Callable[[T], Outcome], done: Callable[[T, Outcome], None]) -> None:
        """`run` is called in a slot's thread, `done` on the event loop."""
        self._run = run
        self._done = done
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[T | None] = SimpleQueue()
        self._ended: deque[tuple[T, Outcome]] = deque()
        self._is_scheduled = False
        self._lock = threading.Lock()
        self.begun = 0  # items that a slot has taken
        self.busy = 0  # slots that run an item
        self._user_loop: LoopThread | None = None
        self._user_loop_lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._serve, name=f"workroom-slot-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def put(self, item: T) -> None:
        self._queue.put(item)

    @property
    def waiting(self) -> int:
        """How many items no slot has begun."""
        return self._queue.qsize()

    @property
    def is_full(self) -> bool:
        return 0 < len(self._threads) <= self.busy

    def take_back(self) -> list[T]:
        """Take the items that no slot has begun: each is either begun or returned, never both."""
        taken: list[T] = []
        while True:
            try:
                item = self._queue.get_nowait()
            except Empty:
                return taken
            if item is None:  # the slots are closed
                self._queue.put(None)
                return taken
            taken.append(item)

    def wait_for(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine of user code to its end, from a slot's thread."""
        with self._user_loop_lock:
            if self._user_loop is None:
                self._user_loop = LoopThread.open("workroom-async")
        result, error = self._user_loop.call(_catch(work))
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        """Let idle threads end. A thread that still runs user code ends with the process."""
        for _ in self._threads:
            self._queue.put(None)
        if self._user_loop is not None:
            self._user_loop.close()

    def serve_one(self) -> bool:
        """Run the next item in the calling thread. Return False once the slots are closed."""
        item = self._queue.get()
        if item is None:
            return False
        with self._lock:
            self.begun += 1
            self.busy += 1
        try:
            outcome = self._run(item)
        finally:
            with self._lock:
                self.busy -= 1
        self._ended.append((item, outcome))
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon_threadsafe(self._report)
        return True

    def _serve(self) -> None:
        while self.serve_one():
            pass

    def _report(self) -> None:
        self._is_scheduled = False
        while self._ended:
            self._done(*self._ended.popleft())


async def _catch(work: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    """Return exceptions as values: a SystemExit of user code would stop the loop that other jobs share."""
    try:
        return await work, None
    except BaseException as error:
        return None, error
