"""One office for each test of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from office import Office, RecordingBus, RecordingCourier, Tasks

from workroom.services.dispatch import Dispatcher
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock = FakeClock()
    store = SqliteStore(tmp_path / "workroom.db", LIVENESS, clock=clock)
    courier, bus, tasks = RecordingCourier(), RecordingBus(), Tasks()
    yield Office(Stage(store, clock), Dispatcher(store, courier, bus, tasks, clock), courier, bus, tasks)
    await tasks.aclose()
    await store.aclose()
