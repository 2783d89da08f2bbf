"""Operating: pause an extension, drain a worker, replay jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from workroom.domain.extension import Extension, Scope
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.queries import CountLanes, FindJobs, FindJobsById, LaneUse, VisibleExtensions
from workroom.domain.schema.result_refs import references
from workroom.domain.worker import Worker
from workroom.errors import (
    BodyTooLarge,
    ExtensionNotFound,
    Forbidden,
    IllegalTransition,
    JobNotFound,
    SchemaConflict,
    WorkroomError,
)
from workroom.ports import ReadableStore
from workroom.services.jobs.intake import JobIntake
from workroom.services.jobs.secrets import Secrets
from workroom.services.jobs.submit_queue import BrieflySubmitted
from workroom.services.jobs.submit_requests import Conditions, SubmitRequest
from workroom.services.limits.fair_queue import FairQueue
from workroom.services.steps import Steps
from workroom.services.workers.worker_steps import WorkerSteps

MAX_LANES = 100
MAX_REPLAYED_BYTES = 16_000_000  # of values in one request
_CHUNK = 20  # jobs that are read at once: each may have megabytes of values and of results


class Operations:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        worker_steps: WorkerSteps,
        intake: JobIntake,
        secrets: Secrets,
    ) -> None:
        self._store = store
        self._steps = steps
        self._worker_steps = worker_steps
        self._intake = intake
        self._secrets = secrets
        self._turns = FairQueue("retries", running=2, max_waiting=200, max_per_key=8)

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

    async def lanes(self, extension: Extension) -> dict[str, LaneUse]:
        """How the keys are used that have a limit of their own, over all rooms."""
        concurrency = extension.spec.policy.concurrency
        names = tuple(concurrency.limits)[:MAX_LANES] if concurrency is not None else ()
        return await self._store.read(CountLanes(extension.id, names)) if names else {}

    async def drain(self, worker_id: str, *, draining: bool) -> Worker:
        """Dispatch no more jobs to a worker, or resume; it finishes what it has."""
        return await self._worker_steps.drain(worker_id, draining=draining)

    async def replay(self, who: Principal, job: Job, *, may_raise: bool) -> Job:
        """Submit the same values again, as a new job that points back."""
        _check_ended(job)
        replayed = await self._intake.submit(who, await self._request(who, job, may_raise=may_raise))
        assert isinstance(replayed, Job)
        return replayed

    async def replay_all(self, who: Principal, query: FindJobs, *, may_raise: bool) -> list[BrieflySubmitted]:
        """Replay the ended jobs that match and were not replayed before."""
        page = await self._store.read(replace(query, replayed=False, brief=True))
        ended = [job for job in page.items if job.status.is_terminal]
        return await self.replay_each(who, ended[::-1], may_raise=may_raise, once=True)

    async def replay_group(
        self, who: Principal, query: FindJobs, *, may_raise: bool
    ) -> tuple[list[BrieflySubmitted], bool]:
        """Replay jobs of a group in the group. Returns whether there are more."""
        page = await self._store.read(replace(query, replayed=False, brief=True))
        replayed = await self.replay_each(
            who, page.items[::-1], may_raise=may_raise, once=True, group=query.group
        )
        return replayed, page.next_cursor is not None

    async def replay_each(
        self,
        who: Principal,
        jobs: Sequence[Job],
        *,
        may_raise: bool,
        once: bool = False,
        group: str | None = None,
    ) -> list[BrieflySubmitted]:
        """Replay jobs, which are given briefly, in one commit. With `once`, not those replayed before."""
        async with self._turns.turn(who.user):
            requests = await self._requests(who, jobs, once=once, may_raise=may_raise)
            valid = [each for each in requests if isinstance(each, SubmitRequest)]
            for request in valid:
                request.group = group
            submitted = iter(await self._intake.submit_batch(who, valid))
        return [next(submitted) if isinstance(each, SubmitRequest) else each for each in requests]

    async def _requests(
        self, who: Principal, jobs: Sequence[Job], *, once: bool, may_raise: bool
    ) -> list[SubmitRequest | WorkroomError]:
        """Read some jobs at a time, with values up to a limit."""
        requests: list[SubmitRequest | WorkroomError] = []
        left = MAX_REPLAYED_BYTES
        for first in range(0, len(jobs), _CHUNK):
            ids = [job.id for job in jobs[first : first + _CHUNK]]
            found = {job.id: job for job in await self._store.read(FindJobsById(tuple(ids)))}
            for job_id in ids:
                request = await self._try_request(
                    who, found.get(job_id), left, once=once, may_raise=may_raise
                )
                if isinstance(request, SubmitRequest):
                    left -= len(found[job_id].data)
                requests.append(request)
                await asyncio.sleep(0)  # to decode values takes a while
        return requests

    async def _try_request(
        self, who: Principal, job: Job | None, left: int, *, once: bool, may_raise: bool
    ) -> SubmitRequest | WorkroomError:
        try:
            if job is None:
                raise JobNotFound()
            _check_ended(job)
            if len(job.data) > left:
                raise BodyTooLarge("these jobs are too large to retry together: retry this one by itself")
            return await self._request(who, job, once=once, may_raise=may_raise)
        except WorkroomError as refusal:
            return refusal

    async def _request(
        self, who: Principal, job: Job, *, once: bool = False, may_raise: bool
    ) -> SubmitRequest:
        if job.secrets is not None:
            await self._check_secrets(who, job)
        values = orjson.loads(self._secrets.of_job(job))
        return SubmitRequest(
            job.room,
            job.category,
            job.name,
            values,
            priority=job.priority,
            retry_of=job.id,
            once=once,
            conditions=_conditions(job, values),
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


def _conditions(job: Job, values: Any) -> Conditions | None:
    """A job that was never handed out may still refer to results, which are filled into the new one."""
    after = () if job.attempt else tuple(dict.fromkeys(each.job for each in references(values)))
    return Conditions(after=after) if after else None


def _check_ended(job: Job) -> None:
    if not job.status.is_terminal:
        raise IllegalTransition(f"the job is {job.status}: only a job that has ended can be replayed")
