"""The store on Valkey passes the suite, and keeps what only several servers on one store can promise."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workroom.stores.redis.store import RedisStore
from workroom.testing.conformance import LIVENESS, FakeClock, StoreConformance
from workroom.testing.conformance.stage import Conformance
from workroom.testing.valkey import Valkey


class RedisConformance(Conformance):
    @pytest.fixture
    async def store(self, valkey: Valkey, clock: FakeClock) -> AsyncIterator[RedisStore]:
        valkey.empty()
        store = RedisStore(valkey.url, LIVENESS, clock=clock)
        yield store
        await store.aclose()


class TestRedisStore(RedisConformance, StoreConformance):
    """The suite that every store passes."""
