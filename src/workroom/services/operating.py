"""What operators do: pause an extension, drain a worker, replay what failed."""

from __future__ import annotations

from dataclasses import replace

import orjson

from workroom.domain.events import ExtensionsChanged, WorkerStateChanged
from workroom.domain.extension import Extension, Scope
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.queries import FindJobs, FindWorker, VisibleExtensions
from workroom.domain.worker import Worker
from workroom.errors import ExtensionNotFound, IllegalTransition, WorkerNotFound, WorkroomError
from workroom.ports import EventBus, Store
from workroom.services.dispatch import Dispatcher
from workroom.services.outflow import Outflow
from workroom.services.submission import Accepted, Order, Submission


class Operating:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, outflow: Outflow, bus: EventBus, submission: Submission
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._outflow = outflow
        self._bus = bus
        self._submission = submission

    async def pause(self, room: str, scope: Scope, category: str, name: str, *, paused: bool) -> Extension:
        """Hand out no more jobs of an extension; what runs goes on."""
        extension = await self.extension(room, scope, category, name)
        self._outflow.follow(await self._store.pause(extension.id, paused=paused))
        self._bus.publish([ExtensionsChanged(extension.key)])
        return await self.extension(room, scope, category, name)

    async def extension(self, room: str, scope: Scope, category: str, name: str) -> Extension:
        for extension in await self._store.read(VisibleExtensions(room)):
            key = extension.key
            if (key.scope, key.category, key.name) == (scope, category, name):
                return extension
        raise ExtensionNotFound(f"there is no {scope} extension '{category}/{name}' in room '{room}'")

    async def drain(self, worker_id: str, *, draining: bool) -> Worker:
        """Give a worker nothing more; it finishes what it has."""
        await self._store.drain(worker_id, draining=draining)
        self._dispatcher.drain(worker_id, draining=draining)
        worker = await self._store.read(FindWorker(worker_id))
        if worker is None:
            raise WorkerNotFound()
        rooms = {key.room for key in worker.extensions}
        self._bus.publish([WorkerStateChanged(worker_id, worker.state, worker.since_us, tuple(rooms))])
        return worker

    async def replay(self, who: Principal, job: Job, *, may_raise: bool) -> Job:
        """The same again as a new job that points back."""
        if not job.status.is_terminal:
            raise IllegalTransition(f"the job is {job.status}: only a job that has ended can be replayed")
        again = await self._submission.submit(who, _order(job, may_raise=may_raise))
        assert isinstance(again, Job)
        return again

    async def replay_all(
        self, who: Principal, query: FindJobs, *, may_raise: bool
    ) -> list[Accepted | WorkroomError]:
        """What was replayed before is left alone."""
        page = await self._store.read(replace(query, replayed=False))
        ended = [job for job in page.items if job.status.is_terminal]
        orders = [_order(job, once=True, may_raise=may_raise) for job in reversed(ended)]
        return await self._submission.submit_batch(who, orders)


def _order(job: Job, *, once: bool = False, may_raise: bool) -> Order:
    return Order(
        job.room,
        job.category,
        job.name,
        orjson.loads(job.data),
        priority=job.priority,
        retry_of=job.id,
        once=once,
        may_raise=may_raise,
    )
