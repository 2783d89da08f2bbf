"""Code that behaves badly harms its own job and nothing else. The worker is a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.extensions import hazards, in_process
from support.extensions.hazards import AsyncLeave, Burst, Leave, Print, Raise, Report, Wait
from support.extensions.in_process import Add, AsyncMeet, Meet
from workroom import Extension, Room
from workroom.testing.processes import ServerProcess, WorkerProcess, eventually

SLOTS = 24


@pytest.fixture(scope="module")
def worker(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerProcess]:
    """One process with many slots: whatever happens in one of them, the others go on."""
    log = tmp_path_factory.mktemp("hazards") / "worker.log"
    tools = [f"{in_process.__file__}:{kind.__name__}" for kind in (Add, Meet, AsyncMeet)]
    worker = WorkerProcess(
        server.url, hazards.__file__, *tools, room="hazards", slots=SLOTS, name="hazards", log=log
    )
    eventually(lambda: "Serving" in log.read_text(), what="the worker serving")
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def room(server: ServerProcess, worker: WorkerProcess) -> Iterator[Room]:
    with Room("hazards", server.url, user="ada") as room:
        yield room


def ended(room: Room, extension: Extension, seconds: float = 3) -> dict[str, Any]:
    """How the job ended."""
    job = room.submit(extension)
    eventually(lambda: job.status in ("completed", "failed", "cancelled"), seconds, f"the end of {job.id}")
    return job.document


def error(room: Room, extension: Extension) -> dict[str, Any]:
    """Why the job failed."""
    document = ended(room, extension)
    assert document["status"] == "failed"
    found: dict[str, Any] = document["error"]
    return found


@pytest.mark.parametrize("how", hazards.ENDS)
def test_whatever_run_raises_fails_the_job(room: Room, how: str) -> None:
    assert error(room, Leave(how=how))["type"] == how
    assert ended(room, Leave(how="well"))["status"] == "completed"  # or the circuit would open


@pytest.mark.parametrize("how", hazards.ENDS)
def test_whatever_a_coroutine_raises_fails_the_job(room: Room, how: str) -> None:
    assert error(room, AsyncLeave(how=how))["type"] == how
    assert ended(room, AsyncLeave(how="well"))["status"] == "completed"


def test_what_run_prints_goes_where_the_worker_prints(room: Room, worker: WorkerProcess) -> None:
    assert room.submit(Print()).result(timeout=5) == "printed"

    log = worker.log.read_text()
    assert "said by run() on stdout" in log
    assert "said by run() on stderr" in log


@pytest.mark.parametrize(
    "what", [*hazards.REPORTS, "a long message", "half a surrogate", "more steps than announced"]
)
def test_odd_progress_leaves_no_job_hanging(room: Room, what: str) -> None:
    assert ended(room, Report(what=what))["status"] in ("completed", "failed")


def test_progress_still_arrives_after_invalid_reports(room: Room) -> None:
    job = room.submit(Wait())
    try:
        eventually(lambda: job.refresh()["progress"], 3, "the progress")
        assert job.document["progress"]["message"] == "waiting"
    finally:
        job.cancel()


@pytest.mark.parametrize("megabytes", [1.05, 20])
def test_a_result_that_is_too_large_for_a_report_comes_back_whole(room: Room, megabytes: float) -> None:
    result = room.submit(Burst(megabytes=megabytes)).result(timeout=20)

    assert result == "x" * int(megabytes * 1_000_000)


@pytest.mark.parametrize("what", hazards.MESSAGES)
def test_an_error_that_is_hard_to_encode_is_reported(room: Room, what: str) -> None:
    assert error(room, Raise(what=what))["type"]
    assert ended(room, Raise(what="well"))["status"] == "completed"


def test_the_worker_has_gone_on_through_all_of_this(room: Room) -> None:
    assert room.submit(Add(a=1)).result(timeout=3) == 1


@pytest.mark.parametrize("kind", [Meet, AsyncMeet])
def test_no_slot_was_lost(room: Room, key: str, kind: type[Meet] | type[AsyncMeet]) -> None:
    """All slots must be at work at the same time for this to end."""
    jobs = room.submit_many([kind(key=key, people=SLOTS)] * SLOTS)

    assert [job.result(timeout=3) for job in jobs] == ["met"] * SLOTS
