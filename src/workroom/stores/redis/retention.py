"""Jobs that ended long ago are forgotten, if anything is to be forgotten at all."""

from __future__ import annotations

from collections.abc import Awaitable

from workroom.domain.steps import Step
from workroom.stores.redis.leaving import Leaving
from workroom.stores.redis.line import Line

DAY_US = 86_400_000_000
_BATCH = 500


class Retention:
    def __init__(self, leaving: Leaving, line: Line, days: float | None) -> None:
        self._leaving = leaving
        self._line = line
        self._days = days

    async def after(self, sweep: Awaitable[Step]) -> Step:
        step = await sweep
        if self._days is not None:
            await self._forget(await self._leaving.now_us() - int(self._days * DAY_US))
        return step

    async def _forget(self, before_us: int) -> None:
        """First what rooms keep of the jobs, then the jobs: if this is cut short, it is done again."""
        expired = await self._leaving.find(before_us, _BATCH)
        if expired:
            await self._leaving.clear_rooms(expired)
            jobs = [job.id for job in expired]
            await self._line.step("forget", {"jobs": jobs, "before": before_us}, lambda _: None)
