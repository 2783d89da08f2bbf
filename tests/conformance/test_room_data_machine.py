"""Writers with locks, expiry, fences, groups, undo and jobs that fail: both stores do what a model does."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from support.stores.edits_machine import EditsMachine
from support.stores.room_data_machine import RoomDataMachine
from workroom.ports import Store
from workroom.stores.redis.store import RedisStore
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.machine import BOUNDED, LIVENESS, LONG
from workroom.testing.valkey import Valkey

SHORT = settings(BOUNDED, max_examples=20, stateful_step_count=50)


Machine = type[RoomDataMachine] | type[EditsMachine]


def sqlite_machine(machine: Machine, folder: Path) -> Machine:
    class OnSqlite(machine):  # type: ignore[misc, valid-type]
        async def open_store(self) -> Store:
            path = Path(mkdtemp(dir=folder)) / "workroom.db"
            return SqliteStore(path, LIVENESS, relaxed=True, clock=self.clock)

    return OnSqlite


def redis_machine(machine: Machine, valkey: Valkey) -> Machine:
    class OnRedis(machine):  # type: ignore[misc, valid-type]
        async def open_store(self) -> Store:
            valkey.empty()
            return RedisStore(valkey.url, LIVENESS, clock=self.clock)

    return OnRedis


@pytest.mark.parametrize("machine", [RoomDataMachine, EditsMachine])
def test_the_embedded_store_does_what_the_model_does(machine: Machine, tmp_path: Path) -> None:
    run_state_machine_as_test(sqlite_machine(machine, tmp_path), settings=SHORT)


@pytest.mark.parametrize("machine", [RoomDataMachine, EditsMachine])
def test_the_store_on_valkey_does_what_the_model_does(machine: Machine, valkey: Valkey) -> None:
    run_state_machine_as_test(redis_machine(machine, valkey), settings=SHORT)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("machine", [RoomDataMachine, EditsMachine])
def test_both_stores_do_what_the_model_does_for_long(
    machine: Machine, valkey: Valkey, tmp_path: Path
) -> None:
    for each in (sqlite_machine(machine, tmp_path), redis_machine(machine, valkey)):
        run_state_machine_as_test(each, settings=settings(LONG, max_examples=200))
