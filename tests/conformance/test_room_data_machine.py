"""Two writers with locks, expiry, fences, conflicts and undo: both stores do what a model does."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from support.stores.room_data_machine import RoomDataMachine
from workroom.ports import Store
from workroom.stores.redis.store import RedisStore
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.machine import BOUNDED, LIVENESS, LONG
from workroom.testing.valkey import Valkey

SHORT = settings(BOUNDED, max_examples=15, stateful_step_count=60)


class SqliteRoomData(RoomDataMachine):
    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="workroom-room-data-"))
        super().__init__()

    async def open_store(self) -> Store:
        return SqliteStore(self.folder / "workroom.db", LIVENESS, relaxed=True, clock=self.clock)

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)


def redis_machine(valkey: Valkey) -> type[RoomDataMachine]:
    class RedisRoomData(RoomDataMachine):
        async def open_store(self) -> Store:
            valkey.empty()
            return RedisStore(valkey.url, LIVENESS, clock=self.clock)

    return RedisRoomData


def test_the_embedded_store_does_what_the_model_does() -> None:
    run_state_machine_as_test(SqliteRoomData, settings=SHORT)


def test_the_store_on_valkey_does_what_the_model_does(valkey: Valkey) -> None:
    run_state_machine_as_test(redis_machine(valkey), settings=SHORT)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_both_stores_do_what_the_model_does_for_long(valkey: Valkey) -> None:
    for machine in (SqliteRoomData, redis_machine(valkey)):
        run_state_machine_as_test(machine, settings=settings(LONG, max_examples=200))
