"""Reads jobs for people: with an estimate of when they will start, and only those that the reader may see."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.identity import PEOPLE, Principal
from workroom.domain.job import Job, Transition
from workroom.domain.jobs.group import Neighbours
from workroom.domain.jobs.logs import LogLine
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJob, FindJobs, FindNeighbours, JobHistory, JobLogs, Page
from workroom.domain.rules.estimates import eta_ms
from workroom.domain.rules.queue.waiting import WaitCode
from workroom.errors import JobNotFound
from workroom.ports import ReadableStore
from workroom.services.identity.access import Access
from workroom.services.jobs.job_pages import read_page
from workroom.services.jobs.secrets import Secrets
from workroom.services.workers.dispatcher import Dispatcher


class JobReader:
    def __init__(
        self, store: ReadableStore, access: Access, dispatcher: Dispatcher, secrets: Secrets
    ) -> None:
        self._store = store
        self._access = access
        self._dispatcher = dispatcher
        self._secrets = secrets

    async def read(self, who: Principal, job_id: str) -> Job:
        """The job with masked secret values; its own running attempt gets them in clear."""
        job = self.estimate(await self._access.job(who, job_id, Permission.SEE_JOB))
        if job.secrets is not None and who.job is not None and who.job.job_id == job.id:
            return replace(job, data=self._secrets.of_job(job))
        return job

    async def find(self, job_id: str) -> Job:
        """A job that is known to exist, for its worker."""
        job = await self._store.read(FindJob(job_id))
        if job is None:
            raise JobNotFound()
        return job

    async def search(self, query: FindJobs) -> Page[Job]:
        page = await read_page(self._store, query)
        return Page([self.estimate(job) for job in page.items], page.next_cursor)

    async def search_room(self, who: Principal, room: str, query: FindJobs) -> Page[Job]:
        await self._access.room(who, room, Permission.SEE_ROOM)
        return await self.search(query)

    async def search_children(self, who: Principal, job_id: str, query: FindJobs) -> Page[Job]:
        """A job submits only to its own room, so its children are visible to the same people."""
        await self._access.job(who, job_id, Permission.SEE_JOB)
        return await self.search(query)

    async def neighbours(self, who: Principal, job_id: str) -> Neighbours:
        """A job waits only for what is in its room, so its arrows are visible to the same people."""
        await self._access.job(who, job_id, Permission.SEE_JOB)
        return await self._store.read(FindNeighbours(job_id))

    async def search_user(self, who: Principal, user: str, query: FindJobs) -> Page[Job]:
        """A user's own jobs; an admin may read everyone's."""
        if not who.is_admin and (user != who.user or who.role not in PEOPLE):
            raise JobNotFound("there are no jobs of that user to see")
        return await self.search(query)

    async def search_worker(self, who: Principal, worker_id: str, query: FindJobs) -> Page[Job]:
        await self._access.worker(who, worker_id, Permission.RUN_WORKER)
        page = await self.search(query)
        return Page([job for job in page.items if await self._access.sees(who, job)], page.next_cursor)

    async def history(self, who: Principal, job_id: str) -> list[Transition]:
        await self._access.job(who, job_id, Permission.SEE_JOB)
        return await self._store.read(JobHistory(job_id))

    async def logs(self, who: Principal, job_id: str, after: int, limit: int) -> list[LogLine]:
        """Lines behind line `after`: one more than `limit` if there is a next page."""
        await self._access.job(who, job_id, Permission.SEE_JOB)
        return await self._store.read(JobLogs(job_id, after, limit + 1))

    def estimate(self, job: Job) -> Job:
        mean_ms = self._dispatcher.mean_ms(job.extension_id)
        waits_for_rate = job.waiting is not None and job.waiting.code is WaitCode.RATE
        if job.queue_position is None or mean_ms is None or job.slots == 0 or waits_for_rate:
            return job
        return replace(job, eta_ms=eta_ms(job.queue_position, job.slots, mean_ms))
