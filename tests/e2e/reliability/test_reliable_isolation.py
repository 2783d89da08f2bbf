"""Code in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx
import psutil

from support.extensions.misbehaving import (
    Apart,
    ApartBreak,
    Mark,
    Orphaner,
    Parent,
    notes,
)
from support.job_waits import Serve, error_of, is_running, serves
from workroom import Room
from workroom.testing.fixtures import StartWorker
from workroom.testing.processes import Process, ServerProcess, eventually

SCRIPT = """
import os, sys
from workroom import Extension, Room

class Here(Extension, isolation="process"):
    n: int

    def run(self):
        return [self.n, __name__, os.getpid()]

if __name__ == "__main__":
    room = Room({room!r}, {url!r}, user="script")
    room.register(Here)
    room.wait()
"""


def test_an_isolated_job_has_progress_and_a_result(room: Room, serve: Serve) -> None:
    serve(Apart)

    job = room.submit(Apart())

    result = job.result(timeout=20)
    assert result["pid"] != result["parent"] == psutil.Process().pid
    assert job.document["progress"]["fraction"] == 1.0
    assert job.document["progress"]["message"] == "all of it"


def test_an_isolated_job_that_raises_brings_its_stack_trace(room: Room, serve: Serve) -> None:
    serve(ApartBreak)

    error = error_of(room.submit(ApartBreak()))

    assert (error["type"], error["message"]) == ("ValueError", "broken apart")
    assert error["details"] == {"part": "'gear'"}
    assert "misbehaving.py" in error["stack_trace"]
    assert "runtime" not in error["stack_trace"]


def test_cancelling_an_isolated_job_kills_it_and_its_children(room: Room, serve: Serve, diary: Path) -> None:
    serve(Parent, Mark)
    job = room.submit(Parent(diary=str(diary)))
    eventually(lambda: len(notes(diary)) == 2)
    pids = [int(pid) for pid in notes(diary)]
    assert all(is_running(pid) for pid in pids)

    job.cancel()

    assert job.status == "cancelled"
    eventually(lambda: not any(is_running(pid) for pid in pids), what="the processes being gone")
    assert room.submit(Mark()).result(timeout=10) == "mark"


def test_an_isolated_job_that_dies_ends_even_if_its_children_live(
    room: Room, serve: Serve, diary: Path
) -> None:
    serve(Orphaner)
    job = room.submit(Orphaner(diary=str(diary)))
    try:
        assert error_of(job)["type"] == "ProcessDied"
    finally:
        end(diary)


def test_an_isolated_job_dies_with_its_worker(
    server: ServerProcess, room: Room, start_worker: StartWorker, diary: Path
) -> None:
    worker = start_worker(server, "support.extensions.misbehaving:Parent", room=room.name)
    room.submit(Parent(diary=str(diary)))
    eventually(lambda: len(notes(diary)) == 2)

    worker.kill()

    try:
        eventually(lambda: not is_running(int(notes(diary)[0])), what="the process being gone")
    finally:
        end(diary)


def end(diary: Path) -> None:
    """Leave nothing behind."""
    for pid in map(int, notes(diary)):
        if is_running(pid):
            psutil.Process(pid).kill()


def test_a_class_of_a_script_can_be_isolated(
    server: ServerProcess, room: Room, ada: httpx.Client, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(room=room.name, url=server.url))
    worker = Process([sys.executable, str(script)], {}, tmp_path / "script.log")
    try:
        serves(room, "Here")
        job = room.submit_named("analysis", "Here", {"n": 3})
        n, module, pid = job.result(timeout=20)
    finally:
        worker.close()
    assert (n, module) == (3, "__workroom__")
    assert pid != worker.pid
