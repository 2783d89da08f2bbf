"""What the suites share: a store, and short names for what they do with it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from uuid_utils import uuid7

from workroom.domain.extension import (
    ExtensionKey,
    ExtensionSpec,
    Policy,
    RunnerKind,
    canonical,
    schema_hash,
)
from workroom.domain.job import Job, JobError, JobState
from workroom.domain.queries import FindExtension, FindJob, FindWorker, JobHistory
from workroom.domain.room import Room
from workroom.domain.steps import Assignment, NewJob, Reconciled, Registered, Report, Seat, Start, Step
from workroom.domain.worker import Hold, Liveness, Phase, Session, Worker, WorkerSpec
from workroom.errors import WorkroomError
from workroom.ports import Store
from workroom.testing.conformance.clock import FakeClock

LIVENESS = Liveness(linger=0.0)  # extensions leave with their last worker
LAB = "lab"
ATTIC = "attic"
NONCE = "nonce-of-an-executor"


def extension(
    name: str,
    *,
    room: str | None = LAB,
    category: str = "analysis",
    field: str = "window",
    runner: RunnerKind = RunnerKind.REMOTE,
    owner: str = "ada",
    policy: Policy | None = None,
) -> ExtensionSpec:
    """An extension; another field makes another schema of it."""
    schema = {"type": "object", "title": name, "properties": {field: {"type": "integer"}}}
    return ExtensionSpec(
        ExtensionKey(room, category, name),
        canonical(schema),
        schema_hash(schema),
        runner,
        owner,
        policy or Policy(),
    )


SMOOTH = extension("Smooth")
COUNT = extension("Count")


def completed(assignment: Assignment, result: bytes | None = b'{"frames":12}') -> Report:
    return Report(assignment.fence, JobState.COMPLETED, result=result)


BROKEN = JobError("ValueError", "it broke", {}, "Traceback")


def failed(assignment: Assignment, error: JobError = BROKEN) -> Report:
    return Report(assignment.fence, JobState.FAILED, error=error)


def cancelled(assignment: Assignment) -> Report:
    return Report(assignment.fence, JobState.CANCELLED)


def held(assignment: Assignment, phase: Phase = Phase.BEGUN) -> Hold:
    return Hold(assignment.fence, phase)


def error_type(job: Job) -> Any:
    assert job.error is not None
    return json.loads(job.error)["type"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A store, its clock, and the people who use it."""

    store: Store
    clock: FakeClock

    async def extension_id(self, spec: ExtensionSpec) -> int:
        key = spec.key
        found = await self.store.read(FindExtension(key.room or LAB, key.category, key.name))
        assert found is not None
        assert found.key == key
        return found.id

    async def is_offered(self, spec: ExtensionSpec) -> bool:
        key = spec.key
        return await self.store.read(FindExtension(key.room or LAB, key.category, key.name)) is not None

    def register(
        self,
        worker: str,
        *specs: ExtensionSpec,
        user: str = "ada",
        slots: int = 1,
        runner: RunnerKind = RunnerKind.REMOTE,
        trusted: Collection[str | None] = (),
    ) -> Awaitable[Registered]:
        """A remote worker offers in its user's name."""
        machine = b'{"host":"box"}'
        owned = [replace(spec, owner=user) if runner is RunnerKind.REMOTE else spec for spec in specs]
        return self.store.register(WorkerSpec(worker, user, worker, runner, slots, machine), owned, trusted)

    async def connect(
        self, worker: str, *specs: ExtensionSpec, slots: int = 1, boot: str = "boot"
    ) -> Session:
        """Register a remote worker and open a session for it."""
        await self.register(worker, *specs, slots=slots)
        return await self.reconnect(worker, boot=boot)

    async def reconnect(self, worker: str, *holds: Hold, boot: str = "boot", seen: int = 0) -> Session:
        return (await self.store.open_session(worker, boot, holds, seen)).session

    async def new_job(
        self,
        spec: ExtensionSpec,
        *,
        user: str = "ada",
        room: str = LAB,
        data: bytes = b"{}",
        priority: int = 0,
        group: str | None = None,
        trace: str | None = None,
    ) -> NewJob:
        extension_id = await self.extension_id(spec)
        fields = (str(uuid7()), room, extension_id, spec.schema_hash, user, data, priority)
        return NewJob(*fields, group=group, trace=trace)

    async def submit(self, spec: ExtensionSpec, **options: Any) -> str:
        """Submit a job that is accepted, and return its id."""
        job = await self.new_job(spec, **options)
        assert (await self.store.submit([job])).answers == [None]
        return job.id

    async def submit_many(self, count: int, spec: ExtensionSpec, **options: Any) -> list[str]:
        jobs = [await self.new_job(spec, **options) for _ in range(count)]
        assert (await self.store.submit(jobs)).answers == [None] * count
        return [job.id for job in jobs]

    async def claim(self, session: Session, jobs: int = 1) -> Sequence[Assignment]:
        return (await self.store.claim([Seat(session, jobs)]).durable).assignments

    async def claimed_ids(self, session: Session, jobs: int = 1) -> list[str]:
        return [assignment.fence.job_id for assignment in await self.claim(session, jobs)]

    async def assigned(self, session: Session, spec: ExtensionSpec = SMOOTH, **options: Any) -> Assignment:
        """A job that was just handed to a worker."""
        job_id = await self.submit(spec, **options)
        (assignment,) = await self.claim(session)
        assert assignment.fence.job_id == job_id
        return assignment

    async def running(self, session: Session, spec: ExtensionSpec = SMOOTH, **options: Any) -> Assignment:
        """A job that a worker has begun."""
        assignment = await self.assigned(session, spec, **options)
        await self.start(assignment)
        return assignment

    async def start(self, assignment: Assignment) -> None:
        assert (await self.store.start(assignment.worker, [Start(assignment.fence, NONCE)])).answers == [None]

    async def finish(self, report: Report, worker: str = "w1") -> Step:
        """An end that is accepted."""
        step = await self.store.finish(worker, [report])
        assert step.answers == [None]
        return step

    async def refusal(self, verb: Awaitable[Step]) -> type[WorkroomError]:
        """Why a verb refused its only item and changed nothing."""
        step = await verb
        (answer,) = step.answers
        assert answer is not None
        assert step == Step(answers=[answer])
        return type(answer)

    async def catch_up(self) -> None:
        """Make verbs durable that returned as soon as they were applied: the next one waits for the disk."""
        await self.store.submit([])

    async def job(self, job_id: str) -> Job:
        job = await self.store.read(FindJob(job_id))
        assert job is not None
        return job

    async def status(self, assignment: Assignment) -> JobState:
        return (await self.job(assignment.fence.job_id)).status

    async def statuses(self, job_id: str) -> list[JobState]:
        return [transition.status for transition in await self.store.read(JobHistory(job_id))]

    async def worker(self, worker: str) -> Worker:
        found = await self.store.read(FindWorker(worker))
        assert found is not None
        return found

    async def load(self, worker: str) -> tuple[int, int]:
        """How many attempts a worker holds: assigned, running."""
        found = await self.worker(worker)
        return found.assigned, found.running

    async def wait(
        self, seconds: float, heartbeat: Callable[[], Awaitable[Reconciled]] | None = None
    ) -> Step:
        """Let time pass with regular sweeps and heartbeats, if any. Returns all that the sweeps did."""
        swept = Step()
        while seconds > 0:
            stride = min(seconds, LIVENESS.heartbeat)
            self.clock.advance(stride)
            seconds -= stride
            if heartbeat is not None:
                await heartbeat()
            swept.absorb(await self.store.sweep())
        return swept


async def furnished(stage: Stage) -> Stage:
    """The stage, with the rooms that the suites use."""
    for name in (LAB, ATTIC):
        await stage.store.create_room(Room(name, "landlord"))
    return stage


Reopen = Callable[[], AbstractAsyncContextManager[Stage]]
"""Opens what the fixture `store` kept, once that is closed."""


class Conformance:
    """A part of the suite: `store` and `reopen` come from the subclass, the rest is here."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    @pytest.fixture
    def liveness(self) -> Liveness:
        return LIVENESS

    @pytest.fixture
    async def stage(self, store: Store, clock: FakeClock) -> Stage:
        return await furnished(Stage(store, clock))
