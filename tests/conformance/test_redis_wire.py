"""The connection that steps and questions go over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ResponseError

from workroom.stores.redis.connection import open_client
from workroom.stores.redis.wire import Wire
from workroom.testing.valkey import Valkey


@pytest.fixture
async def wire(valkey: Valkey) -> AsyncIterator[Wire]:
    valkey.empty()
    client = open_client(valkey.url)
    wire = Wire(client)
    yield wire
    await wire.aclose()
    await client.aclose()


async def test_what_is_refused_stands_in_the_place_of_its_reply(wire: Wire) -> None:
    first, refused, unknown, last = await wire.trip(
        [("SET", "text", b"\x00\xff"), ("INCR", "text"), ("EVALSHA", "0" * 40, 0), ("GET", "text")]
    )

    assert (first, last) == (b"OK", b"\x00\xff")
    assert isinstance(refused, ResponseError)
    assert isinstance(unknown, NoScriptError)


async def test_trips_that_overlap_get_their_own_replies(wire: Wire) -> None:
    trips = [wire.trip([("ECHO", number), ("ECHO", f"{number}!")]) for number in range(50)]

    assert await asyncio.gather(*trips) == [[b"%d" % number, b"%d!" % number] for number in range(50)]


async def test_a_trip_that_nobody_waits_for_takes_no_reply_of_another(wire: Wire) -> None:
    await wire.trip([("PING",)])
    left = asyncio.ensure_future(wire.trip([("ECHO", "left")]))
    await asyncio.sleep(0)
    left.cancel()

    assert await wire.trip([("ECHO", "kept")]) == [b"kept"]


async def test_a_connection_that_was_cut_is_opened_again(wire: Wire) -> None:
    (own,) = await wire.trip([("CLIENT", "ID")])
    with pytest.raises(Disconnected):
        await wire.trip([("CLIENT", "KILL", "ID", own, "SKIPME", "no"), ("BLPOP", "nothing", 0)])

    assert await wire.trip([("PING",)]) == [b"PONG"]


async def test_a_server_that_does_not_answer_is_given_up(wire: Wire) -> None:
    with pytest.raises(TimeoutError):
        await wire.trip([("BLPOP", "nothing", 0)])

    assert await wire.trip([("PING",)]) == [b"PONG"]


async def test_a_password_and_a_database_are_kept_to(wire: Wire, valkey: Valkey) -> None:
    await wire.trip([("CONFIG", "SET", "requirepass", "secret")])
    client = open_client(valkey.url.replace("unix://", "unix://:secret@") + "?db=3")
    guarded = Wire(client)
    try:
        (told,) = await guarded.trip([("CLIENT", "INFO")])
    finally:
        await wire.trip([("CONFIG", "SET", "requirepass", "")])
        await guarded.aclose()
        await client.aclose()

    assert b" db=3 " in told
