"""Notices that a job outlasts its prediction while started ones wait behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from workroom.client.worker.execution.slots import Slots
from workroom.domain.rules.estimates import TOGETHER_MS

T = TypeVar("T")
_CHECK_SECONDS = 2 * TOGETHER_MS / 1000
_CHECKS = 2


class Overruns(Generic[T]):
    """Checks the slots while something waits in them, and takes it back if none begins anything."""

    def __init__(self, slots: Slots[T], give_back: Callable[[list[T]], None]) -> None:
        self._slots = slots
        self._give_back = give_back
        self._loop = asyncio.get_running_loop()
        self._begun = -1
        self._idle_checks = 0
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        if self._timer is None and self._slots.waiting:
            self._timer = self._loop.call_later(_CHECK_SECONDS, self._check)

    def _check(self) -> None:
        """The second without progress counts: a process that did not get the CPU is late for the first."""
        self._timer = None
        is_stuck = self._slots.begun == self._begun and self._slots.is_full
        self._idle_checks = self._idle_checks + 1 if is_stuck else 0
        self._begun = self._slots.begun
        if self._slots.waiting and self._idle_checks == _CHECKS:
            self._idle_checks = 0
            self._give_back(self._slots.take_back())
        self.watch()
