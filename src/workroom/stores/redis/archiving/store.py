"""The store on Redis with an archive."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TypeVar

from workroom.domain.files import Artifact, Preview, Saving, Showing
from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.domain.jobs.exchanges import ExchangeLimits
from workroom.domain.jobs.logs import LogLimits
from workroom.domain.queries import Query
from workroom.domain.rules.exchanges import AnswerVerdict
from workroom.domain.rules.refusals import question_closed
from workroom.domain.steps import (
    Answered,
    Exchanged,
    LogBatch,
    Logged,
    NewAnswer,
    NewExchange,
    Progress,
    Report,
    Start,
    Step,
    Suspension,
    Unbegun,
)
from workroom.domain.storage.archive import FindEnding
from workroom.domain.storage.durability import Guarantees
from workroom.domain.worker import Liveness
from workroom.errors import JobNotFound, StartRefused
from workroom.ports import Archive, Clock
from workroom.stores.redis.archiving import late_reports, queries
from workroom.stores.redis.archiving.archiver import Archiver
from workroom.stores.redis.archiving.late_reports import LateReports, Verdict
from workroom.stores.redis.store import RedisStore

T = TypeVar("T")


class ArchivingStore(RedisStore):
    """Moves ended jobs to the archive after each sweep, and reads from Redis first and then from there."""

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
        fast: bool = True,
        guarantees: Guarantees | None = None,
        epoch: str | None = None,
    ) -> None:
        self.archive_name = archive.name
        super().__init__(
            url,
            liveness,
            retention_days=retention_days,
            logs=logs,
            clock=clock,
            fast=fast,
            guarantees=guarantees,
            epoch=epoch,
        )
        self._archive = archive
        self._late_reports = LateReports(archive)
        self._is_bound = False
        self.archiver = Archiver(
            self._reader,
            self._queue,
            self._departures,
            archive,
            self._ensure_open,
            after=archive_after,
            retention=self._retention,
        )

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        jobs = [start.fence.job_id for start in starts]
        return self._with_archive(super().start(worker, starts), jobs, late_reports.stale)

    def release(self, worker: str, unbegun: Sequence[Unbegun], actor: str, reason: str) -> Awaitable[Step]:
        jobs = [each.fence.job_id for each in unbegun]
        return self._with_archive(super().release(worker, unbegun, actor, reason), jobs, late_reports.stale)

    def finish(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        jobs = [report.fence.job_id for report in reports]
        return self._with_archive(
            super().finish(worker, reports), jobs, late_reports.finished(worker, reports)
        )

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._with_archive(super().cancel(job_ids, actor, reason), job_ids, late_reports.cancelled)

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        jobs = [record.fence.job_id for record in records]
        return self._with_archive(super().append(worker, records), jobs, late_reports.stale)

    def exchange(
        self, worker: str, items: Sequence[NewExchange], limits: ExchangeLimits
    ) -> Awaitable[Exchanged]:
        return self._queue.track(self._after_exchange(items, super().exchange(worker, items, limits)))

    async def _after_exchange(self, items: Sequence[NewExchange], verb: Awaitable[Exchanged]) -> Exchanged:
        exchanged = await verb
        jobs = [item.fence.job_id for item in items]
        answers = await self._late_reports.refusals(exchanged.answers, jobs, late_reports.stale)
        return replace(exchanged, answers=answers)

    def answer(self, new: NewAnswer) -> Awaitable[Answered]:
        return self._queue.track(self._after_answer(new, super().answer(new)))

    async def _after_answer(self, new: NewAnswer, verb: Awaitable[Answered]) -> Answered:
        try:
            return await verb
        except JobNotFound:
            ending = await self._archive.read(FindEnding(new.job_id))
            if ending is None:
                raise
            raise question_closed(AnswerVerdict.ENDED, None, ending.status) from None

    def suspend(self, worker: str, suspensions: Sequence[Suspension]) -> Awaitable[Step]:
        jobs = [each.fence.job_id for each in suspensions]
        return self._with_archive(super().suspend(worker, suspensions), jobs, late_reports.stale)

    def annotate(self, annotations: Sequence[Annotating]) -> Awaitable[list[Saved]]:
        return self._queue.track(self._annotate(annotations, super().annotate(annotations)))

    async def _annotate(self, annotations: Sequence[Annotating], verb: Awaitable[list[Saved]]) -> list[Saved]:
        """Save in Redis what is there, and in the archive what has moved."""
        saved = await verb
        moved = [each for each, outcome in zip(annotations, saved, strict=True) if outcome is Saved.MISSING]
        archived = iter(await self._archive.annotate(moved) if moved else [])
        return [next(archived) if outcome is Saved.MISSING else outcome for outcome in saved]

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        return self._queue.track(self._after_log(batches, super().log(worker, batches)))

    def attach(self, saving: Saving) -> Awaitable[Artifact]:
        return self._queue.track(self._late_reports.check(super().attach(saving), saving.fence.job_id))

    def show(self, showing: Showing) -> Awaitable[Preview]:
        return self._queue.track(self._late_reports.check(super().show(showing), showing.fence.job_id))

    def sweep(self) -> Awaitable[Step]:
        return self._queue.track(self._after_sweep(super().sweep()))

    async def aclose(self) -> None:
        self.archiver.close()
        await super().aclose()
        await self._archive.aclose()

    def _with_archive(
        self, verb: Awaitable[Step], job_ids: Sequence[str], verdict: Verdict
    ) -> Awaitable[Step]:
        return self._queue.track(self._check_archive(verb, job_ids, verdict))

    async def _check_archive(self, verb: Awaitable[Step], job_ids: Sequence[str], verdict: Verdict) -> Step:
        step = await verb
        return replace(step, answers=await self._late_reports.refusals(step.answers, job_ids, verdict))

    async def _after_log(self, batches: Sequence[LogBatch], verb: Awaitable[Logged]) -> Logged:
        logged = await verb
        jobs = [batch.fence.job_id for batch in batches]
        return replace(
            logged, answers=await self._late_reports.refusals(logged.answers, jobs, late_reports.stale)
        )

    async def _after_sweep(self, sweep: Awaitable[Step]) -> Step:
        step = await sweep
        self.archiver.start()
        return step

    async def _read(self, query: Query[T]) -> T:
        await self._ensure_open()
        result: T = await queries.run_query(self._reader, self._archive, query)
        return result

    async def _ensure_open(self) -> str:
        epoch = await super()._ensure_open()
        if not self._is_bound and await self._archive.bind(epoch) != epoch:
            raise StartRefused("the archive belongs to another store: set WORKROOM_ARCHIVE to a new file")
        self._is_bound = True
        return epoch
