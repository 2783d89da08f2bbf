"""Verbs on a job that has moved to the archive get the same reply as before the move."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from workroom.domain.job import JobState
from workroom.domain.steps import Report
from workroom.domain.storage.archive import Ending, FindEnding
from workroom.errors import JobNotFound, WorkroomError
from workroom.ports import Archive
from workroom.stores.redis.archiving.accepted_reports import report_digest
from workroom.stores.redis.messages.refusals import item_refusal

T = TypeVar("T")
Refusals = Sequence[WorkroomError | None]
Verdict = Callable[[int, Ending], WorkroomError | None]


def cancelled(_: int, ending: Ending) -> WorkroomError | None:
    if ending.status is JobState.CANCELLED:
        return None
    return item_refusal(("already_ended", str(ending.status)))


def stale(_: int, ending: Ending) -> WorkroomError | None:
    return item_refusal(("stale_attempt", str(ending.status)))


def finished(worker: str, reports: Sequence[Report]) -> Verdict:
    """Accept a report again that was accepted before."""

    def verdict(index: int, ending: Ending) -> WorkroomError | None:
        is_repeat = report_digest(worker, reports[index]) in ending.reports
        return None if is_repeat else stale(index, ending)

    return verdict


class LateReports:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def refusals(
        self, refusals: Refusals, job_ids: Sequence[str], verdict: Verdict
    ) -> list[WorkroomError | None]:
        """Replace `JobNotFound` by the verdict on the archived job, where there is one."""
        return [
            await self._check(index, job_id, refusal, verdict)
            if isinstance(refusal, JobNotFound)
            else refusal
            for index, (job_id, refusal) in enumerate(zip(job_ids, refusals, strict=True))
        ]

    async def check(self, verb: Awaitable[T], job_id: str) -> T:
        """Do the same for a verb that raises its refusal."""
        try:
            return await verb
        except JobNotFound as missing:
            raise await self._check(0, job_id, missing, stale) or missing from None

    async def _check(
        self, index: int, job_id: str, refusal: WorkroomError, verdict: Verdict
    ) -> WorkroomError | None:
        ending = await self._archive.read(FindEnding(job_id))
        return refusal if ending is None else verdict(index, ending)
