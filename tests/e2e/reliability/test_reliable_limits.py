"""Code that takes too long, too much memory or too much CPU."""

from __future__ import annotations

from pathlib import Path

import psutil

from support.extensions.misbehaving import (
    Burner,
    Deaf,
    Glutton,
    Mark,
    Spin,
    notes,
)
from support.job_waits import Serve, error_of, is_running, waits_for
from workroom import Room
from workroom.testing.processes import eventually


def test_isolated_code_past_its_timeout_is_killed_and_its_slot_is_free(room: Room, serve: Serve) -> None:
    serve(Spin, Mark)

    job = room.submit(Spin())
    behind = room.submit(Mark())
    (pid,) = eventually(isolated)

    assert error_of(job)["type"] == "JobTimeout"
    assert behind.result(timeout=10) == "mark"
    assert not is_running(pid)


def isolated() -> list[int]:
    """The processes that run isolated jobs of workers in this process."""
    return [
        child.pid
        for child in psutil.Process().children()
        if "workroom.client.worker.execution.isolated" in cmdline(child)
    ]


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_thread_past_its_timeout_is_cancelled_and_holds_its_slot_until_it_stops(
    room: Room, serve: Serve, diary: Path, gate: Path
) -> None:
    serve(Deaf, Mark)

    job = room.submit(Deaf(diary=str(diary), gate=str(gate)))
    behind = room.submit(Mark())

    assert error_of(job)["type"] == "JobTimeout"
    eventually(lambda: notes(diary) == ["told"])
    assert waits_for(behind, "workers_busy")
    version = job.refresh()["version"]
    gate.touch()
    assert behind.result(timeout=10) == "mark"
    assert job.refresh()["version"] == version


def test_too_much_memory_ends_the_job_and_not_the_worker(room: Room, serve: Serve) -> None:
    serve(Glutton, Mark)

    assert error_of(room.submit(Glutton()))["type"] == "MemoryError"
    assert room.submit(Mark()).result(timeout=10) == "mark"


def test_too_much_cpu_ends_the_job_and_not_the_worker(room: Room, serve: Serve) -> None:
    serve(Burner, Mark)

    error = error_of(room.submit(Burner()))

    assert error["type"] == "ProcessDied"
    assert "SIGXCPU" in error["message"]
    assert "CPU 1 s" in error["message"]
    assert room.submit(Mark()).result(timeout=10) == "mark"
