"""Jobs as people read them: with an estimate of when they will begin."""

from __future__ import annotations

from dataclasses import replace

from workroom.domain.job import Job
from workroom.domain.queries import FindJobs, Page
from workroom.domain.scheduling import eta_ms
from workroom.ports import Store
from workroom.services.dispatch import Dispatcher


class Reading:
    def __init__(self, store: Store, dispatcher: Dispatcher) -> None:
        self._store = store
        self._dispatcher = dispatcher

    async def jobs(self, query: FindJobs) -> Page[Job]:
        page = await self._store.read(query)
        return Page([self.estimated(job) for job in page.items], page.next_cursor)

    def estimated(self, job: Job) -> Job:
        mean_ms = self._dispatcher.mean_ms(job.extension_id)
        if job.queue_position is None or mean_ms is None or job.slots == 0:
            return job
        return replace(job, eta_ms=eta_ms(job.queue_position, job.slots, mean_ms))
