"""Finds jobs that may leave Redis, and deletes what their rooms keep of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workroom.ports import Clock
from workroom.stores.redis import keys
from workroom.stores.redis.connection import Command
from workroom.stores.redis.reader import Reader

_SCAN = 1000  # more than one batch: jobs that must stay do not block those behind them


class DepartingJob(NamedTuple):
    """An ended job that occupies no worker. `has_form`: it holds the last values of its user's form."""

    id: str
    room: str
    user: str
    category: str
    name: str
    has_form: bool


class Departures:
    def __init__(self, reader: Reader, clock: Clock | None) -> None:
        self._reader = reader
        self._clock = clock

    async def find(self, before_us: int, limit: int) -> list[DepartingJob]:
        """Return the jobs that ended first."""
        arguments: dict[str, object] = {"before": str(before_us), "limit": limit, "scan": _SCAN}
        return [DepartingJob(*row) for row in await self._reader.run_script("find_ended", arguments)]

    async def clear_rooms(self, jobs: Sequence[DepartingJob]) -> None:
        """Delete the values and logs of these jobs.

        Their records are deleted afterwards, so an interrupted run is repeated.
        """
        await self._save_forms([job for job in jobs if job.has_form])
        await self._reader.send([_unlink(job) for job in jobs])

    async def now_us(self) -> int:
        if self._clock is not None:
            return self._clock.now_us()
        seconds, micros = await self._reader.execute("TIME")
        return int(seconds) * 1_000_000 + int(micros)

    async def _save_forms(self, jobs: Sequence[DepartingJob]) -> None:
        """Copy the last values of forms to their rooms, where forms look once the job is gone."""
        for job in jobs:
            data = await self._reader.execute("HGET", keys.folder(job.room, job.id), "data")
            if data is not None:
                form = keys.form(job.user, job.category, job.name)
                await self._reader.execute("HSET", keys.forms(job.room), form, data)


def _unlink(job: DepartingJob) -> Command:
    return ("UNLINK", keys.folder(job.room, job.id), keys.lines(job.room, job.id))
