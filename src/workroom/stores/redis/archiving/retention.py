"""Deletes jobs that ended longer ago than the retention time."""

from __future__ import annotations

from collections.abc import Awaitable

import structlog

from workroom.domain.rules.upkeep import CLOCK_JUMPED, DAY_US
from workroom.domain.steps import Step
from workroom.stores.redis.archiving.departures import Departures
from workroom.stores.redis.script_queue import ScriptQueue

log = structlog.get_logger()
_BATCH = 500


class Retention:
    def __init__(self, departures: Departures, queue: ScriptQueue, days: float | None) -> None:
        self._departures = departures
        self._queue = queue
        self._keep_us = None if days is None else int(days * DAY_US)

    async def run_after(self, sweep: Awaitable[Step]) -> Step:
        step = await sweep
        before_us = await self.forget_before_us()
        if before_us is not None:
            await self._delete(before_us)
        return step

    async def forget_before_us(self) -> int | None:
        """Jobs that ended before this time may be deleted; none soon after the clock jumped."""
        if self._keep_us is None:
            return None
        now_us, has_jumped = await self._queue.run("trust_clock", {"keep": self._keep_us}, tuple)
        if has_jumped:
            log.warning("retention_paused", reason=CLOCK_JUMPED)
        return int(now_us) - self._keep_us if now_us else None

    async def _delete(self, before_us: int) -> None:
        """Delete values before records: an interrupted run is repeated."""
        expired = await self._departures.find(before_us, _BATCH)
        if expired:
            await self._departures.clear_rooms(expired)
            jobs = [job.id for job in expired]
            await self._queue.run("forget", {"jobs": jobs, "before": before_us}, lambda _: None)
