"""`workroom worker`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import Run, Start, Started, workroom
from workroom import Room
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import ServerProcess, eventually

TOOL = '''
import time
from pathlib import Path

from workroom import Extension


class Hold(Extension, category="analysis"):
    """Runs until a file is there."""

    until: Path

    def run(self) -> str:
        while not self.until.exists():
            time.sleep(0.01)
        return "let go"
'''


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    file = tmp_path / "holding.py"
    file.write_text(TOOL)
    return file


@pytest.fixture
def worker(server: ServerProcess, start: Start, tool: Path, room: str) -> Started:
    started = start("worker", str(tool), "--room", room, "--url", server.url)
    started.wait_for("Ctrl-C stops.")
    return started


def test_a_file_is_served_and_its_job_finished_before_the_worker_leaves(
    run: Run, worker: Started, server: ServerProcess, room: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    assert worker.printed == f"Serving analysis/Hold in room {room}. Ctrl-C stops.\n"
    with Room(room, server.url, user="ada") as place:
        job = place.submit_named("analysis", "Hold", {"until": str(gate)})
        eventually(lambda: job.status == "running", what="a running job")

        worker.interrupt()
        worker.wait_for("finishing 1 job, for at most 30 s; press Ctrl-C again to stop now")
        gate.touch()

        assert worker.end() == 0
        assert job.result(timeout=30) == "let go"


def test_a_second_ctrl_c_stops_the_worker_at_once(
    worker: Started, server: ServerProcess, room: str, tmp_path: Path
) -> None:
    with Room(room, server.url, user="ada") as place:
        job = place.submit_named("analysis", "Hold", {"until": str(tmp_path / "never")})
        eventually(lambda: job.status == "running", what="a running job")

        worker.interrupt()
        worker.wait_for("finishing 1 job")
        worker.interrupt()

        assert worker.end() == 130


def test_a_worker_logs_a_lost_connection_and_its_return(start_server: StartServer, start: Start) -> None:
    server = start_server()
    worker = start(
        "worker", "support.extensions.samples:Echo", "--room", "demo", "--create", "--url", server.url
    )
    worker.wait_for("Serving")

    server.kill()
    worker.wait_for(f"lost the connection to {server.url}; reconnecting")
    server.restart()
    worker.wait_for(f"reconnected to {server.url}")

    worker.interrupt()
    assert worker.end() == 0
    assert "Traceback" not in worker.printed


def test_public_extensions_need_the_admin(run: Run) -> None:
    refused = run("worker", "support.extensions.samples:Relay", "--public", "--user", "eve")

    assert (refused.code, "admin" in refused.complaint) == (1, True)


def test_a_worker_that_is_started_before_its_server_waits_for_it(
    start_server: StartServer, start: Start, tool: Path
) -> None:
    server = start_server()
    server.kill()

    worker = start("worker", str(tool), "--room", "demo", "--url", server.url)
    worker.wait_for(f"waiting for the server: Cannot reach {server.url}. Is the server running?")
    server.restart()

    worker.wait_for("Serving analysis/Hold in room demo")
    assert worker.printed.count("waiting for the server") == 1


def test_a_worker_that_waits_for_its_server_stops_at_once(start: Start, tool: Path) -> None:
    worker = start("worker", str(tool), "--room", "demo", "--url", "http://127.0.0.1:9")
    worker.wait_for("waiting for the server")

    worker.interrupt()

    assert worker.end() == 130
    assert "Traceback" not in worker.printed


def test_a_local_worker_whose_server_has_ended_does_not_wait_for_it(tool: Path) -> None:
    ended = workroom("worker", str(tool), "--room", "demo", "--url", "http://127.0.0.1:9", "--until-eof")

    assert ended.code == 130
    assert "Traceback" not in ended.error


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--url", "localhost:8000"], "'localhost:8000' is not a server address."),
        (["--url", "http://127.0.0.1:9", "--no-wait"], "Cannot reach http://127.0.0.1:9."),
    ],
)
def test_a_worker_does_not_wait_at_a_wrong_address_or_against_the_user_s_will(
    tool: Path, arguments: list[str], complaint: str
) -> None:
    ran = workroom("worker", str(tool), "--room", "demo", *arguments)

    assert ran.code == 1
    assert ran.complaint.startswith(complaint)
