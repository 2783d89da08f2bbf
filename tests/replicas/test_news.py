"""News arrive as they were told."""

from __future__ import annotations

import asyncio

import pytest

from workroom.domain import events
from workroom.domain.chat import ChatMessage
from workroom.domain.events import Event
from workroom.domain.extension import ExtensionKey
from workroom.domain.job import JobState, Transition
from workroom.domain.news import News
from workroom.domain.steps import Release
from workroom.stores.redis.peers import RedisPeers
from workroom.stores.redis.spelling import read, spell
from workroom.testing.valkey import Valkey

STEP = Transition(
    2**40, "job", "lab", "ada", 3, JobState.RUNNING, 1, None, "server", None, 1_700_000_000_123_456
)
TOLD: list[Event] = [
    events.JobStateChanged(STEP),
    events.JobProgressed("job", '{"message":"½"}'.encode(), "lab"),
    events.JobProgressed("job", b"{}"),
    events.JobLogged("job", 2, b'[{"text":"hi"}]'),
    events.JobPreviewed("job", "png", 3),
    events.JobSaved("job", "plot.png"),
    events.FilesChanged("lab"),
    events.JobRevoked("w1", "job", 1, "no"),
    events.ExtensionsChanged(ExtensionKey(None, "analysis", "Smooth")),
    events.WorkerStateChanged("w1", "idle", 1_700_000_000_123_456, ("lab", None)),
    events.RoomChanged("lab", is_deleted=True),
    events.ChatSaid(ChatMessage(7, "lab", "ada", "hello", None, 5)),
    events.DataChanged("ada", "lab", "settings", "Theme"),
]


@pytest.mark.parametrize("event", TOLD, ids=lambda event: event.name)
def test_an_event_arrives_as_it_was_told(event: Event) -> None:
    assert list(read(spell(News(events=[event]))).events) == [event]


def test_every_event_can_be_told() -> None:
    assert {event.name for event in TOLD} == {kind.name for kind in Event.__subclasses__()}


def test_what_else_is_news_arrives_too() -> None:
    news = News(arrivals={1: 2}, released=[Release("w1", "job", 1)], offline=["w2"], is_void=True)

    assert read(spell(news)) == News([], {1: 2}, [Release("w1", "job", 1)], ["w2"], is_void=True)


async def test_who_begins_to_listen_is_told_that_news_were_missed(valkey: Valkey) -> None:
    """A server reads what counts before it listens: a token may have been revoked in between."""
    peers = RedisPeers(valkey.url)
    missed = asyncio.Event()
    peers.listen(lambda news: None, missed.set)
    try:
        await asyncio.wait_for(missed.wait(), 10)
    finally:
        await peers.aclose()


async def test_who_stops_listening_is_done_at_once_whenever_that_is(valkey: Valkey) -> None:
    """Also while connections are being opened, where the driver may swallow a cancellation."""
    for number in range(200):
        peers = RedisPeers(valkey.url)
        peers.listen(lambda news: None, lambda: None)
        for _ in range(number % 50):
            await asyncio.sleep(0)
        await asyncio.wait_for(peers.aclose(), 10)
