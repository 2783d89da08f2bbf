"""The machine itself fails: the disk is full, the clock jumps."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from io import FileIO
from pathlib import Path
from typing import Never

import pytest

from support.chaos.replica_stage import ReplicaStage
from support.chaos.stage import CALM, PATIENCE, SERVER_KILLED, Stage
from support.chaos.work import Plain
from support.readiness import is_not_ready, is_ready
from workroom import Room
from workroom.testing.processes import ADMIN_PASSWORD, eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

DISK_FULL = "disk full"
SUBMIT_REFUSED = "submit refused"
JUMPED = "wall clock jumped"
KILLED = "worker killed"
HOUR, DAY = 3600, 24 * 3600
ROOMY = {"lease": 12}  # a third of it is what a heartbeat of a healthy worker may take on a busy machine


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.fail(f"a small disk cannot be mounted; run this as root: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk_refuses_submits_serves_reads_and_recovers(stage: Stage, small_disk: Path) -> None:
    data = small_disk / "data"
    data.mkdir()
    (data / "server.log").symlink_to(stage.folder / "server.log")
    stage.open({**CALM, "min_free_bytes": 0}, data_dir=data)
    worker = stage.worker(slots=2)
    for _ in range(2):
        first = stage.submit("Plain")
        stage.wait_for_end(first)
        running = stage.submit("Plain", seconds=1.0)
        stage.wait_for_begin(running)
        _fill(stage, small_disk)
        eventually(lambda: _is_refused(stage), PATIENCE, "a submit being refused")
        is_not_ready(stage.server, "store_unavailable", PATIENCE)
        for read in (f"/api/jobs/{first}", "/api/rooms/demo/jobs", "/api/jobs", "/healthz"):
            assert stage.http.get(read).status_code == 200
        (small_disk / "ballast").unlink()
        is_ready(stage.server, PATIENCE)
        eventually(lambda: not _is_refused(stage), PATIENCE, "a submit being accepted again")
        assert stage.wait_for_end(running)["status"] == "completed"
        assert stage.wait_for_end(stage.submit("Stubborn"))["status"] == "completed"
    assert worker.is_alive

    stage.verdict({DISK_FULL: 2, SUBMIT_REFUSED: 2})


def _fill(stage: Stage, disk: Path) -> None:
    """Write until not even one byte fits."""
    with (disk / "ballast").open("ab", buffering=0) as ballast:
        for size in (65536, 4096, 1):
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                _write_on(ballast, b"x" * size)
    stage.journal.witness(DISK_FULL)


def _write_on(file: FileIO, piece: bytes) -> Never:
    while True:
        file.write(piece)


def _is_refused(stage: Stage) -> bool:
    """What still fits into the pages of the log is a promise like any other."""
    path = "/api/rooms/demo/extensions/analysis/Plain/submit"
    answer = stage.http.post(path, json={"data": {"seconds": 0.0}})
    if answer.status_code == 202:
        stage.journal.write("promised", job=answer.json()["id"], name="Plain")
        return False
    assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
    assert int(answer.headers["Retry-After"]) >= 1
    stage.journal.witness(SUBMIT_REFUSED)
    return True


class WallClock:
    """The server's wall clock is set by a file; its monotonic clock is the machine's."""

    def __init__(self, stage: Stage, library: Path) -> None:
        self._stage = stage
        self._library = library
        self._path = stage.folder / "faketime"
        self.set_to(0)

    def wrap(self) -> list[str]:
        return [
            "env",
            f"LD_PRELOAD={self._library}",
            f"FAKETIME_TIMESTAMP_FILE={self._path}",
            "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        ]

    def jump_to(self, seconds: int) -> None:
        """So far from the true time; until the server's own answers say so."""
        self.set_to(seconds)
        eventually(lambda: abs(self._server_is_ahead() - seconds) < HOUR / 2, PATIENCE, JUMPED)
        self._stage.journal.witness(JUMPED, seconds=seconds)

    def _server_is_ahead(self) -> float:
        says = parsedate_to_datetime(self._stage.http.get("/healthz").headers["Date"])
        return says.timestamp() - time.time()

    def set_to(self, seconds: int) -> None:
        written = self._path.with_suffix(".new")
        written.write_text(f"{seconds:+d}s\n")
        written.rename(self._path)


@pytest.fixture
def library() -> Path:
    for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib"):
        for library in sorted(Path(folder).glob("**/libfaketimeMT.so*")):
            return library
    pytest.fail("libfaketime is missing: apt-get install faketime")


@pytest.fixture
def wall_clock(stage: Stage, library: Path) -> WallClock:
    return WallClock(stage, library)


