"""Messages between servers arrive as they were published."""

from __future__ import annotations

import asyncio

import pytest

from support.events import SAMPLES
from workroom.domain.events import Event
from workroom.domain.steps import Release
from workroom.domain.storage.peer_message import PeerMessage
from workroom.stores.redis.peers.bus import RedisPeers
from workroom.stores.redis.peers.codec import decode, encode
from workroom.testing.valkey import Valkey


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: event.name)
def test_an_event_arrives_as_it_was_published(event: Event) -> None:
    assert list(decode(encode(PeerMessage(events=[event]))).events) == [event]


def test_other_peer_messages_arrive_too() -> None:
    news = PeerMessage(
        arrivals={1: 2}, released=[Release("w1", "job", 1)], offline=["w2"], tokens_revoked=True
    )

    assert decode(encode(news)) == PeerMessage(
        [], {1: 2}, [Release("w1", "job", 1)], ["w2"], tokens_revoked=True
    )


async def test_a_new_subscriber_is_notified_that_messages_were_missed(valkey: Valkey) -> None:
    """A server reads what counts before it listens: a token may have been revoked in between."""
    peers = RedisPeers(valkey.url)
    missed = asyncio.Event()
    peers.subscribe(lambda news: None, missed.set)
    try:
        await asyncio.wait_for(missed.wait(), 10)
    finally:
        await peers.aclose()


async def test_who_stops_listening_is_done_at_once_whenever_that_is(valkey: Valkey) -> None:
    """Also while connections are being opened, where the driver may swallow a cancellation."""
    for number in range(200):
        peers = RedisPeers(valkey.url)
        peers.subscribe(lambda news: None, lambda: None)
        for _ in range(number % 50):
            await asyncio.sleep(0)
        await asyncio.wait_for(peers.aclose(), 10)
