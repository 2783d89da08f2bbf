"""The store on Redis, with an archive behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TypeVar

from workroom.domain.files import Artifact, Preview, Saving, Showing
from workroom.domain.logs import LogLimits
from workroom.domain.queries import Query
from workroom.domain.steps import LogBatch, Logged, Progress, Report, Start, Step
from workroom.domain.worker import Liveness
from workroom.ports import Archive, Clock
from workroom.stores.redis.archiving import latecomers, reading
from workroom.stores.redis.archiving.latecomers import Latecomers, Verdict
from workroom.stores.redis.archiving.mover import Mover
from workroom.stores.redis.store import RedisStore

T = TypeVar("T")


class ArchivingStore(RedisStore):
    def __init__(
        self,
        url: str,
        liveness: Liveness,
        archive: Archive,
        *,
        archive_after: float = 3600.0,
        retention_days: float | None = None,
        logs: LogLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.archive_name = archive.name
        super().__init__(url, liveness, retention_days=retention_days, logs=logs, clock=clock)
        self._archive = archive
        self._latecomers = Latecomers(archive)
        self._is_bound = False
        self.mover = Mover(
            self._asker,
            self._line,
            self._leaving,
            archive,
            self._opened_store,
            after=archive_after,
            retention_days=retention_days,
        )

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        jobs = [each.fence.job_id for each in starts]
        return self._late(super().start(worker, starts), jobs, latecomers.stale)

    def settle(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        jobs = [report.fence.job_id for report in reports]
        return self._late(super().settle(worker, reports), jobs, latecomers.settled(worker, reports))

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._late(super().cancel(job_ids, actor, reason), job_ids, latecomers.cancelled)

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        jobs = [record.fence.job_id for record in records]
        return self._late(super().append(worker, records), jobs, latecomers.stale)

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        return self._line.follow(self._logged(batches, super().log(worker, batches)))

    def attach(self, saving: Saving) -> Awaitable[Artifact]:
        return self._line.follow(self._latecomers.raised(super().attach(saving), saving.fence.job_id))

    def show(self, showing: Showing) -> Awaitable[Preview]:
        return self._line.follow(self._latecomers.raised(super().show(showing), showing.fence.job_id))

    def sweep(self) -> Awaitable[Step]:
        return self._line.follow(self._swept(super().sweep()))

    async def aclose(self) -> None:
        self.mover.close()
        await super().aclose()
        await self._archive.aclose()

    def _late(self, verb: Awaitable[Step], job_ids: Sequence[str], verdict: Verdict) -> Awaitable[Step]:
        return self._line.follow(self._answered(verb, job_ids, verdict))

    async def _answered(self, verb: Awaitable[Step], job_ids: Sequence[str], verdict: Verdict) -> Step:
        step = await verb
        return replace(step, answers=await self._latecomers.answers(step.answers, job_ids, verdict))

    async def _logged(self, batches: Sequence[LogBatch], verb: Awaitable[Logged]) -> Logged:
        logged = await verb
        jobs = [batch.fence.job_id for batch in batches]
        return replace(logged, answers=await self._latecomers.answers(logged.answers, jobs, latecomers.stale))

    async def _swept(self, sweep: Awaitable[Step]) -> Step:
        step = await sweep
        self.mover.go()
        return step

    async def _read(self, query: Query[T]) -> T:
        await self._opened_store()
        found: T = await reading.answer(self._asker, self._archive, query)
        return found

    async def _opened_store(self) -> str:
        epoch = await super()._opened_store()
        if not self._is_bound and await self._archive.bind(epoch) != epoch:
            raise RuntimeError(
                "the archive has the jobs of another store: name one of its own, or a new file"
            )
        self._is_bound = True
        return epoch
