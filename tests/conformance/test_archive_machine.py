"""The store with an archive, driven at random and compared with a model."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from support.stores.archive import EagerStore, opened_store
from support.stores.redis_machine import RedisMachine
from workroom.stores.redis.store import RedisStore
from workroom.testing.machine import LIVENESS, LONG


class ArchiveMachine(RedisMachine):
    """Every job that is over is in the archive when it is asked for."""

    async def open_store(self) -> RedisStore:
        path = self.folder / "archive.db"
        return opened_store(self.valkey.url, self.clock, path, kind=EagerStore, liveness=LIVENESS)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_store_does_what_the_model_does_for_long() -> None:
    run_state_machine_as_test(ArchiveMachine, settings=settings(LONG, max_examples=100))
