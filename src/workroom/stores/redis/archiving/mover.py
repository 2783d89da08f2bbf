"""Jobs move to the archive some time after their end: copied, committed there, and only then let go here.

Cut short anywhere, it is done again: what was copied is copied once more to the same place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from uuid import uuid4

import structlog

from workroom.domain.archive import Expired, FindEnding, FindExpired
from workroom.ports import Archive
from workroom.stores.redis.archiving.collecting import collect
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.leaving import Leaver, Leaving
from workroom.stores.redis.line import Line
from workroom.stores.redis.retention import DAY_US

log = structlog.get_logger()
_BATCH = 64  # three megabytes each at most, and one trip has to bring them
_REMEMBER_SECONDS = 600
_TURN_SECONDS = 10  # and so long it rests after a failure


class Mover:
    def __init__(
        self,
        asker: Asker,
        line: Line,
        leaving: Leaving,
        archive: Archive,
        opened: Callable[[], Awaitable[str]],
        *,
        after: float,
        retention_days: float | None,
    ) -> None:
        self._asker = asker
        self._line = line
        self._leaving = leaving
        self._archive = archive
        self._opened = opened
        self._after_us = round(after * 1_000_000)
        self._keep_us = None if retention_days is None else int(retention_days * DAY_US)
        self._name = uuid4().hex
        self._is_at_work = False
        self._is_closing = False
        self._is_failing = False

    def go(self) -> None:
        """Move what there is, unless that is going on already."""
        if not self._is_at_work and not self._is_closing:
            self._is_at_work = True
            self._line.follow(self._work())

    def close(self) -> None:
        """Finish what is being moved, and no more."""
        self._is_closing = True

    async def _work(self) -> None:
        try:
            await self._opened()
            if await self._take_turn():
                await self.move_all()
                await self.forget_all()
                await self._asker.one("DEL", scheduling("mover"))
                self._is_failing = False
        except Exception as error:  # whatever it is, the jobs stay where they are and the server goes on
            if not self._is_failing and not self._is_closing:
                log.warning(
                    "archive_failed", reason=str(error), outcome="ended jobs stay in Redis until it works"
                )
            self._is_failing = True
        finally:
            self._is_at_work = False

    async def _take_turn(self) -> bool:
        """Two that move at once do no harm, but do it twice."""
        taken = await self._asker.one("SET", scheduling("mover"), self._name, "NX", "EX", _TURN_SECONDS)
        return taken is not None

    async def move_all(self) -> None:
        while not self._is_closing and await self.move() == _BATCH:
            pass

    async def move(self) -> int:
        """Move a few. Tells how many."""
        ended = await self._leaving.find(await self._leaving.now_us() - self._after_us + 1, _BATCH)
        return await self.let_go(ended, await self.copy(ended)) if ended else 0

    async def copy(self, ended: Sequence[Leaver]) -> set[str]:
        """Tells which of them the archive has now."""
        whole = await collect(self._asker, [job.id for job in ended])
        await self._archive.keep(whole)
        kept = {each.job.id for each in whole}
        for job in ended:
            if job.id not in kept and await self._archive.read(FindEnding(job.id)) is not None:
                kept.add(job.id)
        return kept

    async def let_go(self, ended: Sequence[Leaver], kept: set[str]) -> int:
        leavers = [job for job in ended if job.id in kept]
        await self._leaving.clear_rooms(leavers)
        arguments: dict[str, object] = {"jobs": [job.id for job in leavers], "remember": _REMEMBER_SECONDS}
        return await self._line.step("move", arguments, int)

    async def forget_all(self) -> None:
        while (
            not self._is_closing and self._keep_us is not None and await self.forget(self._keep_us) == _BATCH
        ):
            pass

    async def forget(self, keep_us: int) -> int:
        """Forget a few that ended so long ago. Tells how many."""
        before_us = await self._leaving.now_us() - keep_us
        expired = await self._archive.read(FindExpired(before_us, _BATCH))
        if expired:
            arguments: dict[str, object] = {
                "jobs": [_row(job) for job in expired],
                "before": before_us,
                "remember": _REMEMBER_SECONDS,
            }
            await self._line.step("forget_moved", arguments, lambda _: None)
            await self._archive.forget([job.id for job in expired])
        return len(expired)


def _row(job: Expired) -> list[object]:
    return [job.id, job.extension_id, str(job.status), job.retry_of or False, list(job.blobs)]
