"""The store on Valkey passes the conformance suite, with the fast path and with redis-py as published."""

from __future__ import annotations

import pytest

from support.stores.redis import RedisConformance
from workroom.settings import Settings
from workroom.testing.conformance import StoreConformance


class TestRedisStore(RedisConformance, StoreConformance):
    fast = Settings().fast  # WORKROOM_FAST=0 runs this class on redis-py as published


@pytest.mark.full
class TestRedisStoreOnRedisPy(RedisConformance, StoreConformance):
    fast = False
