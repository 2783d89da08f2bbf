"""The metrics of what waits, fails and is stored, each beside what a user did."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from httpx_sse import connect_sse

from support.job_waits import ended_job, waits_for
from support.monitoring import scrape, value
from workroom import Concurrency, Extension, Room
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.guests import guest_token
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually
from workroom.testing.valkey import free_port

PORT = free_port()
GATE = threading.Event()


class Paced(Extension, category="analysis", rate="1/h"):
    def run(self) -> None: ...


class Narrow(Extension, category="analysis", concurrency=Concurrency("{lane}", {"a": 1})):
    lane: str = "a"

    def run(self) -> None:
        GATE.wait(60)


class Flaky(Extension, category="analysis", retries=1, retry_on="error"):
    def run(self) -> None:
        raise RuntimeError("again")


class Broken(Extension, category="analysis"):
    def run(self) -> None:
        raise RuntimeError("always")


@pytest.fixture
def server(start_server: StartServer) -> ServerProcess:
    return start_server(metrics_port=PORT)


@pytest.fixture
def room(server: ServerProcess, open_room: OpenRoom) -> Iterator[Room]:
    room = open_room(server, admin=True)
    room.register(Paced, Narrow, Flaky, Broken, slots=4)
    yield room
    GATE.set()


def pause_broken(server: ServerProcess) -> None:
    with httpx.Client(base_url=f"{server.url}/api") as http:
        login = {"name": "admin", "password": ADMIN_PASSWORD}
        headers = {"Authorization": f"Bearer {http.post('/login', json=login).json()['token']}"}
        paused = http.post("/rooms/demo/extensions/room/analysis/Broken/pause", headers=headers)
        assert paused.status_code == 200, paused.text


def becomes(expected: float, name: str, **labels: str) -> None:
    """Figures of the store are a few seconds old at most."""
    eventually(lambda: value(scrape(PORT), name, **labels) == expected, what=f"{name}{labels} = {expected}")


def test_what_keeps_jobs_back_is_counted(server: ServerProcess, room: Room) -> None:
    room.submit(Narrow())
    waits_for(room.submit(Narrow()), "concurrency")
    ended_job(room.submit(Paced()))
    waits_for(room.submit(Paced()), "rate")
    room.submit(Flaky(), delay=3600)
    pause_broken(server)
    room.submit(Broken())

    becomes(1, "workroom_queue_jobs", waiting_for="concurrency", extension="analysis/Narrow")
    becomes(1, "workroom_queue_jobs", waiting_for="rate", extension="analysis/Paced")
    becomes(1, "workroom_queue_jobs", waiting_for="later", extension="analysis/Flaky")
    becomes(1, "workroom_queue_jobs", waiting_for="ready", extension="analysis/Broken")
    becomes(1, "workroom_extensions_paused", extension="analysis/Broken")
    becomes(5, "workroom_unfinished_jobs")
    found = scrape(PORT)
    assert value(found, "workroom_held_jobs", state="running", extension="analysis/Narrow") == 1
    assert value(found, "workroom_queue_oldest_seconds", extension="analysis/Broken") > 0
    assert value(found, "workroom_queue_oldest_seconds", extension="analysis/Flaky") == 0


def test_retries_and_breakers_are_counted(room: Room) -> None:
    ended_job(room.submit(Flaky()))
    for job in [room.submit(Broken()) for _ in range(5)]:
        ended_job(job)

    becomes(1, "workroom_job_retries_total")
    becomes(1, "workroom_breakers_open", extension="analysis/Broken")
    becomes(5, "workroom_jobs_ended_total", extension="analysis/Broken", status="failed")


def test_files_and_streams_are_counted(server: ServerProcess, room: Room, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"x" * 1000)
    room.upload(tmp_path / "notes.txt")
    headers = {"Authorization": f"Bearer {guest_token(server.url, 'bob')}"}
    with (
        httpx.Client(base_url=server.url, headers=headers, timeout=30) as http,
        connect_sse(http, "GET", "/api/rooms/demo/stream"),
    ):
        becomes(1, "workroom_streams")
    becomes(0, "workroom_streams")
    becomes(1, "workroom_files")
    becomes(1000, "workroom_blob_bytes")