def test_a_jump_of_the_wall_clock_loses_no_worker_and_no_job(stage: Stage, wall_clock: WallClock) -> None:
    stage.open({"lease": 6, "grace": 6}, wrap=wall_clock.wrap())
    worker = stage.worker(slots=2)
    for hours in (1, -1, 24 * 20):
        running = stage.submit("Plain", seconds=1.0)
        stage.wait_for_begin(running)
        wall_clock.jump_to(hours * HOUR)
        for job in (running, stage.submit("Plain"), stage.submit("Keyed", "media")):
            document = stage.wait_for_end(job)
            assert document["status"] == "completed", document["error"]
        stage.login(f"somebody-{hours}")
    assert worker.is_alive

    history = stage.verdict({JUMPED: 3})
    assert {document["attempt"] for document in history.jobs.values()} == {1}


def test_a_jump_back_does_not_make_a_backoff_longer(stage: Stage, wall_clock: WallClock) -> None:
    stage.open(ROOMY, wrap=wall_clock.wrap())
    victim = stage.worker()
    job = stage.submit("Stubborn", seconds=60)
    stage.wait_for_begin(job)
    stage.kill(victim, KILLED)
    assert stage.wait_for(job, "pending")["waiting_for"]
    wall_clock.jump_to(-HOUR)
    stage.worker()
    document = stage.wait_for_end(job)
    assert document["status"] == "completed", document["error"]

    stage.verdict({KILLED: 1, JUMPED: 1})


def test_a_restart_with_the_clock_an_hour_back_costs_a_backoff_and_no_token(
    stage: Stage, wall_clock: WallClock
) -> None:
    stage.open(ROOMY, wrap=wall_clock.wrap())
    victim = stage.worker()
    job = stage.submit("Stubborn", seconds=60)
    stage.wait_for_begin(job)
    stage.kill(victim, KILLED)
    assert stage.wait_for(job, "pending")["waiting_for"]
    stage.kill_server()
    wall_clock.set_to(-HOUR)
    stage.server.restart()
    wall_clock.jump_to(-HOUR)
    assert stage.http.get("/api/users/me").status_code == 200
    stage.worker()
    document = stage.wait_for_end(job)
    assert document["status"] == "completed", document["error"]

    stage.verdict({KILLED: 1, JUMPED: 1, SERVER_KILLED: 1})


def test_a_jump_ahead_does_not_time_a_job_out(stage: Stage, wall_clock: WallClock) -> None:
    stage.open(CALM, wrap=wall_clock.wrap())
    stage.worker("support.chaos.work:Timed")
    job = stage.submit("Timed", seconds=15)
    stage.wait_for_begin(job)
    wall_clock.jump_to(HOUR)
    assert not stage.seen("end", job), "it ended before the clock jumped"
    document = stage.wait_for_end(job)
    assert document["status"] == "completed", document["error"]

    stage.verdict({JUMPED: 1})


def test_a_jump_ahead_deletes_no_history(stage: Stage, wall_clock: WallClock) -> None:
    """Neither while the server runs nor over a restart."""
    stage.open({**CALM, "retention_days": 10}, wrap=wall_clock.wrap())
    stage.worker(slots=2)
    jobs = [stage.submit("Plain") for _ in range(10)]
    for job in jobs:
        stage.wait_for_end(job)
    wall_clock.jump_to(30 * DAY)
    eventually(lambda: "retention_paused" in stage.server.log, PATIENCE, "the log line")
    stage.kill_server()
    wall_clock.set_to(60 * DAY)
    stage.server.restart()
    eventually(lambda: stage.server.log.count("retention_paused") >= 2, PATIENCE, "another log line")
    stage.http = stage.login("admin", ADMIN_PASSWORD)  # its token has expired meanwhile
    assert [stage.job(job)["status"] for job in jobs] == ["completed"] * 10
    wall_clock.jump_to(0)

    history = stage.verdict({JUMPED: 2, SERVER_KILLED: 1})
    assert set(jobs) <= set(history.jobs)


@pytest.mark.parametrize("behind", [5, HOUR])
def test_servers_whose_clocks_differ_take_the_tokens_of_one_another(
    replicas: ReplicaStage, library: Path, behind: int
) -> None:
    """Worker and SDK go from one to the other and back, and stay who they are."""
    slow = WallClock(replicas, library)
    slow.set_to(-behind)
    replicas.open_replicas(CALM, servers=2, wrap_last=slow.wrap())
    urls = ",".join(server.url for server in replicas.servers)
    worker = replicas.worker(url=urls)
    owner = replicas.fleet()[0]["user"]
    with Room("demo", urls, user="ada") as room:
        for server in replicas.servers:
            replicas.kill_one(server)
            assert room.submit(Plain()).result(timeout=PATIENCE) == 1
            server.restart()
            is_ready(server, PATIENCE)
        assert [job["user"] for job in room.jobs()] == ["ada", "ada"]

    assert worker.is_alive
    assert {each["user"] for each in replicas.fleet()} == {owner}
