"""`workroom job --follow`, `workroom jobs --watch` and `workroom logs`, and workers that print."""

from __future__ import annotations

import os
import pty
import select
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from support.command_line import Run, Start, Started
from workroom import JobHandle, Room
from workroom.testing.forkserver import WORKROOM
from workroom.testing.processes import ServerProcess, eventually, start_process

TOOL = '''
import logging
import sys
import time
from pathlib import Path

from workroom import Extension


class Speak(Extension, category="analysis"):
    """Speaks, and goes on when a file is there."""

    until: Path
    fail: bool = False

    def run(self, job):
        print("first words")
        logging.info("in the log")
        print("trouble", file=sys.stderr)
        job.progress(0.5, "half way")
        while not self.until.exists():
            job.check()
            time.sleep(0.01)
        print("last words")
        if self.fail:
            raise ValueError("no more words")
        return {"said": 4}
'''
WORDS = ["first words", "INFO: in the log", "trouble", "last words"]


@pytest.fixture
def worker(server: ServerProcess, start: Start, tmp_path: Path, room: str) -> Started:
    tool = tmp_path / f"speaking_{room.replace('-', '_')}.py"
    tool.write_text(TOOL)
    started = start("worker", str(tool), "--room", room, "--url", server.url)
    started.wait_for("Ctrl-C stops.")
    return started


@pytest.fixture
def place(server: ServerProcess, room: str) -> Iterator[Room]:
    with Room(room, server.url, user="ada") as place:
        yield place


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


def speaking(place: Room, gate: Path, **values: object) -> JobHandle:
    job = place.submit_named("analysis", "Speak", {"until": str(gate), **values})
    eventually(lambda: len(job.logs()) == 3, 30, "the first words")
    return job


def test_following_a_job_without_a_terminal_prints_plain_lines(
    server: ServerProcess, worker: Started, start: Start, place: Room, gate: Path
) -> None:
    job = speaking(place, gate)
    following = start("job", job.id, "--follow", "--url", server.url)
    following.wait_for("running 50% half way")
    gate.touch()

    assert following.end() == 0
    said = following.printed.splitlines()
    assert [line for line in said if line in WORDS] == WORDS
    assert said[-4:] == [f"job {job.id} completed", "{", '  "said": 4', "}"]


def test_following_a_job_that_fails_ends_with_1(run: Run, worker: Started, place: Room, gate: Path) -> None:
    gate.touch()
    job = place.submit_named("analysis", "Speak", {"until": str(gate), "fail": True})

    ran = run("job", job.id, "--follow")
    assert ran.code == 1
    assert f"job {job.id} failed: ValueError: no more words" in ran.out
    assert [line for line in ran.out.splitlines() if line in WORDS] == WORDS


def test_following_a_job_that_is_cancelled_ends_with_2(
    server: ServerProcess, worker: Started, start: Start, place: Room, gate: Path
) -> None:
    job = speaking(place, gate)
    following = start("job", job.id, "--follow", "--url", server.url)
    following.wait_for("half way")
    job.cancel()

    assert following.end() == 2


def test_on_a_terminal_a_job_is_shown_live(
    server: ServerProcess, worker: Started, place: Room, gate: Path
) -> None:
    job = speaking(place, gate)
    screen, terminal = pty.openpty()
    command = [*WORKROOM, "job", job.id, "--follow", "--url", server.url]
    environment = {"TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    child = start_process(command, environment, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    seen = _seen(screen, "half way")
    gate.touch()
    seen += _seen(screen, '"said": 4')

    assert child.wait(30) == 0
    os.close(screen)
    for words in (*WORDS[:3], "━", "analysis/Speak", "completed"):
        assert words in seen


def _seen(screen: int, words: str) -> str:
    """All that a terminal shows until it shows these words."""
    seen = b""

    def look() -> bool:
        nonlocal seen
        if select.select([screen], [], [], 0.1)[0]:
            seen += os.read(screen, 65536)
        return words.encode() in seen

    eventually(look, 60, words)
    return seen.decode(errors="replace")


def test_the_output_of_a_job_can_be_printed_after_its_end(
    run: Run, worker: Started, place: Room, gate: Path
) -> None:
    job = speaking(place, gate)
    assert run("logs", job.id).out.splitlines() == WORDS[:3]
    gate.touch()
    job.result(timeout=30)

    assert run("logs", job.id).out.splitlines() == WORDS
    assert run("logs", job.id, "--follow").out.splitlines() == WORDS
    lines = [orjson.loads(line) for line in run("logs", job.id, "--json").out.splitlines()]
    assert [(line["seq"], line["stream"]) for line in lines] == [
        (1, "stdout"),
        (2, "log"),
        (3, "stderr"),
        (4, "stdout"),
    ]
    assert (
        run("logs", "unknown").complaint
        == "there is no job unknown: none of your last jobs has an id that begins so"
    )


def test_the_worker_prints_what_its_jobs_print(worker: Started, place: Room, gate: Path) -> None:
    gate.touch()
    place.submit_named("analysis", "Speak", {"until": str(gate)}).result(timeout=30)

    said = worker.wait_for("last words")
    for words in ("first words", "in the log", "trouble"):
        assert words in said


def test_watching_jobs_without_a_terminal_prints_plain_lines(
    server: ServerProcess, worker: Started, start: Start, place: Room, gate: Path, room: str
) -> None:
    watching = start("jobs", room, "--watch", "--url", server.url)
    job = speaking(place, gate)
    watching.wait_for(f"{job.id} analysis/Speak running")
    gate.touch()

    watching.wait_for(f"{job.id} analysis/Speak completed")
    watching.interrupt()
    assert watching.end() in (0, 130)
