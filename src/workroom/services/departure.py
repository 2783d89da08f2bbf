"""How the server goes: it waits for the jobs of its own workers, and lets go of what they did not finish.

Workers elsewhere keep what they have: they come back to the next server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import structlog

from workroom.domain.extension import RunnerKind
from workroom.domain.queries import FindWorkers
from workroom.domain.worker import Worker
from workroom.errors import WorkroomError
from workroom.ports import Store
from workroom.services.dispatch import Dispatcher
from workroom.services.outflow import Outflow
from workroom.services.streaming import Streams

log = structlog.get_logger()

_LOOK_SECONDS = 0.1


class Departure:
    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        outflow: Outflow,
        streams: Streams,
        own: Collection[str] | None = None,
    ) -> None:
        """`own` are the workers that this server has started, where other servers may have theirs."""
        self._streams = streams
        self._own = own
        self._store = store
        self._dispatcher = dispatcher
        self._outflow = outflow

    async def wait(self, seconds: float) -> bool:
        """Until the server's own workers are done, but no longer than this. Are they?"""
        workers = await self._own_workers()
        try:
            async with asyncio.timeout(seconds):
                await self._wait(workers, seconds)
        except TimeoutError:
            log.warning("the server stops before its jobs have ended", jobs=self._jobs(workers))
            return False
        return True

    async def _wait(self, workers: list[Worker], seconds: float) -> None:
        told: list[str] = []
        while jobs := self._jobs(workers):
            if jobs != told:
                count = f"{len(jobs)} job{'s' if len(jobs) > 1 else ''}"
                log.info(
                    f"waiting for {count}; a second signal ends it at once", jobs=jobs, at_most_s=seconds
                )
                told = jobs
            await asyncio.sleep(_LOOK_SECONDS)

    async def dismiss(self) -> None:
        """The server's own workers are gone: what they ran is lost now, not when their leases run out.

        That is the last thing that streams tell.
        """
        for worker in await self._own_workers():
            try:
                self._outflow.follow(await self._store.close_session(worker.spec.id, "the server stopped"))
            except WorkroomError as error:
                log.warning("worker_not_dismissed", worker=worker.spec.name, reason=error.detail)
        self._streams.close()

    async def _own_workers(self) -> list[Worker]:
        workers = await self._store.read(FindWorkers())
        local = [worker for worker in workers if RunnerKind(worker.spec.runner) is RunnerKind.LOCAL]
        return local if self._own is None else [worker for worker in local if worker.spec.id in self._own]

    def _jobs(self, workers: list[Worker]) -> list[str]:
        """Who is at what."""
        return [
            f"{worker.spec.name}: {job_id}"
            for worker in workers
            for job_id in self._dispatcher.jobs_at(worker.spec.id)
        ]
