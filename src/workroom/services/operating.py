"""What operators do: pause an extension, drain a worker, replay what failed."""

from __future__ import annotations

from dataclasses import replace

import orjson

from workroom.domain.events import ExtensionsChanged
from workroom.domain.extension import Extension, Scope
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.queries import FindJob, FindJobs, FindRoom, VisibleExtensions
from workroom.errors import ExtensionNotFound, Forbidden, IllegalTransition, JobNotFound, WorkroomError
from workroom.ports import EventBus, Store
from workroom.services.dispatch import Dispatcher
from workroom.services.outflow import Outflow
from workroom.services.submission import Order, Submission


class Operating:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, outflow: Outflow, bus: EventBus, submission: Submission
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._outflow = outflow
        self._bus = bus
        self._submission = submission

    async def pause(
        self, who: Principal, room: str, scope: Scope, category: str, name: str, *, paused: bool
    ) -> Extension:
        """Hand out no more jobs of an extension; what runs goes on. For its room's owner and admins."""
        extension = await self.extension(room, scope, category, name)
        if not who.is_admin and (scope is Scope.PUBLIC or not await self._owns(who, room)):
            raise Forbidden(
                "only the room's owner and admins may pause an extension, a public one only admins"
            )
        self._outflow.follow(await self._store.pause(extension.id, paused=paused))
        self._bus.publish([ExtensionsChanged(extension.key)])
        return await self.extension(room, scope, category, name)

    async def extension(self, room: str, scope: Scope, category: str, name: str) -> Extension:
        for extension in await self._store.read(VisibleExtensions(room)):
            key = extension.key
            if (key.scope, key.category, key.name) == (scope, category, name):
                return extension
        raise ExtensionNotFound(f"there is no {scope} extension '{category}/{name}' in room '{room}'")

    async def drain(self, worker: str, *, draining: bool) -> None:
        """Give a worker nothing more; it finishes what it has."""
        await self._store.drain(worker, draining=draining)
        self._dispatcher.drain(worker, draining=draining)

    async def replay(self, who: Principal, job_id: str) -> Job:
        """The same again as a new job that points back."""
        job = await self._store.read(FindJob(job_id))
        if job is None:
            raise JobNotFound()
        if not job.status.is_terminal:
            raise IllegalTransition(f"the job is {job.status}: only a job that has ended can be replayed")
        again = await self._submission.submit(who, _order(job))
        assert isinstance(again, Job)
        return again

    async def replay_all(self, who: Principal, query: FindJobs) -> list[Job | WorkroomError]:
        """What was replayed before is left alone."""
        page = await self._store.read(replace(query, replayed=False))
        ended = [job for job in page.items if job.status.is_terminal]
        return await self._submission.submit_batch(who, [_order(job, once=True) for job in reversed(ended)])

    async def _owns(self, who: Principal, name: str) -> bool:
        room = await self._store.read(FindRoom(name))
        return room is not None and room.owner == who.user


def _order(job: Job, *, once: bool = False) -> Order:
    data = orjson.loads(job.data)
    return Order(job.room, job.category, job.name, data, priority=job.priority, retry_of=job.id, once=once)
