"""Who still acts on a job that has moved is told the same as before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from workroom.domain.archive import Ending, FindEnding
from workroom.domain.job import JobState
from workroom.domain.steps import Report
from workroom.errors import JobNotFound, WorkroomError
from workroom.ports import Archive
from workroom.stores.redis.archiving.reports import report_digest
from workroom.stores.redis.refusals import answer

T = TypeVar("T")
Answers = Sequence[WorkroomError | None]
Verdict = Callable[[int, Ending], WorkroomError | None]


def cancelled(_: int, ending: Ending) -> WorkroomError | None:
    if ending.status is JobState.CANCELLED:
        return None
    return answer(("already_ended", str(ending.status)))


def stale(_: int, ending: Ending) -> WorkroomError | None:
    return answer(("stale_attempt", str(ending.status)))


def settled(worker: str, reports: Sequence[Report]) -> Verdict:
    """A report that was accepted before is accepted again."""

    def verdict(index: int, ending: Ending) -> WorkroomError | None:
        is_repeat = report_digest(worker, reports[index]) in ending.reports
        return None if is_repeat else stale(index, ending)

    return verdict


class Latecomers:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def answers(
        self, told: Answers, job_ids: Sequence[str], verdict: Verdict
    ) -> list[WorkroomError | None]:
        """What is to be answered in place of `told` for jobs that are not found because they have moved."""
        return [
            await self._answer(index, job_id, refusal, verdict)
            if isinstance(refusal, JobNotFound)
            else refusal
            for index, (job_id, refusal) in enumerate(zip(job_ids, told, strict=True))
        ]

    async def raised(self, verb: Awaitable[T], job_id: str) -> T:
        """Of a verb that is refused as a whole."""
        try:
            return await verb
        except JobNotFound as missing:
            raise await self._answer(0, job_id, missing, stale) or missing from None

    async def _answer(
        self, index: int, job_id: str, refusal: WorkroomError, verdict: Verdict
    ) -> WorkroomError | None:
        ending = await self._archive.read(FindEnding(job_id))
        return refusal if ending is None else verdict(index, ending)
