"""Puts numbered events in order, although they are published in any order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from workroom.domain.events import ChatPosted, Event, JobStateChanged

_GAP_SECONDS = 0.25
_Numbers = Callable[[Sequence[Event]], list[int]]
_OnGap = Callable[[list[Event]], None]


class InOrder:
    """Holds events of one kind back until all before them have arrived.

    One that does not arrive in time is skipped, and `on_gap` is called with the events that waited for it.
    """

    def __init__(self, kind: type[Event], numbers: _Numbers, reached: int, on_gap: _OnGap) -> None:
        self.reached = reached
        self._kind = kind
        self._numbers = numbers
        self._on_gap = on_gap
        self._ahead: dict[int, Event] = {}
        self._timer: asyncio.TimerHandle | None = None

    def take(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events that are next in order. Events of other kinds keep their place among them."""
        numbers = self._numbers(events)
        if self._ahead or numbers != list(range(self.reached + 1, self.reached + 1 + len(numbers))):
            return self._sort_out(events, iter(numbers))
        self.reached += len(numbers)
        return events

    def _sort_out(self, events: Sequence[Event], numbers: Iterator[int]) -> list[Event]:
        ready: list[Event] = []
        for event in events:
            if not isinstance(event, self._kind):
                ready.append(event)
            elif (number := next(numbers)) > self.reached:
                self._ahead[number] = event
                while self.reached + 1 in self._ahead:
                    self.reached += 1
                    ready.append(self._ahead.pop(self.reached))
        if self._ahead and self._timer is None:
            self._watch()
        return ready

    def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(_GAP_SECONDS, self._give_up, self.reached)

    def _give_up(self, reached: int) -> None:
        self._timer = None
        if self._ahead and self.reached == reached:
            self.reached = max(self._ahead)
            waiting = [self._ahead[number] for number in sorted(self._ahead)]
            self._ahead.clear()
            self._on_gap(waiting)
        elif self._ahead:
            self._watch()


def steps_in_order(reached: int, on_gap: _OnGap) -> InOrder:
    return InOrder(JobStateChanged, _step_numbers, reached, on_gap)


def chat_in_order(reached: int, on_gap: _OnGap) -> InOrder:
    return InOrder(ChatPosted, _chat_numbers, reached, on_gap)


def _step_numbers(events: Sequence[Event]) -> list[int]:
    return [event.transition.sequence for event in events if isinstance(event, JobStateChanged)]


def _chat_numbers(events: Sequence[Event]) -> list[int]:
    return [event.message.sequence for event in events if isinstance(event, ChatPosted)]
