"""How connections to the server are opened."""

from __future__ import annotations

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from workroom.stores.redis.wire import PATIENCE_SECONDS

_CONNECTIONS = 16


def open_client(url: str) -> Redis:
    """Whoever uses it decides what to send again, so the driver itself repeats nothing."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_CONNECTIONS,
        timeout=PATIENCE_SECONDS,
        socket_timeout=PATIENCE_SECONDS,
        socket_connect_timeout=PATIENCE_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return Redis.from_pool(pool)
