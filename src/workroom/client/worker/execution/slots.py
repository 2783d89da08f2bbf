"""The threads that run jobs, one job at a time each. Coroutines of all slots share one event loop."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from workroom.client.loop_thread import LoopThread
from workroom.client.worker.execution.slot import Ended, Entry, Slot
from workroom.runtime.outcome import Outcome

log = logging.getLogger(__name__)

T = TypeVar("T")
_UPKEEP_SECONDS = 1.0


class Slots(Generic[T]):
    """Keeps user code off the event loop that sends heartbeats. Without threads, callers run `serve_one`."""

    def __init__(
        self,
        count: int,
        run: Callable[[T], Outcome],
        interrupted: Callable[[T, BaseException], Outcome],
        done: Callable[[T, Outcome], None],
    ) -> None:
        """`run` is called in a slot's thread, `done` on the event loop.

        `interrupted` returns the outcome of an item when `run` raised, which only other threads can cause.
        """
        self._count = count
        self._run = run
        self._interrupted = interrupted
        self._done = done
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        self._queue: SimpleQueue[Entry[T]] = SimpleQueue()
        self._ended: deque[Ended[T]] = deque()
        self._is_scheduled = False
        self._user_loop: LoopThread | None = None
        self._user_loop_lock = threading.Lock()
        self._slots = [self._slot() for _ in range(count)]
        self._threads = [self._start(number) for number in range(count)]
        self._upkeep = self._loop.call_later(_UPKEEP_SECONDS, self._keep_up) if count else None

    def put(self, item: T) -> None:
        self._queue.put((next(self._numbers), item))

    @property
    def waiting(self) -> int:
        """How many items no slot has begun."""
        return self._queue.qsize()

    @property
    def begun_at(self) -> float:
        """When a slot last began an item, by the monotonic clock."""
        return max((slot.begun_at for slot in self._slots), default=0.0)

    @property
    def is_full(self) -> bool:
        return bool(self._slots) and all(slot.is_busy for slot in self._slots)

    def grow(self) -> None:
        """Add a thread: that of a slot whose item waits cannot run another one."""
        self._slots.append(self._slot())
        self._threads.append(self._start(len(self._slots) - 1))

    def shrink(self) -> None:
        """End one idle thread. The caller knows that one is idle, or soon will be."""
        self._queue.put((0, None))

    def take_back(self) -> list[T]:
        """Take the items that no slot has begun: each is either begun or returned, never both."""
        taken: list[T] = []
        while True:
            try:
                number, item = self._queue.get_nowait()
            except Empty:
                return taken
            if item is None:  # the slots are closed
                self._queue.put((number, None))
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
        if self._upkeep is not None:
            self._upkeep.cancel()
        for _ in self._threads:
            self._queue.put((0, None))
        if self._user_loop is not None:
            self._user_loop.close()

    def serve_one(self) -> None:
        """Run the next item in the calling thread."""
        self._slot().serve_once()

    def _slot(self) -> Slot[T]:
        return Slot(self._queue, self._ended, self._run, self._interrupted, self._wake)

    def _start(self, number: int) -> threading.Thread:
        target = self._slots[number].serve
        thread = threading.Thread(target=target, name=f"workroom-slot-{number}", daemon=True)
        thread.start()
        return thread

    def _wake(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon_threadsafe(self._report)

    def _report(self) -> None:
        """An interrupted slot may end an item twice: the first end counts."""
        self._is_scheduled = False
        while self._ended:
            slot, number, item, outcome = self._ended.popleft()
            if number != slot.last_number:
                slot.last_number = number
                self._done(item, outcome)

    def _keep_up(self) -> None:
        """Replace threads that an exception ended, and report ends whose wake-up one prevented."""
        if len(self._slots) > self._count:
            self._drop_closed()
        for number, thread in enumerate(self._threads):
            if not thread.is_alive():
                log.warning("an exception from outside ended the thread of slot %d; starting another", number)
                self._threads[number] = self._start(number)
        self._report()
        self._upkeep = self._loop.call_later(_UPKEEP_SECONDS, self._keep_up)

    def _drop_closed(self) -> None:
        kept = [
            (slot, thread)
            for slot, thread in zip(self._slots, self._threads, strict=True)
            if not slot.is_closed or thread.is_alive()
        ]
        self._slots = [slot for slot, _ in kept]
        self._threads = [thread for _, thread in kept]


async def _catch(work: Coroutine[Any, Any, Any]) -> tuple[Any, BaseException | None]:
    """Return exceptions as values: a SystemExit of user code would stop the loop that other jobs share."""
    try:
        return await work, None
    except BaseException as error:
        return None, error
