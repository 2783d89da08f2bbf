"""Wakes on-call workers: as often as jobs are pending and a slot is free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from workroom.domain.queries import CountReady
from workroom.errors import WorkroomError
from workroom.ports import Clock, Notifier, ReadableStore
from workroom.services.lifecycle.background import BackgroundTasks

_GATHER_SECONDS = 0.02  # one check serves many reasons to check
_REPLY_SECONDS = 2.0  # a worker that has not replied by then is notified again


@dataclass(frozen=True, slots=True)
class Vacancies:
    """The free slots of all on-call workers, and the extensions that they serve."""

    slots: int
    extensions: frozenset[int]


class FleetNotifier:
    def __init__(
        self, store: ReadableStore, notifier: Notifier, tasks: BackgroundTasks, clock: Clock
    ) -> None:
        self._store = store
        self._notifier = notifier
        self._tasks = tasks
        self._clock = clock
        self._unanswered: list[float] = []  # when each was sent
        self._reason = asyncio.Event()
        self._is_checking = False

    def notify(self, jobs: int, vacancies: Vacancies) -> None:
        """So many jobs are pending. Never send more wake-up messages than there are free slots."""
        now = self._clock.monotonic()
        self._unanswered = [sent for sent in self._unanswered if now < sent + _REPLY_SECONDS]
        count = min(jobs, vacancies.slots - len(self._unanswered))
        if count > 0:
            self._unanswered += [now] * count
            self._notifier.notify(count)

    def answered(self) -> None:
        """A worker has replied to a wake-up message."""
        if self._unanswered:
            self._unanswered.pop(0)

    def check(self, vacancies: Callable[[], Vacancies]) -> None:
        """A slot is free: notify if a job is pending."""
        self._reason.set()
        if not self._is_checking:
            self._is_checking = True
            self._tasks.start(self._check(vacancies))

    async def _check(self, vacancies: Callable[[], Vacancies]) -> None:
        """Messages and workers may be lost: repeat while jobs are pending."""
        try:
            while True:
                await self._next_reason()
                found = vacancies()
                jobs = await self._pending_jobs(found)
                if not jobs and not self._reason.is_set():
                    return
                self.notify(jobs, found)
        finally:
            self._is_checking = False

    async def _next_reason(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_REPLY_SECONDS):
                await self._reason.wait()
        await asyncio.sleep(_GATHER_SECONDS)
        self._reason.clear()

    async def _pending_jobs(self, vacancies: Vacancies) -> int:
        if not vacancies.slots:
            return 0
        try:
            return await self._store.read(CountReady(tuple(vacancies.extensions)))
        except WorkroomError:
            return vacancies.slots  # unknown: a worker that wakes up will find out
