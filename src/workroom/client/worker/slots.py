"""The threads that run jobs, one job at a time each. Coroutines of all slots share one event loop."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from queue import SimpleQueue
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
        self._ended.append((item, self._run(item)))
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
