"""Both connections, the fast one and the one on redis-py's pipelines, keep the same promises."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import uvloop
from redis.asyncio import Redis, UnixDomainSocketConnection
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeout

from workroom.stores.redis.connection import Connection, PipelineConnection, open_client
from workroom.stores.redis.fast.connection import FastConnection
from workroom.testing.valkey import Valkey

Connect = Callable[[Redis], Connection]


@pytest.fixture(params=[FastConnection, PipelineConnection])
def connect(request: pytest.FixtureRequest) -> Connect:
    kind: Connect = request.param
    return kind


@pytest.fixture
async def connection(valkey: Valkey, connect: Connect) -> AsyncIterator[Connection]:
    valkey.empty()
    client = open_client(valkey.url)
    connection = connect(client)
    yield connection
    await connection.aclose()
    await client.aclose()


async def test_a_refused_command_has_an_exception_as_its_reply(connection: Connection) -> None:
    first, refused, unknown, last = await connection.send(
        [("SET", "text", b"\x00\xff"), ("INCR", "text"), ("EVALSHA", "0" * 40, 0), ("GET", "text")]
    )

    assert (first, last) == (b"OK", b"\x00\xff")
    assert isinstance(refused, ResponseError)
    assert isinstance(unknown, NoScriptError)


async def test_overlapping_round_trips_get_their_own_replies(connection: Connection) -> None:
    round_trips = [connection.send([("ECHO", number), ("ECHO", f"{number}!")]) for number in range(50)]

    assert await asyncio.gather(*round_trips) == [[b"%d" % number, b"%d!" % number] for number in range(50)]


async def test_a_cancelled_round_trip_takes_no_reply_of_another(connection: Connection) -> None:
    await connection.send([("PING",)])
    left = asyncio.ensure_future(connection.send([("ECHO", "left")]))
    await asyncio.sleep(0)
    left.cancel()

    assert await connection.send([("ECHO", "kept")]) == [b"kept"]


async def test_a_lost_connection_is_opened_again(connection: Connection) -> None:
    (own,) = await connection.send([("CLIENT", "ID")])
    with pytest.raises(Disconnected):
        await connection.send([("CLIENT", "KILL", "ID", own, "SKIPME", "no"), ("BLPOP", "nothing", 0)])

    assert await connection.send([("PING",)]) == [b"PONG"]


class LostAtOnce(UnixDomainSocketConnection):
    """Its server closes it at the end of the handshake."""

    async def connect(self) -> None:
        connect: Any = super().connect
        await connect()
        assert self._writer is not None
        self._writer.transport.abort()
        await asyncio.sleep(0)


async def test_a_connection_that_is_lost_while_it_is_opened_is_reported_as_lost(valkey: Valkey) -> None:
    client = open_client(valkey.url)
    usual, client.connection_pool.connection_class = client.connection_pool.connection_class, LostAtOnce
    connection = FastConnection(client)
    with pytest.raises(Disconnected):
        await connection.send([("PING",)])

    client.connection_pool.connection_class = usual
    assert await connection.send([("PING",)]) == [b"PONG"]
    await connection.aclose()
    await client.aclose()


def test_a_connection_that_is_lost_before_the_handshake_is_reported_as_lost(
    valkey: Valkey, connect: Connect
) -> None:
    async def try_to_connect() -> None:
        client = open_client(valkey.url)
        usual: Any = client.connection_pool.connection_class

        async def _connect(self: Any) -> None:
            await usual._connect(self)
            self._writer.transport.abort()
            await asyncio.sleep(0)

        client.connection_pool.connection_class = type("LostAtOnce", (usual,), {"_connect": _connect})
        connection = connect(client)
        with pytest.raises(Disconnected):
            await connection.send([("PING",)])
        await connection.aclose()
        await client.aclose()

    uvloop.run(try_to_connect())  # the loop of the server


async def test_a_server_that_does_not_reply_times_out(connection: Connection) -> None:
    with pytest.raises((TimeoutError, RedisTimeout)):
        await connection.send([("BLPOP", "nothing", 0)])

    assert await connection.send([("PING",)]) == [b"PONG"]


async def test_the_password_and_the_database_of_the_url_are_used(
    connection: Connection, connect: Connect, valkey: Valkey
) -> None:
    await connection.send([("CONFIG", "SET", "requirepass", "secret")])
    client = open_client(valkey.url.replace("unix://", "unix://:secret@") + "?db=3")
    guarded = connect(client)
    try:
        (info,) = await guarded.send([("CLIENT", "INFO")])
    finally:
        await connection.send([("CONFIG", "SET", "requirepass", "")])
        await guarded.aclose()
        await client.aclose()

    assert b" db=3 " in info
