"""The store on Valkey, driven at random and compared with a model."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS
from workroom.testing.machine import BOUNDED, LONG, StoreMachine
from workroom.testing.valkey import Valkey


class RedisMachine(StoreMachine):
    """Every restart is one after a crash of the server and of Valkey."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="workroom-machine-"))
        self.valkey = Valkey(self.folder)
        self.valkey.start()
        super().__init__()

    async def open_store(self) -> RedisStore:
        return RedisStore(self.valkey.url, LIVENESS, clock=self.clock)

    async def reopen_store(self) -> RedisStore:
        self.valkey.kill()
        self.valkey.start()
        await self.store.aclose()
        return await self.open_store()

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.valkey.stop()
            shutil.rmtree(self.folder)


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does() -> None:
    run_state_machine_as_test(RedisMachine, settings=BOUNDED)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_the_store_does_what_the_model_does_for_long() -> None:
    run_state_machine_as_test(RedisMachine, settings=settings(LONG, max_examples=300))
