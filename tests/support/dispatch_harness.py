"""A dispatcher over a real store, with a courier and a bus that remember."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from workroom.domain.events import Event, WorkerStateChanged
from workroom.domain.extension import ExtensionSpec
from workroom.domain.job import Fence
from workroom.domain.rules.estimates import EVIDENCE_ENDS
from workroom.domain.steps import Assignment, NewJob, Report, Start, Unbegun
from workroom.domain.worker import Hold, Session
from workroom.services.lifecycle.background import BackgroundTasks, Readiness
from workroom.services.workers.dispatcher import Dispatcher
from workroom.services.workers.registry import WorkerRegistry
from workroom.testing.conformance import Stage, extension
from workroom.testing.conformance.stage import NONCE, completed

SMOOTH, COUNT = extension("Smooth"), extension("Count")


@dataclass
class RecordingCourier:
    """Records pushes; a worker receives each at once."""

    pushed: list[Assignment] = field(default_factory=list)

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None:
        assert {each.worker for each in assignments} == {worker}
        self.pushed += assignments

    def silent(self) -> list[str]:
        return []


@dataclass
class RecordingBus:
    events: list[Event] = field(default_factory=list)

    def publish(self, events: Sequence[Event]) -> None:
        self.events += events


@dataclass
class RecordingBell:
    rung: int = 0

    def notify(self, count: int) -> None:
        self.rung += count

    def close(self) -> None: ...


class Tasks(BackgroundTasks):
    """Background tasks that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._started: list[asyncio.Task[Any]] = []

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        self._started.append(super().start(work))
        return self._started[-1]

    async def quiet(self) -> None:
        async with asyncio.timeout(10):
            while self._started:
                await self._started.pop()


async def _until(is_true: Callable[[], bool]) -> None:
    while not is_true():  # noqa: ASYNC110 - what changes is the dispatcher's own
        await asyncio.sleep(0.01)


