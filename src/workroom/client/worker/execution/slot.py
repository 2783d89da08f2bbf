"""One slot: what a thread holds and runs, kept apart from the thread so that no exception loses it.

Libraries that limit the time of a call raise exceptions in other threads (PyThreadState_SetAsyncExc). Those
may arrive late, between any two instructions: after `run()`, while the thread waits, or in the next job.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections import deque
from collections.abc import Callable
from itertools import islice
from queue import SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar

from workroom.runtime.outcome import Outcome

T = TypeVar("T")
Entry = tuple[int, T | None]  # a number, and an item or the request to end
Ended = tuple["Slot[T]", int, T, Outcome]


class Slot(Generic[T]):
    """Every item that was taken from the queue ends, and `ended` has it at least once."""

    def __init__(
        self,
        queue: SimpleQueue[Entry[T]],
        ended: deque[Ended[T]],
        run: Callable[[T], Outcome],
        interrupted: Callable[[T, BaseException], Outcome],
        wake: Callable[[], None],
    ) -> None:
        self._queue = queue
        self._ended = ended
        self._run = run
        self._interrupted = interrupted
        self._wake = wake
        self._process = os.getpid()
        self._held: list[Entry[T]] = []
        self._is_begun = False
        self._error: BaseException = RuntimeError("the thread of this job ended")
        self.begun_at = 0.0  # when it began the last item, by the monotonic clock
        self.last_number = 0  # of the last end that was reported
        self.is_closed = False

    @property
    def is_busy(self) -> bool:
        return bool(self._held)

    def serve(self) -> None:
        """Run items until the slots are closed. The handler is too short to be interrupted itself."""
        while True:
            try:
                while self.serve_one():
                    pass
            except BaseException as error:
                self._error = error
            else:
                return

    def serve_once(self) -> None:
        """Run one item in the calling thread, which gets the exception that interrupts it."""
        try:
            self.serve_one()
        except BaseException as error:
            self._error, self._is_begun = error, True
            if self._held:
                self.serve_one()
            raise

    def serve_one(self) -> bool:
        """Run the next item, or end the one that was interrupted. Return False once the slots are closed."""
        if not self._held:
            self._is_begun = False
            _take(self._queue, self._held)
            _discard_late_exceptions()
        number, item = self._held[0]
        if item is None:
            self.is_closed = True
            return False
        if self._is_begun:
            outcome = self._interrupted(item, self._error)
        else:
            self._is_begun = True
            self.begun_at = monotonic()
            outcome = self._run(item)
            if os.getpid() != self._process:
                os._exit(0)  # code forked and returned twice: the child has no worker to report to
        self._ended.append((self, number, item, outcome))
        self._held.clear()
        self._wake()
        return True


def _discard_late_exceptions() -> None:
    """Drop what arrived while the thread waited. It was meant for an earlier job, and would hit the next."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threading.get_ident()), None)


def _take(queue: SimpleQueue[Any], held: list[Any]) -> None:
    """Move one entry in a single C call, which no exception can interrupt between `get` and `append`."""
    held.extend(islice(iter(queue.get, None), 1))
