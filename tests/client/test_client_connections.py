"""One process, one socket, whatever number of rooms and jobs use it."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from tools import Ask

from workroom import Room
from workroom.errors import ServerUnreachable
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess

HERE = Path(__file__).parent
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
    tools = HERE / "tools.py"
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
            "Cannot reach http://127.0.0.1:9: is the server running? Start one with `workroom serve`.",
        ),
        (
            "localhost:8000",
            "'localhost:8000' is not the address of a server: write it like http://127.0.0.1:8000",
        ),
        ("nonsense", "'nonsense' is not the address of a server: write it like http://127.0.0.1:8000"),
    ],
)
def test_an_address_where_no_server_is_says_what_to_do(url: str, told: str) -> None:
    with Room("demo", url, user="ada") as room, pytest.raises(ServerUnreachable) as raised:
        room.jobs()

    assert str(raised.value) == told


def test_a_server_that_speaks_no_tls_is_told_from_one_that_is_not_there(server: ServerProcess) -> None:
    secure = server.url.replace("http:", "https:")
    with (
        Room("demo", secure, user="ada") as room,
        pytest.raises(ServerUnreachable, match="Is it http, not https"),
    ):
        room.jobs()
