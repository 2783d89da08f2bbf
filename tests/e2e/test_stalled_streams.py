"""Readers that stop reading, on a server with its own settings: what they cost, and when they are let go."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import httpx
import psutil
import pytest

from support.stream_readers import Listener, StalledReader, stalled_reader
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess, eventually

PATH = "/api/rooms/busy/stream"
MANY = 20
MEGABYTE = 1_000_000


class Talk:
    """Somebody who says a lot, and somebody who hears all of it."""

    def __init__(self, server: ServerProcess) -> None:
        self._http = httpx.Client(base_url=server.url, timeout=30)
        self.token = self._http.post("/api/login", json={"name": "eve"}).json()["token"]
        self._http.headers["Authorization"] = f"Bearer {self.token}"
        self._process = psutil.Process(server.process.pid)
        self.ear = Listener(server.url, PATH, self.token)
        self.ear.expect("open")
        self.said = 0

    def growth(self, messages: int) -> int:
        """Of the server's memory while so much is said; what is said is kept, so there is some."""
        before = self._process.memory_info().rss
        for _ in range(messages):
            self._http.post("/api/rooms/busy/chat", json={"text": "x" * 4000}).raise_for_status()
        self.said += messages
        eventually(lambda: len(self.ear.named("chat")) == self.said, 60, "all that was said")
        return self._process.memory_info().rss - before

    def close(self) -> None:
        self._http.close()


@pytest.fixture
def busy(start_server: StartServer) -> Any:
    server = start_server(rooms="busy")
    talk = Talk(server)
    yield server, talk
    talk.close()


def until_full(talk: Talk, readers: list[StalledReader]) -> None:
    """More than fits between the server and who does not read."""
    for _ in range(4):
        talk.growth(100)
    assert not any(reader.is_closed for reader in readers)


@pytest.mark.full
@pytest.mark.timeout(400)
def test_stalled_readers_are_disconnected_in_thirty_seconds_and_cost_less_than_a_megabyte_each(
    busy: tuple[ServerProcess, Talk],
) -> None:
    server, talk = busy
    talk.growth(400)
    usual = talk.growth(400)
    with ExitStack() as stack:
        readers = [stack.enter_context(stalled_reader(server.url, PATH, talk.token)) for _ in range(MANY)]
        begun = time.monotonic()
        grown = talk.growth(400)
        eventually(lambda: talk.growth(5) and all(reader.is_closed for reader in readers), 120, "the cut")
        took = time.monotonic() - begun

    print(f"{(grown - usual) / MANY:,.0f} bytes for each reader, cut after {took:.0f} s")
    assert grown - usual < MANY * MEGABYTE
    assert took > 20, "that was not the reader's doing"
    assert [each["seq"] for each in talk.ear.named("chat")] == list(range(1, talk.said + 1))
    assert not talk.ear.is_over


def test_a_server_that_shuts_down_waits_for_no_reader(busy: tuple[ServerProcess, Talk]) -> None:
    server, talk = busy
    with stalled_reader(server.url, PATH, talk.token) as reader:
        until_full(talk, [reader])
        assert server.process.stop(seconds=30) == 0
        eventually(lambda: talk.ear.is_over, what="the end of the other stream")
    assert "Cancel" not in server.log
    assert "Traceback" not in server.log
