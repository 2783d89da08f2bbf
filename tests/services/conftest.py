"""One harness for each test of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from support.dispatch_harness import DispatchHarness, RecordingBell, RecordingBus, RecordingCourier, Tasks
from workroom.domain.job import Fence
from workroom.services.jobs.secrets import Secrets
from workroom.services.lifecycle.background import Readiness
from workroom.services.workers.dispatcher import Dispatcher
from workroom.services.workers.fleet_notifier import FleetNotifier
from workroom.services.workers.pushes import Pushes
from workroom.services.workers.registry import WorkerRegistry
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage
from workroom.testing.conformance.stage import furnished


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[DispatchHarness]:
    clock = FakeClock()
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock)
    courier, bus, tasks = RecordingCourier(), RecordingBus(), Tasks()
    readiness = Readiness()
    notifier = RecordingBell()
    calling = FleetNotifier(store, notifier, tasks, clock)
    registry = WorkerRegistry()
    secrets = Secrets(b"a key", store)
    pushes = Pushes(courier, secrets, tasks)
    dispatcher = Dispatcher(store, registry, pushes, bus, tasks, clock, readiness, calling)
    recalled: asyncio.Queue[tuple[str, Sequence[Fence]]] = asyncio.Queue()

    async def recall(worker: str, fences: Sequence[Fence]) -> None:
        recalled.put_nowait((worker, fences))

    dispatcher.on_recall(recall)
    stage = await furnished(Stage(store, clock))
    yield DispatchHarness(stage, registry, dispatcher, courier, bus, tasks, readiness, notifier, recalled)
    await tasks.aclose()
    await store.aclose()
