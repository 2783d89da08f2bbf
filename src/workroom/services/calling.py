"""Calls workers that come only when they are called: as often as there is work, and somebody free for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from workroom.domain.queries import CountReady
from workroom.errors import WorkroomError
from workroom.ports import Bell, Clock, Store
from workroom.services.tasks import TaskKeeper

_TOGETHER_SECONDS = 0.02  # of many reasons to look one look is enough
_ANSWER_SECONDS = 2.0  # who has not come by then is called again


@dataclass(frozen=True, slots=True)
class Vacancies:
    """The free slots of all who are on call, and what they can do."""

    slots: int
    extensions: frozenset[int]


class Calling:
    def __init__(self, store: Store, bell: Bell, tasks: TaskKeeper, clock: Clock) -> None:
        self._store = store
        self._bell = bell
        self._tasks = tasks
        self._clock = clock
        self._rung: list[float] = []
        self._reason = asyncio.Event()
        self._is_looking = False

    def call(self, jobs: int, vacancies: Vacancies) -> None:
        """So many jobs wait. Never more calls are under way than there are free slots."""
        now = self._clock.monotonic()
        self._rung = [rung for rung in self._rung if now < rung + _ANSWER_SECONDS]
        calls = min(jobs, vacancies.slots - len(self._rung))
        if calls > 0:
            self._rung += [now] * calls
            self._bell.ring(calls)

    def answered(self) -> None:
        """Somebody came."""
        if self._rung:
            self._rung.pop(0)

    def look(self, vacancies: Callable[[], Vacancies]) -> None:
        """Somebody is free: is there work?"""
        self._reason.set()
        if not self._is_looking:
            self._is_looking = True
            self._tasks.start(self._look(vacancies))

    async def _look(self, vacancies: Callable[[], Vacancies]) -> None:
        """A call may be lost, or who came may be: while there is work, call again."""
        try:
            while True:
                await self._next_reason()
                found = vacancies()
                jobs = await self._waiting(found)
                if not jobs and not self._reason.is_set():
                    return
                self.call(jobs, found)
        finally:
            self._is_looking = False

    async def _next_reason(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                await self._reason.wait()
        await asyncio.sleep(_TOGETHER_SECONDS)
        self._reason.clear()

    async def _waiting(self, vacancies: Vacancies) -> int:
        if not vacancies.slots:
            return 0
        try:
            return await self._store.read(CountReady(tuple(vacancies.extensions)))
        except WorkroomError:
            return vacancies.slots  # nobody knows: who is called will see
