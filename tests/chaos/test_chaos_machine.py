"""The machine itself fails: the disk is full, the clock jumps."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.checker import check
from chaos.stage import Stage
from workroom.testing.processes import eventually

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
HOUR = 3600


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)], check=True)
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def _fill(disk: Path) -> int:
    """Write until the disk is full: how often it said so."""
    refusals = 0
    with (disk / "ballast").open("ab", buffering=0) as ballast:
        for size in (65536, 4096, 1):
            try:
                while True:
                    ballast.write(b"x" * size)
            except OSError as error:
                refusals += error.errno == errno.ENOSPC
    return refusals


@pytest.mark.parametrize("rounds", [1, pytest.param(8, marks=pytest.mark.full)])
def test_a_full_disk_refuses_submits_serves_reads_and_recovers(
    stage: Stage, small_disk: Path, rounds: int
) -> None:
    data = small_disk / "data"
    data.mkdir()
    (data / "server.log").symlink_to(stage.folder / "server.log")
    stage.open(data_dir=data, lease=4, grace=4)
    worker = stage.worker(slots=2)
    path = "/api/rooms/demo/extensions/analysis/Plain/submit"
    for _ in range(rounds):
        first = stage.submit("Plain")
        stage.wait_for(first, "completed")
        running = stage.submit("Plain", seconds=1.0)
        stage.wait_for(running, "running")
        stage.evidence["ENOSPC"] += _fill(small_disk)

        def refused() -> bool:
            """What still fits into the pages of the log is a promise like any other."""
            answer = stage.http.post(path, json={"data": {"seconds": 0.0}})
            if answer.status_code == 202:
                stage.journal.write("promised", job=answer.json()["id"], name="Plain")
                return False
            assert answer.status_code == 503, answer.text
            assert answer.json()["code"] == "store_unavailable"
            assert int(answer.headers["Retry-After"]) >= 1
            return True

        eventually(refused, what="a submit being refused")
        for _ in range(20):
            stage.evidence["503"] += refused()
        for read in (f"/api/jobs/{first}", "/api/rooms/demo/jobs", "/api/jobs", "/healthz"):
            assert stage.http.get(read).status_code == 200
        (small_disk / "ballast").unlink()
        eventually(lambda: not refused(), what="a submit being accepted again")
        assert stage.wait_for(running, "completed", "failed")["status"] == "completed"
        stage.wait_for(stage.submit("Stubborn"), "completed")
    assert worker.is_alive
    check(stage.settle(), stage.evidence)


class WallClock:
    """The server's wall clock is set by a file; its monotonic clock is the machine's."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.jump(0)

    def wrap(self) -> list[str]:
        return [
            "env",
            f"LD_PRELOAD={FAKETIME}",
            f"FAKETIME_TIMESTAMP_FILE={self._path}",
            "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        ]

    def jump(self, seconds: int) -> None:
        written = self._path.with_suffix(".new")
        written.write_text(f"{seconds:+d}s\n")
        written.rename(self._path)


@pytest.fixture
def wall_clock(tmp_path: Path) -> WallClock:
    if not FAKETIME.exists() or shutil.which("env") is None:
        pytest.skip("needs libfaketime: apt-get install faketime")
    return WallClock(tmp_path / "faketime")


def _year_and_hour(stage: Stage) -> str:
    return str(stage.job(stage.submit("Plain"))["created_at"])


@pytest.mark.parametrize("hours", [1, -1, pytest.param(24 * 20, marks=pytest.mark.full)])
def test_a_jump_of_the_wall_clock_loses_no_worker_and_no_job(
    stage: Stage, wall_clock: WallClock, hours: int
) -> None:
    stage.open(wrap=wall_clock.wrap(), lease=3, grace=3)
    worker = stage.worker(slots=2)
    stage.wait_for(stage.submit("Plain"), "completed")
    before = _year_and_hour(stage)
    running = stage.submit("Plain", seconds=2.0)
    stage.wait_for(running, "running")

    wall_clock.jump(hours * HOUR)
    stage.wait_for(stage.submit("Plain"), "completed")
    stage.evidence["jumps"] = abs(_hour(_year_and_hour(stage)) - _hour(before)) > 0
    assert stage.wait_for(running, "completed", "failed")["status"] == "completed"
    stage.wait_for(stage.submit("Keyed", "media"), "completed")
    stage.login("somebody-new")
    assert worker.is_alive
    check(stage.settle(), stage.evidence)


def test_a_jump_back_does_not_make_a_backoff_longer(stage: Stage, wall_clock: WallClock) -> None:
    stage.open(wrap=wall_clock.wrap())
    victim = stage.worker()
    job = stage.submit("Stubborn", seconds=60)
    stage.wait_for(job, "running")
    stage.kill(victim)
    stage.wait_for(job, "pending")
    wall_clock.jump(-HOUR)
    stage.evidence["jumps"] = 1
    stage.worker()
    stage.wait_for(job, "completed", seconds=10)
    check(stage.settle(), stage.evidence)


def test_a_jump_ahead_does_not_time_a_job_out(stage: Stage, wall_clock: WallClock) -> None:
    stage.open(wrap=wall_clock.wrap(), lease=3, grace=3)
    stage.worker("chaos.work:Timed", "chaos.work:Plain")
    job = stage.submit("Timed", seconds=1.5)
    stage.wait_for(job, "running")
    wall_clock.jump(HOUR)
    stage.evidence["jumps"] = 1
    document = stage.wait_for(job, "completed", "failed")
    check(stage.settle(), stage.evidence)
    assert document["status"] == "completed", document["error"]


def _hour(at: str) -> int:
    return int(at[8:10]) * 24 + int(at[11:13])
