"""Takes back what workers were handed ahead and have not begun."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from workroom.domain.job import Fence
from workroom.domain.rules.estimates import RECALL_SECONDS
from workroom.errors import WorkroomError
from workroom.ports import Clock
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.workers.registry import ConnectedWorker, WorkerRegistry

_RETRY_SECONDS = 1.0

Recall = Callable[[str, Sequence[Fence]], Awaitable[None]]


class Recalls:
    """One timer per worker, and only while it holds something ahead."""

    def __init__(self, registry: WorkerRegistry, tasks: BackgroundTasks, clock: Clock) -> None:
        self._registry = registry
        self._tasks = tasks
        self._clock = clock
        self._recall: Recall | None = None

    def on_recall(self, recall: Recall) -> None:
        """Call this to take attempts back."""
        self._recall = recall

    def watch(self, worker: ConnectedWorker) -> None:
        """Check later what the worker has begun by then, if it holds anything ahead."""
        if worker.recall_timer is None and len(worker.held) > worker.slots:
            loop = asyncio.get_running_loop()
            worker.recall_timer = loop.call_later(RECALL_SECONDS, self._check, worker)

    def _check(self, worker: ConnectedWorker) -> None:
        """Take back what has waited for too long: it goes to the worker that can begin it first."""
        worker.recall_timer = None
        if self._registry.find(worker.session) is not worker or self._recall is None:
            return
        before = self._clock.monotonic() - RECALL_SECONDS
        late = [(attempt, held) for attempt, held in worker.ahead() if held.held_at <= before]
        if late:
            worker.reads_ahead = False
            for _, held in late:
                held.recalled = True
            fences = [Fence(job_id, attempt, held.token) for (job_id, attempt), held in late]
            self._tasks.start(self._take_back(worker, fences, self._recall))
        if worker.ahead():
            self.watch(worker)

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
