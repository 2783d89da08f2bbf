"""The store on Valkey passes the suite."""

from __future__ import annotations

from conformance.redis_stage import RedisConformance
from workroom.testing.conformance import StoreConformance


class TestRedisStore(RedisConformance, StoreConformance):
    """The suite that every store passes."""
