"""The verbs with which people decide about workers, with their effects."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from workroom.domain.events import (
    Event,
    ExtensionsChanged,
    WorkerAccepted,
    WorkerDismissed,
    WorkerDrained,
    WorkerRefused,
    WorkerStateChanged,
)
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState
from workroom.domain.queries import FindJobs, FindWorker
from workroom.domain.steps import Accepted, Dismissed
from workroom.domain.worker import Worker
from workroom.errors import WorkerNotFound
from workroom.ports import Store
from workroom.services.effects import Effects

_MAX_HELD = 500  # jobs listed in an event


class WorkerSteps:
    """After each verb its rooms receive the worker's state, whichever server it is connected to."""

    def __init__(self, store: Store, effects: Effects) -> None:
        self._store = store
        self._effects = effects
        self._dispatcher = effects.dispatcher
        self._publish = effects.publish

    async def accept(self, worker: str, keys: Sequence[ExtensionKey], by: str) -> Accepted:
        accepted = await self._store.accept(worker, keys)
        self._effects.catalog.forget(accepted.keys)
        events: list[Event] = [WorkerAccepted(worker, key, by) for key in accepted.keys]
        self._publish([*events, *(ExtensionsChanged(key) for key in accepted.created)])
        self._dispatcher.change_offers(accepted.seating)
        await self._publish_state(worker, accepted.keys)
        return accepted

    async def refuse(self, worker: str, keys: Sequence[ExtensionKey], by: str, reason: str) -> Dismissed:
        dismissed = await self._store.refuse(worker, keys, by, reason)
        await self._end_offers(worker, dismissed, by, reason)
        return dismissed

    async def dismiss(
        self, worker: str, rooms: Collection[str | None] | None, by: str, reason: str, *, bans: bool
    ) -> Dismissed:
        dismissed = await self._store.dismiss(worker, rooms, by, reason, bans=bans)
        await self._end_offers(worker, dismissed, by, reason)
        return dismissed

    async def _end_offers(self, worker: str, dismissed: Dismissed, by: str, reason: str) -> None:
        events: list[Event] = [WorkerRefused(worker, key, by, reason) for key in dismissed.keys]
        self._publish([WorkerDismissed(worker, by, reason)] if dismissed.is_over else events)
        self._effects.apply(dismissed.step)
        if not dismissed.is_over:
            self._dispatcher.change_offers(dismissed.seating)
        await self._publish_state(worker, dismissed.keys)

    async def drain(self, worker_id: str, *, draining: bool) -> Worker:
        await self._store.drain(worker_id, draining=draining)
        self._dispatcher.drain(worker_id, draining=draining)
        self._publish([WorkerDrained(worker_id, draining)])
        worker = await self._store.read(FindWorker(worker_id))
        if worker is None:
            raise WorkerNotFound()
        self._publish([await self._state_event(worker, worker.keys)])
        return worker

    async def _publish_state(self, worker_id: str, keys: Collection[ExtensionKey]) -> None:
        worker = await self._store.read(FindWorker(worker_id))
        if worker is not None and keys:
            self._publish([await self._state_event(worker, keys)])

    async def _state_event(self, worker: Worker, keys: Collection[ExtensionKey]) -> WorkerStateChanged:
        held: list[str] = []
        for status in (JobState.RUNNING, JobState.ASSIGNED):
            query = FindJobs(worker=worker.spec.id, status=status, limit=_MAX_HELD, brief=True)
            held += [job.id for job in (await self._store.read(query)).items]
        rooms = tuple({key.room for key in keys})
        return WorkerStateChanged(worker.spec.id, worker.state, worker.since_us, rooms, tuple(held))
