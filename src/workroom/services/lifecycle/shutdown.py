"""Graceful shutdown: wait for the jobs of the server's own workers, then release what they did not finish.

Remote workers keep their jobs and reconnect to the next server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import structlog

from workroom.domain.extension import RunnerKind
from workroom.domain.queries import FindWorkers
from workroom.domain.worker import Worker
from workroom.errors import StoreUnavailable, WorkroomError
from workroom.ports import ReadableStore
from workroom.services.live.streams import Streams
from workroom.services.steps import Steps
from workroom.services.workers.registry import WorkerRegistry

log = structlog.get_logger()

_CHECK_SECONDS = 0.1


class Shutdown:
    def __init__(
        self,
        store: ReadableStore,
        steps: Steps,
        registry: WorkerRegistry,
        streams: Streams,
        own: Collection[str] | None = None,
    ) -> None:
        """`own` are the ids of the workers that this server started; None if there is no other server."""
        self._store = store
        self._steps = steps
        self._registry = registry
        self._streams = streams
        self._own = own

    async def wait(self, seconds: float) -> bool:
        """Wait for the jobs of the server's own workers. False if they did not end in time."""
        workers = await self._own_workers()
        try:
            async with asyncio.timeout(seconds):
                await self._wait(workers, seconds)
        except TimeoutError:
            log.warning("the server stops before its jobs have ended", jobs=self._jobs(workers))
            return False
        return True

    async def _wait(self, workers: list[Worker], seconds: float) -> None:
        logged: list[str] = []
        while jobs := self._jobs(workers):
            if jobs != logged:
                count = f"{len(jobs)} job{'s' if len(jobs) > 1 else ''}"
                log.info(
                    f"waiting for {count}; a second signal ends it at once", jobs=jobs, at_most_s=seconds
                )
                logged = jobs
            await asyncio.sleep(_CHECK_SECONDS)

    async def dismiss(self) -> None:
        """Close the sessions of the server's own workers: their jobs are lost now, not with the lease.

        The streams are closed after these last events.
        """
        for worker in await self._own_workers():
            try:
                await self._steps.close_session(worker.spec.id, "the server stopped")
            except WorkroomError as error:
                log.warning("worker_not_dismissed", worker=worker.spec.name, reason=error.detail)
        self._streams.close()

    async def _own_workers(self) -> list[Worker]:
        try:
            workers = await self._store.read(FindWorkers())
        except StoreUnavailable as error:
            log.warning("workers_not_awaited", reason=error.detail)
            return []
        local = [worker for worker in workers if RunnerKind(worker.spec.runner) is RunnerKind.LOCAL]
        return local if self._own is None else [worker for worker in local if worker.spec.id in self._own]

    def _jobs(self, workers: list[Worker]) -> list[str]:
        """`worker name: job id` for every job that is held."""
        return [
            f"{worker.spec.name}: {job_id}"
            for worker in workers
            for job_id in self._registry.held_jobs(worker.spec.id)
        ]
