"""Everything that a scrape reports. Counters are kept by those who count; the rest is read for a scrape."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from workroom.domain.histogram import Distribution
from workroom.domain.job import JobState
from workroom.domain.queries import CountUsage, FindQueues
from workroom.domain.quotas import Counter as UsageCounter
from workroom.domain.quotas import Kind, Per
from workroom.errors import StoreUnavailable
from workroom.ports import Clock, Store
from workroom.services.effects import Effects
from workroom.services.metrics.extension_labels import ExtensionLabels, Label
from workroom.services.metrics.store_figures import EndCounts, StoreFigures, by_label
from workroom.services.workers.dispatcher import Dispatcher
from workroom.services.workers.registry import WorkerRegistry

_TRUSTED_SECONDS = 5.0
_TIMEOUT_SECONDS = 5.0
_TOTALS = tuple(UsageCounter(kind, Per.TOTAL) for kind in (Kind.JOBS, Kind.FILES, Kind.BYTES))


@dataclass(frozen=True, slots=True)
class Figures:
    """`store` is None while the store does not respond; it is about all servers, the rest about this one."""

    store: StoreFigures | None
    now_us: int
    submitted: int
    started: int
    ended: dict[JobState, int]
    retried: int
    returned: int
    waits: Distribution
    dispatches: Distribution
    executions: Distribution
    workers: Counter[str]
    held: Counter[tuple[Label, str]]
    sockets: int
    streams: int
    steps: Distribution
    commits: Distribution


class Metrics:
    """Reads the store at most once every few seconds, whatever the number of scrapes."""

    def __init__(
        self,
        store: Store,
        effects: Effects,
        dispatcher: Dispatcher,
        registry: WorkerRegistry,
        clock: Clock,
        count_sockets: Callable[[], int],
        count_streams: Callable[[], int],
    ) -> None:
        self._store = store
        self._jobs = effects.job_counts
        self._dispatcher = dispatcher
        self._registry = registry
        self._clock = clock
        self._count_sockets = count_sockets
        self._count_streams = count_streams
        self._labels = ExtensionLabels()
        self._ends = EndCounts()
        self._reading = asyncio.Lock()
        self._read_at = float("-inf")
        self._figures: StoreFigures | None = None

    async def open(self) -> None:
        """Remember what has ended before, so that what ends from now on is counted."""
        await self._store_figures()

    async def read(self) -> Figures:
        store = await self._store_figures()
        jobs, activity = self._jobs, self._store.activity
        return Figures(
            store=store,
            now_us=self._clock.now_us(),
            submitted=jobs.submitted,
            started=jobs.started,
            ended=dict(jobs.ended),
            retried=jobs.retried,
            returned=jobs.returned,
            waits=jobs.waits.read(),
            dispatches=self._dispatcher.delays.read(),
            executions=jobs.executions.read(),
            workers=self._workers(),
            held=self._held(),
            sockets=self._count_sockets(),
            streams=self._count_streams(),
            steps=activity.steps.read(),
            commits=activity.seconds.read(),
        )

    async def _store_figures(self) -> StoreFigures | None:
        async with self._reading:
            if self._clock.monotonic() - self._read_at >= _TRUSTED_SECONDS:
                self._figures = await self._read_store()
                self._read_at = self._clock.monotonic()
            return self._figures

    async def _read_store(self) -> StoreFigures | None:
        now_us = self._clock.now_us()
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                queues = await self._store.read(FindQueues())
                unfinished, files, size = await self._store.read(CountUsage(_TOTALS, now_us))
        except (StoreUnavailable, TimeoutError):
            return None
        self._labels.assign(queues)
        self._ends.count(queues, self._labels)
        return StoreFigures(
            by_label(queues, self._labels), dict(self._ends.totals), unfinished, files, size, now_us
        )

    def _workers(self) -> Counter[str]:
        """Those that are connected to this server. One that is draining gets nothing new."""
        return Counter("draining" if each.draining else str(each.state) for each in self._registry)

    def _held(self) -> Counter[tuple[Label, str]]:
        """What the workers of this server hold."""
        return Counter(
            (self._labels.get(held.extension_id), "running" if held.started else "assigned")
            for worker in self._registry
            for held in worker.held.values()
        )
