"""Code that behaves badly harms its own job and nothing else. The worker is a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.extensions import hazards, in_process
from support.extensions.hazards import (
    AsyncLeave,
    Burst,
    Count,
    Hand,
    IsolatedReport,
    Keys,
    Leave,
    Print,
    Raise,
    Report,
    Snipe,
    Snipers,
    Spill,
    Wait,
)
from support.extensions.in_process import Add, AsyncMeet, Meet
from workroom import Extension, JobHandle, Room
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


def error(room: Room, extension: Extension, seconds: float = 3) -> dict[str, Any]:
    """Why the job failed."""
    document = ended(room, extension, seconds)
    assert document["status"] == "failed"
    found: dict[str, Any] = document["error"]
    return found


def keep_closed(room: Room, extension: Extension) -> None:
    """More successes than failures, or the circuit would open."""
    for _ in range(2):
        assert ended(room, extension)["status"] == "completed"


@pytest.mark.parametrize("how", hazards.ENDS)
def test_whatever_run_raises_fails_the_job(room: Room, how: str) -> None:
    assert error(room, Leave(how=how))["type"] == how
    keep_closed(room, Leave(how="well"))


@pytest.mark.parametrize("how", hazards.ENDS)
def test_whatever_a_coroutine_raises_fails_the_job(room: Room, how: str) -> None:
    assert error(room, AsyncLeave(how=how))["type"] == how
    keep_closed(room, AsyncLeave(how="well"))


def test_what_run_prints_goes_where_the_worker_prints(room: Room, worker: WorkerProcess) -> None:
    assert room.submit(Print()).result(timeout=20) == "printed"

    log = worker.log.read_text()
    assert "said by run() on stdout" in log
    assert "said by run() on stderr" in log


NUMBERS = [name for name in hazards.REPORTS if name not in hazards.REFUSED_REPORTS]
ISOLATED = ["a number of its own type", "more than a float can hold"]  # some: each costs a process


@pytest.mark.parametrize(
    "report",
    [*(Report(what=what) for what in NUMBERS), *(IsolatedReport(what=what) for what in ISOLATED)],
    ids=repr,
)
def test_any_real_number_is_progress(room: Room, report: Report) -> None:
    document = ended(room, report, 10)

    assert document["status"] == "completed"
    assert document["progress"].get("fraction") in (None, 0, 0.5, 1)


@pytest.mark.parametrize("kind", [Report, IsolatedReport])
def test_progress_that_is_no_number_is_refused_in_the_line_that_reports_it(
    room: Room, kind: type[Report]
) -> None:
    found = error(room, kind(what="a text"), 10)

    assert found["message"] == "job.progress() takes a number as fraction, not 'half'"
    assert "job.progress(REPORTS[self.what])" in found["stack_trace"]
    keep_closed(room, kind())


@pytest.mark.parametrize("what", hazards.REPORTS)
def test_an_odd_count_is_converted_or_refused(room: Room, what: str) -> None:
    document = ended(room, Count(what=what))

    assert (document["status"] == "failed") is (what in hazards.REFUSED_REPORTS)
    assert ended(room, Count(what="a decimal"))["status"] == "completed"


@pytest.mark.parametrize("what", ["a long message", "half a surrogate", "more steps than announced"])
def test_odd_progress_leaves_no_job_hanging(room: Room, what: str) -> None:
    assert ended(room, Report(what=what))["status"] == "completed"


def test_odd_things_are_converted_or_refused_in_the_line_that_hands_them_over(room: Room) -> None:
    job = room.submit(Hand())

    assert job.result(timeout=10) == [
        "job.show() takes figures, images, arrays of pixels, atoms, strings and dicts, not Scalar",
        "job.show() takes kind=png, plotly, xyz, markdown, text, json; not 'hologram'",
        "job.save() takes a file name, then the content; the name is a Scalar",
        "expected bytes, a path or a binary file, not Scalar",
        "the file is open in text mode: open it in binary mode",
        "'no media type' is not a media type",
    ]
    assert "a level that is no text" in [line["text"] for line in job.logs()]


def test_keys_that_are_numbers_become_texts_in_a_process_of_its_own_too(room: Room) -> None:
    assert room.submit(Keys()).result(timeout=10) == {"1": {"2": "two"}}


def test_progress_still_arrives_after_invalid_reports(room: Room) -> None:
    job = room.submit(Wait())
    try:
        eventually(lambda: job.refresh()["progress"], what="the progress")
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
    keep_closed(room, Raise(what="well"))


def test_exceptions_that_other_threads_raise_keep_no_job_running_for_ever(room: Room) -> None:
    """They land in `run()`, after it, and in the next jobs of the same thread."""
    jobs = [*room.submit_many([Snipe()] * 4), *room.submit_many([Add(a=1)] * 2 * SLOTS)]

    for job in jobs:
        wait_for_end(job)
    eventually(lambda: ended(room, Snipers())["result"] == 0, what="the last exception")


def wait_for_end(job: JobHandle) -> None:
    eventually(lambda: job.refresh()["status"] in ("completed", "failed"), 20, f"the end of {job.id}")


def test_a_task_that_raises_system_exit_does_not_end_the_loop_of_other_jobs(room: Room) -> None:
    assert room.submit(Spill()).result(timeout=10) == "spilled"
    assert room.submit(Spill()).result(timeout=10) == "spilled"


def test_the_worker_has_gone_on_through_all_of_this(room: Room) -> None:
    assert room.submit(Add(a=1)).result(timeout=20) == 1


@pytest.mark.parametrize("kind", [Meet, AsyncMeet])
def test_no_slot_was_lost(room: Room, key: str, kind: type[Meet] | type[AsyncMeet]) -> None:
    """All slots must be at work at the same time for this to end."""
    jobs = room.submit_many([kind(key=key, people=SLOTS)] * SLOTS)

    assert [job.result(timeout=20) for job in jobs] == ["met"] * SLOTS
