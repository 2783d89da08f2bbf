"""Numbered events in their order, although they are published in any."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workroom.domain.events import Event

_PATIENCE_SECONDS = 0.25


class Sequence:
    """Holds an event back until all before it have come.

    Who never comes is given up, and `on_gap` called with those that waited.
    """

    def __init__(self, reached: int, on_gap: Callable[[list[Event]], None]) -> None:
        self.reached = reached
        self._on_gap = on_gap
        self._ahead: dict[int, Event] = {}
        self._timer: asyncio.TimerHandle | None = None

    def take(self, number: int, event: Event) -> list[Event]:
        """The events whose turn it is now."""
        if number == self.reached + 1 and not self._ahead:
            self.reached = number
            return [event]
        if number <= self.reached:
            return []
        self._ahead[number] = event
        ready: list[Event] = []
        while self.reached + 1 in self._ahead:
            self.reached += 1
            ready.append(self._ahead.pop(self.reached))
        if self._ahead and self._timer is None:
            self._watch()
        return ready

    def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_PATIENCE_SECONDS, self._give_up, self.reached)

    def _give_up(self, reached: int) -> None:
        self._timer = None
        if self._ahead and self.reached == reached:
            self.reached = max(self._ahead)
            waiting = [self._ahead[number] for number in sorted(self._ahead)]
            self._ahead.clear()
            self._on_gap(waiting)
        elif self._ahead:
            self._watch()
