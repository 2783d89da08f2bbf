"""Which jobs may leave, and what their rooms still keep of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workroom.ports import Clock
from workroom.stores.redis import keys
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.wire import Command

_LOOK = 1000  # more than one batch, so that jobs that have to stay do not hold up those behind them


class Leaver(NamedTuple):
    """A job that is over and takes up no worker. `shows`: it has what its user typed last into the form."""

    id: str
    room: str
    user: str
    category: str
    name: str
    shows: bool


class Leaving:
    def __init__(self, asker: Asker, clock: Clock | None) -> None:
        self._asker = asker
        self._clock = clock

    async def find(self, before_us: int, limit: int) -> list[Leaver]:
        """Those that ended first."""
        arguments: dict[str, object] = {"before": str(before_us), "limit": limit, "look": _LOOK}
        return [Leaver(*row) for row in await self._asker.script("find_ended", arguments)]

    async def clear_rooms(self, jobs: Sequence[Leaver]) -> None:
        """Rooms let go of the jobs first, then the queue does: if this is cut short, it is done again."""
        await self._save_forms([job for job in jobs if job.shows])
        await self._asker.send([_unlink(job) for job in jobs])

    async def now_us(self) -> int:
        if self._clock is not None:
            return self._clock.now_us()
        seconds, micros = await self._asker.one("TIME")
        return int(seconds) * 1_000_000 + int(micros)

    async def _save_forms(self, jobs: Sequence[Leaver]) -> None:
        """What somebody typed last stays in its form, which looks for it here once the job has left."""
        for job in jobs:
            data = await self._asker.one("HGET", keys.folder(job.room, job.id), "data")
            if data is not None:
                form = keys.form(job.user, job.category, job.name)
                await self._asker.one("HSET", keys.forms(job.room), form, data)


def _unlink(job: Leaver) -> Command:
    return ("UNLINK", keys.folder(job.room, job.id), keys.lines(job.room, job.id))
