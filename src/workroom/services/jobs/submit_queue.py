"""Makes new jobs durable: submits of one turn of the event loop share one step of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from workroom.domain.extension import Extension
from workroom.domain.job import Job, JobState
from workroom.domain.jobs.group import NewGroup
from workroom.domain.queries import FindJob
from workroom.domain.steps import NewJob, Step
from workroom.errors import WorkroomError
from workroom.ports import ReadableStore
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.steps import Steps

Submitted = Job | WorkroomError
"""The job, or why it was refused."""
BrieflySubmitted = Job | NewJob | WorkroomError
"""The same, where only the id of a new job matters."""
_Waiting = tuple[NewJob, Extension, "asyncio.Future[Submitted]"]


class SubmitQueue:
    def __init__(self, store: ReadableStore, steps: Steps, tasks: BackgroundTasks) -> None:
        self._store = store
        self._steps = steps
        self._tasks = tasks
        self._waiting: list[_Waiting] = []

    def put(self, job: NewJob, extension: Extension) -> asyncio.Future[Submitted]:
        """Submit the job together with all others of this turn of the loop."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[Submitted] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._flush)
        self._waiting.append((job, extension, result))
        return result

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._tasks.start(self._submit_waiting(waiting))

    async def _submit_waiting(self, waiting: Sequence[_Waiting]) -> None:
        try:
            results = await self.submit([(job, extension) for job, extension, _ in waiting])
        except Exception as failure:
            for *_, future in waiting:
                if not future.done():
                    future.set_exception(failure)
            return
        for (*_, future), result in zip(waiting, results, strict=True):
            if not future.done():
                future.set_result(result)

    async def submit(self, jobs: Sequence[tuple[NewJob, Extension]]) -> list[Submitted]:
        """One result for each. A submit that was sent before results in the job it made then."""
        step = await self._steps.submit([job for job, _ in jobs])
        at_us = step.transitions[0].at_us if step.transitions else 0
        known = await self._known(step)
        for job, _ in jobs:
            _mark_joined(job, known.get(job.id))
        return [
            refusal or known.get(job.id) or _pending_job(job, extension, at_us)
            for (job, extension), refusal in zip(jobs, step.answers, strict=True)
        ]

    async def create_group(self, new: NewGroup) -> None:
        await self._steps.create_group(new)

    async def submit_briefly(self, jobs: Sequence[NewJob]) -> list[BrieflySubmitted]:
        """The same without making a `Job` of each."""
        step = await self._steps.submit(jobs)
        known = await self._known(step)
        return [refusal or known.get(job.id) or job for job, refusal in zip(jobs, step.answers, strict=True)]

    async def _known(self, step: Step) -> dict[str, Job | None]:
        """The jobs of submits that were sent before, by the ids that were sent now."""
        return {new: await self._store.read(FindJob(job_id)) for new, job_id in step.known.items()}


def _mark_joined(job: NewJob, known: Job | None) -> None:
    if known is not None and job.unique is not None:
        known.is_joined = True


def is_new(submitted: BrieflySubmitted) -> bool:
    """Whether the submit made this job. Only jobs that were read from the store have a sequence number."""
    return isinstance(submitted, NewJob) or (isinstance(submitted, Job) and not submitted.sequence)


def _pending_job(job: NewJob, extension: Extension, at_us: int) -> Job:
    """The job as it is now stored, without reading it back."""
    spec = extension.spec
    key = spec.key
    return Job(
        sequence=0,
        id=job.id,
        room=job.room,
        scope=key.scope,
        category=key.category,
        name=key.name,
        data=job.data,
        schema_hash=job.schema_hash,
        status=JobState.PENDING,
        version=1,
        priority=job.priority,
        user=job.user,
        runner=spec.runner,
        worker=None,
        attempt=0,
        created_at_us=at_us,
        assigned_at_us=None,
        started_at_us=None,
        completed_at_us=None,
        progress=None,
        result=None,
        error=None,
        extension_owner=spec.owner,
        retry_of=job.retry_of,
        parent=job.parent,
        group=job.group,
    )
