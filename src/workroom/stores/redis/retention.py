"""Jobs that ended long ago are forgotten, if anything is to be forgotten at all."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from workroom.domain.steps import Step
from workroom.ports import Clock
from workroom.stores.redis import keys
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.line import Command, Line

_DAY_US = 86_400_000_000
_BATCH = 500


class Retention:
    def __init__(self, asker: Asker, line: Line, days: float | None, clock: Clock | None) -> None:
        self._asker = asker
        self._line = line
        self._days = days
        self._clock = clock

    async def after(self, sweep: Awaitable[Step]) -> Step:
        step = await sweep
        if self._days is not None:
            await self._forget(await self._now_us() - int(self._days * _DAY_US))
        return step

    async def _forget(self, before_us: int) -> None:
        """First what rooms keep of the jobs, then the jobs: if this is cut short, it is done again."""
        arguments: dict[str, object] = {"before": str(before_us), "limit": _BATCH}
        expired = await self._asker.script("find_expired", arguments)
        if expired:
            await self._save_forms([job for job in expired if job[5]])
            await self._asker.send([_unlink(job) for job in expired])
            await self._line.step("forget", {"jobs": [job[0] for job in expired]}, lambda _: None)

    async def _save_forms(self, jobs: Sequence[Sequence[Any]]) -> None:
        """What somebody typed last stays in its form."""
        for job_id, room, user, category, name, _ in jobs:
            data = await self._asker.one("HGET", keys.folder(room, job_id), "data")
            if data is not None:
                pointer = keys.scheduling("forms", user)
                await self._asker.one("HSET", keys.forms(room), keys.form(user, category, name), data)
                await self._asker.one("HSET", pointer, keys.form(room, category, name), "")

    async def _now_us(self) -> int:
        if self._clock is not None:
            return self._clock.now_us()
        seconds, micros = await self._asker.one("TIME")
        return int(seconds) * 1_000_000 + int(micros)


def _unlink(job: Sequence[Any]) -> Command:
    return ("UNLINK", keys.folder(job[1], job[0]), keys.lines(job[1], job[0]))