@dataclass(frozen=True)
class DispatchHarness:
    """A running dispatcher. Each method returns when all background work is done."""

    stage: Stage
    registry: WorkerRegistry
    dispatcher: Dispatcher
    courier: RecordingCourier
    bus: RecordingBus
    tasks: Tasks
    readiness: Readiness
    notifier: RecordingBell
    recalled: asyncio.Queue[tuple[str, Sequence[Fence]]]

    async def seat_on_call(self, worker: str, slots: int = 1) -> Session:
        await self.stage.register(worker, SMOOTH, slots=slots)
        opened = await self.stage.store.open_session(worker, "boot", (), 0)
        self.dispatcher.connect(opened, on_call=True)
        return opened.session

    async def arrive(self, *jobs: NewJob) -> None:
        """Submit jobs without waiting for their dispatch."""
        await self.stage.store.submit(jobs)
        self.dispatcher.jobs_arrived(Counter(job.extension_id for job in jobs))

    async def rings(self, times: int) -> None:
        """Assert the total number of calls."""
        for _ in range(500):
            if self.notifier.rung >= times:
                break
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        assert self.notifier.rung == times

    async def seat(self, worker: str, *specs: ExtensionSpec, slots: int = 1, trip_s: float = 0.5) -> Session:
        await self.stage.register(worker, *(specs or (SMOOTH,)), slots=slots)
        return await self.seat_again(worker, trip_s=trip_s)

    async def seat_again(self, worker: str, *holds: Hold, seen: int = 0, trip_s: float = 0.5) -> Session:
        opened = await self.stage.store.open_session(worker, "boot", holds, seen)
        self.dispatcher.connect(opened, trip_s=trip_s)
        await self.tasks.quiet()
        return opened.session

    async def jobs(self, count: int, spec: ExtensionSpec = SMOOTH) -> list[NewJob]:
        return [await self.stage.new_job(spec) for _ in range(count)]

    async def submit(self, *jobs: NewJob) -> None:
        committed = self.stage.store.submit(jobs)
        self.dispatcher.jobs_arrived(Counter(job.extension_id for job in jobs))
        assert (await committed).answers == [None] * len(jobs)
        await self.tasks.quiet()

    async def submit_new(self, count: int = 1, spec: ExtensionSpec = SMOOTH) -> list[Assignment]:
        """Submit jobs together; return the assignments they caused."""
        before = len(self.courier.pushed)
        await self.submit(*await self.jobs(count, spec))
        return self.courier.pushed[before:]

    async def start(self, assignment: Assignment) -> None:
        await self.stage.start(assignment)
        self.dispatcher.mark_started([assignment.fence], assignment.worker)

    async def end(self, report: Report, worker: str, run_ms: float | None = None) -> list[Assignment]:
        """Finish an attempt; return the assignments it caused."""
        before = len(self.courier.pushed)
        reported = {} if run_ms is None else {report.fence.job_id: run_ms}
        committed = self.stage.store.finish(worker, [report])
        self.dispatcher.release_running([report.fence], worker, reported)
        step = await committed
        assert step.answers == [None]
        self.dispatcher.release(step.released)
        await self.tasks.quiet()
        return self.courier.pushed[before:]

    async def finish(
        self, assignment: Assignment, took_ms: float = 1000.0, run_ms: float | None = None
    ) -> list[Assignment]:
        """Run an attempt for so long by the clock; `run_ms` is what its worker reports."""
        await self.start(assignment)
        self.stage.clock.advance(took_ms / 1000)
        return await self.end(completed(assignment), assignment.worker, run_ms)

    async def measure(
        self,
        took_ms: float,
        spec: ExtensionSpec = SMOOTH,
        run_ms: float | None = None,
        ends: int = EVIDENCE_ENDS,
    ) -> None:
        """Let a worker of its own run so many jobs, in rounds of ten, each for so long."""
        await self.seat("measuring", spec, slots=10)
        for _ in range(0, ends, 10):
            started = await self.submit_new(10, spec)
            fences = [each.fence for each in started]
            await self.stage.store.start("measuring", [Start(fence, NONCE) for fence in fences])
            self.dispatcher.mark_started(fences, "measuring")
            self.stage.clock.advance(took_ms / 1000)
            reported = {} if run_ms is None else dict.fromkeys([each.job_id for each in fences], run_ms)
            self.dispatcher.release_running(fences, "measuring", reported)
            await self.stage.store.finish("measuring", [completed(each) for each in started])
        await self.stage.store.close_session("measuring", "done")
        self.dispatcher.remove("measuring")
        self.courier.pushed.clear()

    async def recalls(self) -> list[Fence]:
        """Wait for a recall and let it happen."""
        async with asyncio.timeout(10):
            worker, fences = await self.recalled.get()
        unbegun = [Unbegun(fence) for fence in fences]
        step = await self.stage.store.release(worker, unbegun, "dispatcher", "recalled")
        self.dispatcher.release(step.released)
        self.dispatcher.jobs_arrived(step.arrivals)
        await self.tasks.quiet()
        return [fence for fence, refusal in zip(fences, step.answers, strict=True) if refusal is None]

    async def looked_after(self, worker: str) -> None:
        """Wait until it was checked twice whether the worker starts what it holds."""
        connected = self.registry.get(worker)
        assert connected is not None
        async with asyncio.timeout(10):
            for _ in range(2):
                timer = connected.recall_timer
                await _until(lambda: connected.recall_timer is not timer)  # noqa: B023 - called at once
        await self.tasks.quiet()

    async def beat(self, session: Session, *holds: Hold, seen: int) -> None:
        changes = self.changes(session.worker)
        self.dispatcher.reconcile(session, await self.stage.store.renew(session, holds, seen), changes)
        await self.tasks.quiet()

    def changes(self, worker: str) -> int:
        connected = self.registry.get(worker)
        return 0 if connected is None else connected.changes

    async def turns(self, count: int) -> list[str]:
        """Submit jobs one by one, each finished before the next; return their workers."""
        workers = []
        for _ in range(count):
            (assignment,) = await self.submit_new()
            await self.finish(assignment)
            workers.append(assignment.worker)
        return workers

    def states(self, worker: str) -> list[str]:
        told = [each for each in self.bus.events if isinstance(each, WorkerStateChanged)]
        return [each.state for each in told if each.worker == worker]
