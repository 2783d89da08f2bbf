"""`workroom worker`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command_line import Run, Start, Started
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
