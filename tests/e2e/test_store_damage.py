"""A database that is damaged or exchanged under a running server: it says so, and writes nothing more."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from support.extensions.misbehaving import Hold, notes
from support.job_waits import ended_job
from support.readiness import is_not_ready, is_ready
from workroom import JobHandle
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually

HOLD = "support.extensions.misbehaving:Hold"
SIZE_AT, SIZE_BYTES = 16, 2  # of a page, in the header of the file
LOG_HEADER, FRAME_HEADER = 32, 24  # a frame of the log is its header and a page

Submit = Callable[[], httpx.Response]


@pytest.fixture
def server(start_server: StartServer) -> ServerProcess:
    return start_server(sweep=1)


@pytest.fixture
def database(server: ServerProcess) -> Path:
    return server.data_dir / "workroom.db"


@pytest.fixture
def backup(server: ServerProcess, database: Path, tmp_path: Path) -> Path:
    """A copy that was made while the server was stopped."""
    server.process.stop()
    copy = tmp_path / "backup.db"
    shutil.copy(database, copy)
    server.restart()
    return copy


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def running(
    server: ServerProcess,
    backup: Path,
    start_worker: StartWorker,
    open_room: OpenRoom,
    gate: Path,
    tmp_path: Path,
) -> JobHandle:
    """A job that runs, newer than the backup."""
    start_worker(server, HOLD)
    diary = tmp_path / "diary"
    job = open_room(server).submit(Hold(gate=str(gate), diary=str(diary)))
    eventually(lambda: notes(diary), what="the job running")
    return job


@pytest.fixture
def submit(server: ServerProcess, running: JobHandle, gate: Path) -> Iterator[Submit]:
    with httpx.Client(base_url=server.url, timeout=30) as http:
        token = http.post("/api/login", json={"name": "ada"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        path = "/api/rooms/demo/extensions/analysis/Hold/submit"
        yield lambda: http.post(path, json={"data": {"gate": str(gate)}})


def test_damage_is_found_while_running_and_ends_with_a_backup(
    server: ServerProcess, database: Path, backup: Path, submit: Submit, gate: Path
) -> None:
    is_ready(server)
    _damage(database)

    eventually(lambda: submit().status_code == 503, what="the damage being found")
    is_not_ready(server, "store_damaged")
    refused = submit()
    assert (refused.status_code, refused.json()["code"]) == (503, "store_damaged")
    assert "stop the server and restore a backup" in refused.json()["detail"]
    assert "store_damaged" in server.log

    server.process.stop()
    _log_of(database).unlink(missing_ok=True)
    shutil.copy(backup, database)
    server.restart()
    is_ready(server)
    gate.touch()
    eventually(lambda: submit().status_code == 202, what="the worker being back")


def test_an_exchanged_file_is_noticed_and_the_right_one_taken_back_at_the_next_start(
    server: ServerProcess, database: Path, backup: Path, submit: Submit, gate: Path, running: JobHandle
) -> None:
    """The worker keeps what it runs, and reports it when the right file is back."""
    is_ready(server)
    kept = database.with_name("kept.db")
    database.rename(kept)
    shutil.copy(backup, database)

    is_not_ready(server, "store_replaced")
    refused = submit()
    assert (refused.status_code, refused.json()["code"]) == (503, "store_replaced")
    assert "store_replaced" in server.log
    gate.touch()
    server.process.stop()
    kept.replace(database)
    server.restart()
    is_ready(server)
    ended = ended_job(running, 60)
    assert (ended["status"], ended["attempt"]) == ("completed", 1)


def _log_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _damage(database: Path) -> None:
    """Overwrite every page but the first, as they lie on the disk, and every page in the log."""
    with database.open("r+b") as file:
        file.seek(SIZE_AT)
        page = int.from_bytes(file.read(SIZE_BYTES))
        end = file.seek(0, os.SEEK_END)
        file.seek(page)
        file.write(b"\xff" * (end - page))
    with _log_of(database).open("r+b") as file:
        for frame in range(LOG_HEADER, file.seek(0, os.SEEK_END), FRAME_HEADER + page):
            file.seek(frame + FRAME_HEADER)
            file.write(b"\xff" * page)
