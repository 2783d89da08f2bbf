"""Operating: pause an extension, drain a worker, replay jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import orjson

from workroom.domain.extension import Extension, Scope
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.queries import FindJobs, FindWorker, VisibleExtensions
from workroom.domain.worker import Worker
from workroom.errors import (
    ExtensionNotFound,
    Forbidden,
    IllegalTransition,
    SchemaConflict,
    WorkerNotFound,
    WorkroomError,
)
from workroom.ports import EventBus, ReadableStore
from workroom.services.jobs.intake import JobIntake
from workroom.services.jobs.secrets import Secrets
from workroom.services.jobs.submit_queue import BrieflySubmitted
from workroom.services.jobs.submit_requests import SubmitRequest
from workroom.services.steps import Steps
from workroom.services.workers.consent import worker_state_event


class Operations:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        bus: EventBus,
        intake: JobIntake,
        secrets: Secrets,
    ) -> None:
        self._store = store
        self._steps = steps
        self._bus = bus
        self._intake = intake
        self._secrets = secrets

    async def pause(self, room: str, scope: Scope, category: str, name: str, *, paused: bool) -> Extension:
        """Dispatch no more jobs of an extension, or resume; running jobs go on."""
        extension = await self.extension(room, scope, category, name)
        await self._steps.pause(extension.id, extension.key, paused=paused)
        return await self.extension(room, scope, category, name)

    async def extension(self, room: str, scope: Scope, category: str, name: str) -> Extension:
        for extension in await self._store.read(VisibleExtensions(room)):
            key = extension.key
            if (key.scope, key.category, key.name) == (scope, category, name):
                return extension
        raise ExtensionNotFound(f"there is no {scope} extension '{category}/{name}' in room '{room}'")

    async def drain(self, worker_id: str, *, draining: bool) -> Worker:
        """Dispatch no more jobs to a worker, or resume; it finishes what it has."""
        await self._steps.drain(worker_id, draining=draining)
        worker = await self._store.read(FindWorker(worker_id))
        if worker is None:
            raise WorkerNotFound()
        self._bus.publish([await worker_state_event(self._store, worker, worker.keys)])
        return worker

    async def replay(self, who: Principal, job: Job, *, may_raise: bool) -> Job:
        """Submit the same values again, as a new job that points back."""
        _check_ended(job)
        replayed = await self._intake.submit(who, await self._request(who, job, may_raise=may_raise))
        assert isinstance(replayed, Job)
        return replayed

    async def replay_all(self, who: Principal, query: FindJobs, *, may_raise: bool) -> list[BrieflySubmitted]:
        """Replay the ended jobs that match and were not replayed before."""
        page = await self._store.read(replace(query, replayed=False))
        ended = [job for job in page.items if job.status.is_terminal]
        return await self.replay_each(who, ended[::-1], may_raise=may_raise, once=True)

    async def replay_each(
        self, who: Principal, jobs: Sequence[Job], *, may_raise: bool, once: bool = False
    ) -> list[BrieflySubmitted]:
        """Replay jobs in one commit. With `once`, not those that were replayed before."""
        requests = [await self._try_request(who, job, once=once, may_raise=may_raise) for job in jobs]
        valid = [each for each in requests if isinstance(each, SubmitRequest)]
        submitted = iter(await self._intake.submit_batch(who, valid))
        return [next(submitted) if isinstance(each, SubmitRequest) else each for each in requests]

    async def _try_request(
        self, who: Principal, job: Job, *, once: bool, may_raise: bool
    ) -> SubmitRequest | WorkroomError:
        try:
            _check_ended(job)
            return await self._request(who, job, once=once, may_raise=may_raise)
        except WorkroomError as refusal:
            return refusal

    async def _request(
        self, who: Principal, job: Job, *, once: bool = False, may_raise: bool
    ) -> SubmitRequest:
        if job.secrets is not None:
            await self._check_secrets(who, job)
        return SubmitRequest(
            job.room,
            job.category,
            job.name,
            orjson.loads(self._secrets.of_job(job)),
            priority=job.priority,
            retry_of=job.id,
            once=once,
            may_raise=may_raise,
        )

    async def _check_secrets(self, who: Principal, job: Job) -> None:
        """Secret values reach only workers that their owner submitted them to."""
        if who.user != job.user:
            raise Forbidden(
                f"this job has secret values of {job.user}, so only {job.user} can run it again: "
                "submit it with secret values of your own"
            )
        extension = await self.extension(job.room, Scope(job.scope), job.category, job.name)
        if extension.spec.schema_hash != job.schema_hash:
            raise SchemaConflict(
                "the extension has changed since, and this job has secret values: submit it again with them"
            )


def _check_ended(job: Job) -> None:
    if not job.status.is_terminal:
        raise IllegalTransition(f"the job is {job.status}: only a job that has ended can be replayed")
