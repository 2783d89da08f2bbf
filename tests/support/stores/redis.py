"""A store on Valkey, for the conformance suites."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from workroom.domain.worker import Liveness
from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS, FakeClock, Stage
from workroom.testing.conformance.stage import Conformance, Reopen
from workroom.testing.valkey import Valkey


class RedisConformance(Conformance):
    days: float | None = None
    fast = True

    @pytest.fixture
    async def store(self, valkey: Valkey, clock: FakeClock, liveness: Liveness) -> AsyncIterator[RedisStore]:
        valkey.empty()
        store = RedisStore(valkey.url, liveness, clock=clock, retention_days=self.days, fast=self.fast)
        yield store
        await store.aclose()

    @pytest.fixture
    def reopen(self, valkey: Valkey, clock: FakeClock) -> Reopen:
        return lambda: opened(valkey, clock, fast=self.fast)


@asynccontextmanager
async def opened(valkey: Valkey, clock: FakeClock, *, fast: bool = True) -> AsyncIterator[Stage]:
    store = RedisStore(valkey.url, LIVENESS, clock=clock, fast=fast)
    try:
        yield Stage(store, clock)
    finally:
        await store.aclose()
