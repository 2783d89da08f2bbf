"""What jobs print is theirs alone, and is there to read."""

from __future__ import annotations

import logging
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.extensions.printing import Apart, AsyncChatter, Bars, Chatter, Flood, Halting, Odd, Threads
from support.sync_rooms import Enter, Serve
from workroom import Room, current_job
from workroom.runtime import capture
from workroom.testing.fixtures import StartServer
from workroom.testing.processes import eventually


def by_stream(lines: list[dict[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        found.setdefault(line["stream"], []).append(line["text"])
    return found


def expected(name: str, lines: int) -> dict[str, list[str]]:
    said = [f"{name} {number}" for number in range(lines)]
    return {"stdout": said, "stderr": said, "log": said}


def test_no_line_of_jobs_that_print_at_once_lands_in_another_s_log(
    enter: Enter, serve: Serve, key: str
) -> None:
    serve(Chatter, slots=3)
    names = [f"{key}{letter}" for letter in "abc"]
    Chatter.barriers[key] = threading.Barrier(3)

    jobs = enter().submit_many([Chatter(name=name) for name in names])
    for job in jobs:
        job.result(timeout=30)

    for job, name in zip(jobs, names, strict=True):
        lines = job.logs()
        assert by_stream(lines) == expected(name, 200)
        assert [line["seq"] for line in lines] == list(range(1, 601))
        assert {line["attempt"] for line in lines} == {1}
        assert {line.get("level") for line in lines} == {None, "WARNING"}


def test_no_line_of_coroutines_that_print_at_once_lands_in_another_s_log(enter: Enter, serve: Serve) -> None:
    serve(AsyncChatter, slots=3)
    jobs = enter().submit_many([AsyncChatter(name=name) for name in "abc"])

    for job, name in zip(jobs, "abc", strict=True):
        job.result(timeout=30)
        assert by_stream(job.logs()) == expected(name, 200)


def test_what_the_threads_of_a_job_print_is_the_job_s_also_in_a_pool_that_jobs_share(
    enter: Enter, serve: Serve, key: str
) -> None:
    serve(Threads, slots=2)
    names = [f"{key}{letter}" for letter in "ab"]
    Threads.barriers[key] = threading.Barrier(2)

    jobs = enter().submit_many([Threads(name=name) for name in names])
    for job, name in zip(jobs, names, strict=True):
        job.result(timeout=30)
        said = [f"{name} {where}" for where in ("asyncio", *["pool"] * 50, "thread", "timer")]
        assert sorted(line["text"] for line in job.logs()) == said


def test_a_job_in_a_process_of_its_own_prints_too(enter: Enter, serve: Serve) -> None:
    serve(Apart, slots=2)
    jobs = enter().submit_many([Apart(name=name) for name in "ab"])

    for job, name in zip(jobs, "ab", strict=True):
        job.result(timeout=30)
        found, wanted = by_stream(job.logs()), expected(name, 50)
        wanted["stdout"] = [*wanted["stdout"], "no end of line"]
        wanted["log"] = [*wanted["log"], "'wrong %d' ('arguments',)"]
        assert found == wanted


def test_output_is_split_into_lines_and_unusual_text_is_stored(enter: Enter, serve: Serve) -> None:
    serve(Odd)
    job = enter().submit(Odd())
    job.result(timeout=20)

    found = by_stream(job.logs())
    assert found["stdout"][:2] == ["half a line", "100%"]
    wide = found["stdout"][2:5]
    assert "".join(wide) == "wide " * 5000
    assert found["stdout"][5:] == ["lone \\ud800 surrogate", "", "the end"]
    assert found["log"][0] == "it broke"
    assert "ValueError: with a trace" in found["log"]


def test_the_last_line_of_too_many_reports_that_the_rest_was_dropped(enter: Enter, serve: Serve) -> None:
    serve(Flood)
    job = enter().submit(Flood(lines=50_000))

    assert job.result(timeout=60) == 50_000
    lines = job.logs()
    assert len(lines) == 10_001
    assert (lines[0]["text"], lines[-2]["text"]) == ("line 0", "line 9999")
    assert lines[-1]["text"].startswith("the rest was left out: 10,000 lines")


def test_lines_are_read_while_the_job_runs(enter: Enter, serve: Serve, key: str) -> None:
    gate = Halting.gates[key] = threading.Event()
    serve(Halting)
    job = enter().submit(Halting(key=key))
    seen: list[str] = []

    for document, lines in job.follow():
        seen += [line["text"] for line in lines]
        if seen == ["before"] and document["status"] == "running":
            gate.set()

    assert seen == ["before", "after"]
    assert job.document["status"] == "completed"


def test_progress_that_was_held_back_arrives_while_the_job_goes_on(
    enter: Enter, serve: Serve, key: str
) -> None:
    gate = Halting.gates[key] = threading.Event()
    serve(Halting)
    job = enter().submit(Halting(key=key))

    eventually(lambda: (job.refresh()["progress"] or {}).get("message") == "second", 20, "the second word")
    gate.set()
    job.result(timeout=20)


def test_what_a_job_prints_reaches_the_terminal_too(
    enter: Enter, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    room = serve(Flood)
    enter().submit(Flood(lines=2)).result(timeout=20)
    print("outside")
    room.close()

    assert capsys.readouterr().out == "line 0\nline 1\noutside\n"


def replaced() -> tuple[object, ...]:
    places = (logging.Logger.callHandlers, threading.Thread.start, ThreadPoolExecutor.submit)
    return (sys.stdout, sys.stderr, *places)


def test_streams_and_logging_are_as_before_once_all_workers_are_closed(enter: Enter, serve: Serve) -> None:
    before = replaced()
    first, second = serve(Flood), serve(Flood)
    assert isinstance(sys.stdout, capture.StreamProxy)
    first.close()
    assert isinstance(sys.stdout, capture.StreamProxy)
    second.close()

    assert replaced() == before


def test_code_finds_the_job_that_it_belongs_to(enter: Enter, serve: Serve) -> None:
    serve(Bars)
    job = enter().submit(Bars())

    assert job.result(timeout=20) == {"job": job.id, "count": 10_000}
    progress = job.document["progress"]
    assert (progress["fraction"], progress["current"], progress["total"]) == (1, 10_000, 10_000)
    assert progress["message"] == "bar"
    assert current_job() is None


def test_lines_survive_a_restart_of_the_server(start_server: StartServer, key: str) -> None:
    server = start_server()
    gate = Halting.gates[key] = threading.Event()
    with Room("lab", server.url, user="ada") as room:
        room.register(Halting)
        job = room.submit(Halting(key=key))
        eventually(job.logs, 20, "a line")
        server.kill()
        server.restart()
        gate.set()
        eventually(lambda: job.refresh()["status"] == "completed", 60, "the end")
        assert [line["text"] for line in job.logs()] == ["before", "after"]
