"""One process, one socket, whatever number of rooms and jobs use it."""

from __future__ import annotations

import asyncio
import gc
import time
from contextlib import closing, suppress

import psutil
import pytest

from support.extensions import in_process
from support.extensions.in_process import Add, Ask
from workroom import AsyncRoom, Room
from workroom.client.transport.connection import Connection
from workroom.errors import ServerUnreachable
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually

SLOTS = 2


def connections(process: psutil.Process, port: int) -> int:
    """Open connections of a process to the server."""
    return sum(
        each.status == psutil.CONN_ESTABLISHED and bool(each.raddr) and each.raddr.port == port
        for each in process.net_connections("inet")
    )


def test_jobs_in_ten_rooms_that_use_their_room_open_no_further_connection(
    start_server: StartServer, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    """One socket, and as many requests at a time as there are slots."""
    server = start_server()
    tools = in_process.__file__
    worker = start_worker(server, f"{tools}:Ask", room=None, slots=SLOTS)
    start_worker(server, f"{tools}:Add", room=None)
    port = int(server.url.rsplit(":", 1)[1])
    process = psutil.Process(worker.pid)
    rooms = [open_room(server, f"room-{number}") for number in range(10)]

    jobs = [job for room in rooms for job in room.submit_many([Ask(a=number) for number in range(10)])]

    peak, results = 0, []
    for job in jobs:
        results.append(job.result(timeout=30))
        peak = max(peak, connections(process, port))

    assert results == list(range(10)) * 10
    assert 1 <= peak <= 1 + SLOTS


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (
            "http://127.0.0.1:9",
            "Cannot reach http://127.0.0.1:9. Is the server running? Start one with `workroom serve`.",
        ),
        (
            "localhost:8000",
            "'localhost:8000' is not a server address. Example: http://127.0.0.1:8000",
        ),
        ("nonsense", "'nonsense' is not a server address. Example: http://127.0.0.1:8000"),
    ],
)
def test_an_address_without_a_server_raises_an_error_with_advice(url: str, told: str) -> None:
    with Room("demo", url, user="ada") as room, pytest.raises(ServerUnreachable) as raised:
        room.jobs()

    assert str(raised.value) == told


def test_a_server_without_tls_is_distinguished_from_an_unreachable_one(server: ServerProcess) -> None:
    secure = server.url.replace("http:", "https:")
    with (
        Room("demo", secure, user="ada") as room,
        pytest.raises(ServerUnreachable, match="Is it http, not https"),
    ):
        room.jobs()


async def test_who_is_sent_away_comes_back_later_each_time(
    start_server: StartServer, caplog: pytest.LogCaptureFixture
) -> None:
    """A message that the server never takes does not become a hundred a minute."""
    server = start_server(max_message=65_536)
    connection = Connection(server.url, user="eve", password=None, token=None)
    try:
        await connection.open_socket()
        began, refused = time.monotonic(), 0
        while refused < 4:
            with suppress(ServerUnreachable):
                await connection.call("job:unwatch", {"job_id": "x" * 70_000}, 1.0)
            await asyncio.sleep(0.02)  # without a connection it fails at once
            refused = caplog.text.count("closed the connection")
        assert time.monotonic() - began > 0.5 * (1 + 2 + 4)  # with the least jitter
        assert "1009" in caplog.text
    finally:
        await connection.aclose()


async def test_more_results_are_waited_for_than_a_socket_may_wait_for(
    start_server: StartServer, start_worker: StartWorker
) -> None:
    server = start_server(max_waits=2)
    start_worker(server, f"{in_process.__file__}:Add", room="demo")
    async with AsyncRoom("demo", url=server.url) as room:
        jobs = [await room.submit(Add(a=number)) for number in range(10)]

        assert await asyncio.gather(*(job.result(timeout=30) for job in jobs)) == list(range(10))


def test_a_lost_connection_that_is_collected_in_another_thread_leaves_the_session_open(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    server = start_server()
    room = open_room(server)
    gc.disable()
    try:
        room.register(Add)
        server.kill()
        server.restart()
        eventually(lambda: [each["state"] for each in room.workers()] == ["idle"], what="the reconnect")
        with closing(asyncio.new_event_loop()) as loop:
            asyncio.set_event_loop(loop)
            gc.collect()
            asyncio.set_event_loop(None)
    finally:
        gc.enable()

    assert room.submit(Add(a=1, b=2)).result(timeout=20) == 3
