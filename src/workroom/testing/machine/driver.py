"""Runs a store and its model side by side, and reports where they differ."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from hypothesis.stateful import RuleBasedStateMachine, invariant

from workroom.domain.job import Fence, JobState
from workroom.domain.queries import FindJobs, FindWorker, JobHistory
from workroom.domain.room import Room
from workroom.domain.steps import Assignment, Reconciled, Report, Step
from workroom.domain.worker import Phase
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.conformance.stage import LAB
from workroom.testing.machine.model import Model
from workroom.testing.machine.scene import LIVENESS
from workroom.testing.machine.values import Change, ModelExtension, ModelJob, ModelWorker

T = TypeVar("T")


class Driver(RuleBasedStateMachine):
    """A store and its model side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.model = Model(self.clock, LIVENESS)
        self.assignments: list[Assignment] = []
        self.reports: list[tuple[str, Report]] = []
        self.checked: dict[str, int] = {}
        self.submits = 0
        self.loop = asyncio.new_event_loop()
        self.store = self.loop.run_until_complete(self.open_store())
        self.call(lambda: self.store.create_room(Room(LAB, "ada")))

    async def open_store(self) -> Store:
        """Open the store with `self.clock` and LIVENESS: empty at first, with its data when opened again."""
        raise NotImplementedError

    async def reopen_store(self) -> Store:
        await self.store.aclose()
        return await self.open_store()

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:
                self.finish_everything()
        finally:
            self.loop.run_until_complete(self.store.aclose())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()

    def finish_everything(self) -> None:
        """Run at the end, unless an earlier step failed."""

    @invariant()
    def the_store_agrees_with_the_model(self) -> None:
        self._no_job_is_lost()
        self._no_slot_leaks()
        self._no_lane_is_too_full()

    def _no_job_is_lost(self) -> None:
        """An accepted job is never lost, has one history without gaps, and ends once."""
        found = {job.id: job for job in self.call(lambda: self.store.read(FindJobs(limit=10_000))).items}
        assert set(found) == set(self.model.jobs)
        for name, job in self.model.jobs.items():
            kept, versions = found[name], len(job.history)
            assert (kept.status, kept.version) == (job.status, versions)
            assert (kept.attempt, kept.tries) == (job.attempt, job.starts)
            assert kept.progress == job.progress, (name, kept.progress, job.progress)
            code = self._wait_code(job)
            assert (kept.waiting and kept.waiting.code) == code, (name, kept.waiting, code)
            if self.checked.get(name) != versions:
                history = self.call(lambda: self.store.read(JobHistory(name)))  # noqa: B023
                assert [each.version for each in history] == list(range(1, versions + 1))
                assert [each.status for each in history] == job.history
                self.checked[name] = versions

    def _wait_code(self, job: ModelJob) -> str | None:
        if job.status is JobState.PENDING:
            return self.model.waits_for(job)
        if job.status is not JobState.RUNNING or job.fence is None:
            return None
        waits = self.model.held[job.fence].waits
        return None if waits is None else waits.partition(":")[0]

    def _no_slot_leaks(self) -> None:
        for name, worker in self.model.workers.items():
            kept = self.call(lambda: self.store.read(FindWorker(name)))  # noqa: B023
            held = self.model.held_by(name)
            running = sum(each.started for each in held)
            assert kept is not None
            assert (kept.assigned, kept.running) == (len(held) - running, running)
            assert (kept.online, kept.session) == (worker.online, worker.session)

    def _no_lane_is_too_full(self) -> None:
        for each in self.model.extensions.values():
            concurrency = each.spec.policy.concurrency
            for lane, limit in (concurrency.limits if concurrency else {}).items():
                assert self.model.in_lane(each.id, lane) <= limit

    def call(self, verb: Callable[[], Awaitable[T]]) -> T:
        async def run() -> T:
            return await verb()

        return self.loop.run_until_complete(run())

    def refused(self, error: type[Exception], verb: Callable[[], Awaitable[object]]) -> None:
        try:
            self.call(verb)
        except error:
            return
        raise AssertionError(f"{error.__name__} was expected")

    def check(self, step: Step) -> None:
        change, self.model.change = self.model.change, Change()
        change.check(step)

    def _apply_reconciled(
        self,
        worker: ModelWorker,
        reconciled: Reconciled,
        expected: dict[str, set[Fence]],
        *,
        deaf: bool = False,
    ) -> None:
        """Compare the reply with the model's, and apply it to the worker."""
        reply = {
            "keep": set(reconciled.keep),
            "drop": set(reconciled.drop),
            "cancel": set(reconciled.cancel),
            "resend": {each.fence for each in reconciled.resend},
        }
        assert reply == expected, (reply, expected)
        self.call(lambda: self.store.submit([]))  # waits until the step before it is on disk
        self.check(reconciled.step)
        if deaf:
            return
        for fence in reconciled.drop:
            worker.holds.pop(fence, None)
        for assignment in reconciled.resend:
            self._receive(worker, assignment)

    def _receive(self, worker: ModelWorker, assignment: Assignment) -> None:
        worker.holds[assignment.fence] = Phase.QUEUED
        worker.seen = max(worker.seen, assignment.number)

    def _extension(self, name: str) -> ModelExtension:
        return next(each for each in self.model.extensions.values() if each.spec.key.name == name)

    def _job(self, which: int) -> ModelJob:
        jobs = list(self.model.jobs.values())
        return jobs[-1 - which % len(jobs)]

    def _assignment(self, which: int) -> Assignment:
        """Pick an assignment, preferring those that still occupy a worker."""
        live = sorted(self.assignments, key=lambda each: each.fence in self.model.held)
        return live[-1 - which % len(live)]
