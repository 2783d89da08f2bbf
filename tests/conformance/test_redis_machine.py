"""The store on Valkey, driven at random and compared with a model."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS
from workroom.testing.machine import StoreMachine
from workroom.testing.valkey import Valkey

BOUNDED = settings(
    max_examples=20,
    stateful_step_count=80,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
    print_blob=False,
)
LONG = settings(BOUNDED, max_examples=300, stateful_step_count=120, derandomize=False, print_blob=True)


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
    run_state_machine_as_test(RedisMachine, settings=LONG)
