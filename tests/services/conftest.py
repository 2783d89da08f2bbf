"""One office for each test of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from office import Office, RecordingBell, RecordingBus, RecordingCourier, Tasks

from workroom.services.calling import Calling
from workroom.services.dispatch import Dispatcher
from workroom.services.readiness import Readiness
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock = FakeClock()
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock)
    courier, bus, tasks = RecordingCourier(), RecordingBus(), Tasks()
    readiness = Readiness()
    bell = RecordingBell()
    calling = Calling(store, bell, tasks, clock)
    dispatcher = Dispatcher(store, courier, bus, tasks, clock, readiness, calling)
    yield Office(Stage(store, clock), dispatcher, courier, bus, tasks, readiness, bell)
    await tasks.aclose()
    await store.aclose()
