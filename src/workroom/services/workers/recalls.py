"""Takes back what workers have been handed and have not begun."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from workroom.domain.job import Fence
from workroom.domain.queries import FindIdle
from workroom.domain.rules.estimates import RECALL_SECONDS
from workroom.errors import WorkroomError
from workroom.ports import Clock, ReadableStore
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.workers.registry import Attempt, ConnectedWorker, HeldAttempt, WorkerRegistry

_RETRY_SECONDS = 1.0
_CONFIRM_SECONDS = 0.01  # for starts that have arrived, if this server itself was late
_SOONEST_SECONDS = 0.005

Held = Sequence[tuple[Attempt, HeldAttempt]]
Recall = Callable[[str, Sequence[Fence]], Awaitable[None]]


class Recalls:
    """One timer per worker, and only while it holds something that has not begun.

    What no slot can begin is always taken back. What a slot should have begun moves if another worker can
    begin it: then its own worker stands still.
    """

    def __init__(
        self, store: ReadableStore, registry: WorkerRegistry, tasks: BackgroundTasks, clock: Clock
    ) -> None:
        self._store = store
        self._registry = registry
        self._tasks = tasks
        self._clock = clock
        self._recall: Recall | None = None

    def on_recall(self, recall: Recall) -> None:
        """Call this to take attempts back."""
        self._recall = recall

    def watch(self, worker: ConnectedWorker) -> None:
        """Check later what the worker has begun by then."""
        if worker.recall_timer is None and worker.held:
            self._check_in(worker, RECALL_SECONDS)

    def _check_in(self, worker: ConnectedWorker, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        worker.recall_timer = loop.call_later(seconds, self._check, worker)

    def _check(self, worker: ConnectedWorker) -> None:
        worker.recall_timer = None
        if not self._is_connected(worker) or self._recall is None:
            return
        now = self._clock.monotonic()
        late = [each for each in worker.ahead() if each[1].held_at <= now - RECALL_SECONDS]
        overdue = worker.overdue(now)
        if late or overdue:
            self._tasks.start(self._confirm(worker, late, overdue, self._recall))
        next_at = worker.next_recall_at(now)
        if next_at is not None:
            self._check_in(worker, max(_SOONEST_SECONDS, next_at - now))

    def _is_connected(self, worker: ConnectedWorker) -> bool:
        return self._registry.find(worker.session) is worker

    async def _confirm(self, worker: ConnectedWorker, late: Held, overdue: Held, recall: Recall) -> None:
        """Look again: if this server itself was late, starts may have arrived that it has not read yet."""
        await asyncio.sleep(_CONFIRM_SECONDS)
        movable = await self._movable(worker, _still_unbegun(worker, overdue))
        late, movable = _still_unbegun(worker, late), _still_unbegun(worker, movable)
        if not (late or movable) or not self._is_connected(worker):
            return
        worker.reads_ahead = False
        if movable:
            worker.stands_still()
        await self._take_back(worker, _mark([*late, *movable]), recall)

    async def _movable(self, worker: ConnectedWorker, overdue: Held) -> Held:
        """What another worker can begin."""
        extensions = {held.extension_id for _, held in overdue if held.extension_id is not None}
        served = {each for each in extensions if await self._is_another_idle(worker, each)}
        return [(attempt, held) for attempt, held in overdue if held.extension_id in served]

    async def _is_another_idle(self, worker: ConnectedWorker, extension: int) -> bool:
        """Workers of this server are known here, those of others by the store."""
        if any(
            each.free and extension in each.extension_ids for each in self._registry if each is not worker
        ):
            return True
        try:
            idle = await self._store.read(FindIdle(extension))
        except WorkroomError:
            return False
        return any(each not in self._registry for each in idle)

    async def _take_back(self, worker: ConnectedWorker, fences: Sequence[Fence], recall: Recall) -> None:
        """What the store does not give back was started or cancelled meanwhile."""
        try:
            await recall(worker.id, fences)
        except WorkroomError:
            await asyncio.sleep(_RETRY_SECONDS)
            for fence in fences:
                held = worker.held.get((fence.job_id, fence.attempt))
                if held is not None:
                    held.recalled = False
            self.watch(worker)


def _still_unbegun(worker: ConnectedWorker, attempts: Held) -> Held:
    return [each for each in attempts if each[1].is_unbegun and worker.held.get(each[0]) is each[1]]


def _mark(attempts: Held) -> list[Fence]:
    """Recall each only once."""
    fences = []
    for (job_id, attempt), held in attempts:
        held.recalled = True
        fences.append(Fence(job_id, attempt, held.token))
    return fences
