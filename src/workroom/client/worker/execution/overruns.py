"""Notices that a job outlasts its prediction while started ones wait behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from workroom.client.worker.execution.slots import Slots
from workroom.domain.rules.estimates import TOGETHER_MS

T = TypeVar("T")
_LIMIT_SECONDS = TOGETHER_MS / 1000  # in which everything that was started together should have begun
_SOON_SECONDS = 0.001
_LATE_SECONDS = 0.002  # of a timer: then this process did not get the CPU, and neither did its jobs


class Overruns(Generic[T]):
    """Takes back what waits in the slots when they have begun nothing for 5 ms."""

    def __init__(self, slots: Slots[T], give_back: Callable[[list[T]], None]) -> None:
        self._slots = slots
        self._give_back = give_back
        self._loop = asyncio.get_running_loop()
        self._is_overdue = False
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        if self._timer is None and self._slots.waiting:
            self._check_in(_LIMIT_SECONDS)

    def _check_in(self, seconds: float) -> None:
        self._timer = self._loop.call_later(seconds, self._check, self._loop.time() + seconds)

    def _check(self, due: float) -> None:
        self._timer = None
        left = _LIMIT_SECONDS - (monotonic() - self._slots.begun_at)
        if not self._slots.waiting or not self._slots.is_full or left > 0:
            self._is_overdue = False
            if self._slots.waiting:
                self._check_in(max(left, _SOON_SECONDS))
        else:
            self._overdue(is_late=self._loop.time() > due + _LATE_SECONDS)

    def _overdue(self, *, is_late: bool) -> None:
        """Look twice, and later if this timer was late: a slot without the CPU has begun nothing either."""
        if self._is_overdue:
            self._is_overdue = False
            self._give_back(self._slots.take_back())
        else:
            self._is_overdue = True
            self._check_in(_LIMIT_SECONDS if is_late else _SOON_SECONDS)
