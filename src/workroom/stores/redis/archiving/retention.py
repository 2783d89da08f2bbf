"""Deletes jobs that ended longer ago than the retention time."""

from __future__ import annotations

from collections.abc import Awaitable

from workroom.domain.rules.upkeep import DAY_US
from workroom.domain.steps import Step
from workroom.stores.redis.archiving.departures import Departures
from workroom.stores.redis.script_queue import ScriptQueue

_BATCH = 500


class Retention:
    def __init__(self, departures: Departures, queue: ScriptQueue, days: float | None) -> None:
        self._departures = departures
        self._queue = queue
        self._days = days

    async def run_after(self, sweep: Awaitable[Step]) -> Step:
        step = await sweep
        if self._days is not None:
            await self._delete(await self._departures.now_us() - int(self._days * DAY_US))
        return step

    async def _delete(self, before_us: int) -> None:
        """Delete values before records: an interrupted run is repeated."""
        expired = await self._departures.find(before_us, _BATCH)
        if expired:
            await self._departures.clear_rooms(expired)
            jobs = [job.id for job in expired]
            await self._queue.run("forget", {"jobs": jobs, "before": before_us}, lambda _: None)
