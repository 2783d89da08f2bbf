"""Opens connections to the Redis server and sends commands through redis-py as published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Disconnected

Command = tuple[str | bytes | int, ...]

TIMEOUT_SECONDS = 1.5
_MAX_CONNECTIONS = 16


def open_client(url: str) -> Redis:
    """Open a client that never retries: callers know which commands are safe to repeat."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_MAX_CONNECTIONS,
        timeout=TIMEOUT_SECONDS,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    pool.connection_class = _reporting_losses(pool.connection_class)
    pool.connection_kwargs["protocol"] = 2  # after from_url: the URL's own options win over arguments
    return Redis.from_pool(pool)


def _reporting_losses(kind: Any) -> Any:
    """On uvloop, a write to a lost connection raises RuntimeError, which redis-py lets through."""

    async def send_packed_command(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            await kind.send_packed_command(self, *arguments, **options)
        except RuntimeError as error:
            raise Disconnected(f"the connection was lost: {error}") from error

    return type(kind.__name__, (kind,), {"send_packed_command": send_packed_command})


class Connection(Protocol):
    """Sends commands in one round trip and returns the replies as the server sent them (RESP2)."""

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """Return one reply per command. A command that the server refused has an exception as its reply."""
        ...

    async def aclose(self) -> None: ...


class PipelineConnection:
    """A `Connection` on redis-py's pipelines and connection pool."""

    def __init__(self, client: Redis) -> None:
        self._client: Redis = Redis(connection_pool=client.connection_pool)
        self._client.response_callbacks.clear()  # replies stay as the server sent them

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        replies: list[Any] = await pipeline.execute(raise_on_error=False)
        return replies

    async def aclose(self) -> None:
        """Do nothing: the pool belongs to the client that was passed in."""
