"""A connection that redis-py opens and hiredis reads and writes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from hiredis import Reader, pack_command
from redis.asyncio import Redis
from redis.exceptions import BusyLoadingError, NoScriptError, RedisError, ResponseError
from redis.exceptions import ConnectionError as Disconnected

from workroom.stores.redis.connection import TIMEOUT_SECONDS, Command

_pack: Callable[[Command], bytes] = cast("Any", pack_command)
_ERRORS: dict[str, type[RedisError]] = {"NOSCRIPT": NoScriptError, "LOADING": BusyLoadingError}


class FastConnection:
    """A `Connection` with one socket. Round trips may overlap; replies arrive in the order of sending."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._protocol: _Protocol | None = None
        self._opening = asyncio.Lock()

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        protocol = self._protocol
        if protocol is None or protocol.is_lost:
            protocol = await self._open()
        return await protocol.send(commands)

    async def aclose(self) -> None:
        if self._protocol is not None:
            await self._protocol.aclose()

    async def _open(self) -> _Protocol:
        async with self._opening, asyncio.timeout(TIMEOUT_SECONDS):
            if self._protocol is not None and self._protocol.is_lost:
                await self._protocol.aclose()
                self._protocol = None
            if self._protocol is None:
                self._protocol = _Protocol(await self._connect())
            return self._protocol

    async def _connect(self) -> Any:
        pool = self._client.connection_pool
        connection: Any = pool.connection_class(**pool.connection_kwargs)
        try:
            await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection


@dataclass(slots=True)
class _RoundTrip:
    size: int
    done: asyncio.Future[list[Any]]
    timer: asyncio.TimerHandle
    replies: list[Any] = field(default_factory=list)


class _Protocol(asyncio.Protocol):
    """Replaces redis-py's protocol on the transport of an open connection."""

    def __init__(self, connection: Any) -> None:
        self._is_lost = False
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._reader = Reader(replyError=_error)
        self._round_trips: deque[_RoundTrip] = deque()
        self._transport: asyncio.Transport = connection._writer.transport
        self._replaced = self._transport.get_protocol()
        self._transport.set_protocol(self)

    @property
    def is_lost(self) -> bool:
        return self._is_lost or self._transport.is_closing()

    def send(self, commands: Sequence[Command]) -> asyncio.Future[list[Any]]:
        if self.is_lost:  # already while it was opened; uvloop raises RuntimeError for a write
            raise Disconnected("the connection was lost")
        done: asyncio.Future[list[Any]] = self._loop.create_future()
        timer = self._loop.call_later(TIMEOUT_SECONDS, self._time_out)
        self._round_trips.append(_RoundTrip(len(commands), done, timer))
        self._transport.write(b"".join(map(_pack, commands)))
        return done

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        while self._round_trips and (reply := self._reader.gets()) is not False:
            current = self._round_trips[0]
            current.replies.append(reply)
            if len(current.replies) == current.size:
                self._round_trips.popleft().timer.cancel()
                if not current.done.done():
                    current.done.set_result(current.replies)

    def connection_lost(self, error: Exception | None) -> None:
        self._fail_all(Disconnected(f"the connection was lost: {error or 'closed by the server'}"))
        self._replaced.connection_lost(error)  # redis-py waits for this when it closes the connection

    async def aclose(self) -> None:
        self._fail_all(Disconnected("the connection was closed"))
        await self._connection.disconnect()

    def _time_out(self) -> None:
        """Drop the connection: a reply that arrives later could not be matched to its command."""
        self._fail_all(TimeoutError("no reply"))
        self._transport.abort()

    def _fail_all(self, error: Exception) -> None:
        self._is_lost = True
        while self._round_trips:
            current = self._round_trips.popleft()
            current.timer.cancel()
            if not current.done.done():
                current.done.set_exception(error)


def _error(text: str) -> RedisError:
    kind, _, _ = text.partition(" ")
    return _ERRORS.get(kind, ResponseError)(text)
