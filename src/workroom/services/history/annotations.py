"""People name, star, tag and note jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.jobs.annotation import Annotating, Annotation, AnnotationChange, Saved, changed
from workroom.domain.queries import FindJobsById
from workroom.errors import Busy, InvalidRequest, JobNotFound, WorkroomError
from workroom.ports import Clock, ReadableStore
from workroom.services.steps import Steps

Annotated = Job | WorkroomError
"""The job with its new annotation, or why it has none."""
_TRIES = 5


class Annotations:
    def __init__(self, store: ReadableStore, steps: Steps, clock: Clock) -> None:
        self._store = store
        self._steps = steps
        self._clock = clock
        self._lock = asyncio.Lock()  # within a server, changes never overtake one another

    async def change(self, who: Principal, job: Job, change: AnnotationChange) -> Job:
        (result,) = await self.change_all(who, [job], change)
        if isinstance(result, WorkroomError):
            raise result
        return result

    async def change_all(
        self, who: Principal, jobs: Sequence[Job], change: AnnotationChange
    ) -> list[Annotated]:
        """Apply one change to many jobs; again to those that somebody else changes at the same moment."""
        async with self._lock:
            return await self._change_all(who, jobs, change)

    async def _change_all(
        self, who: Principal, jobs: Sequence[Job], change: AnnotationChange
    ) -> list[Annotated]:
        results: dict[str, Annotated] = {}
        waiting = list(jobs)
        for _ in range(_TRIES):
            outdated = await self._try(who, waiting, change, results)
            if not outdated:
                break
            waiting = await self._reread([job for job in waiting if job.id in outdated])
            results |= {job_id: JobNotFound() for job_id in outdated}
            results |= {job.id: Busy("others change this job at the moment: try again") for job in waiting}
        return [results[job.id] for job in jobs]

    async def _reread(self, jobs: Sequence[Job]) -> list[Job]:
        """Those of these jobs that still exist, with their annotations of now."""
        found = await self._store.read(FindJobsById(tuple(job.id for job in jobs), brief=True))
        annotations = {job.id: job.annotation for job in found}
        return [replace(job, annotation=annotations[job.id]) for job in jobs if job.id in annotations]

    async def _try(
        self, who: Principal, jobs: Sequence[Job], change: AnnotationChange, results: dict[str, Annotated]
    ) -> set[str]:
        """Return the jobs whose annotations were changed since they were read."""
        made: list[tuple[Job, Annotation]] = []
        for job in jobs:
            try:
                made.append((job, changed(job.annotation, change, who.user, self._clock.now_us())))
            except InvalidRequest as refusal:
                results[job.id] = refusal
        saved = await self._steps.annotate([Annotating(job.id, job.room, each) for job, each in made])
        outcomes = list(zip(made, saved, strict=True))
        results |= {
            job.id: JobNotFound() if outcome is Saved.MISSING else replace(job, annotation=annotation)
            for (job, annotation), outcome in outcomes
        }
        return {job.id for (job, _), outcome in outcomes if outcome is Saved.OUTDATED}
