"""A worker in JavaScript, written from docs/protocol.md alone, against a real server."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from workroom import JobCancelled, JobFailed, JobHandle, Room
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.processes import Process, ServerProcess, eventually

WORKER = Path(__file__).parents[1] / "js" / "worker.mjs"
StartJsWorker = Callable[..., Process]


@pytest.fixture
def start_js_worker(tmp_path: Path) -> Iterator[StartJsWorker]:
    """Start the JavaScript worker and wait until it serves."""
    with ExitStack() as stack:

        def start(server: ServerProcess, room: str = "demo", slots: int = 1) -> Process:
            command = ["node", str(WORKER), server.url, room, str(slots)]
            worker = Process(command, {}, tmp_path / "js-worker.log")
            stack.callback(worker.close)

            def serves() -> bool:
                assert worker.is_alive, worker.log.read_text()
                return "serving" in worker.log.read_text().splitlines()

            eventually(serves, what="the JavaScript worker serving")
            return worker

        yield start


def offered(room: Room) -> set[str]:
    """What a worker offers now."""
    return {each["name"] for each in room.extensions() if each["away_since"] is None}


def submit_add(room: Room) -> JobHandle:
    return room.submit_named("analysis", "Add", {"a": 1, "b": 2})


def submit_slow(room: Room, steps: int, step_ms: int) -> JobHandle:
    """A slow job that has begun: its progress has reached the server."""
    job = room.submit_named("analysis", "Slow", {"steps": steps, "step_ms": step_ms})
    eventually(lambda: job.refresh()["progress"], what="the first progress")
    return job


def test_its_extensions_appear_in_the_room(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    room = open_room(workroom_server)
    assert offered(room) == set()

    start_js_worker(workroom_server)

    assert offered(room) == {"Add", "Slow", "Odd", "Broken"}
    assert offered(open_room(workroom_server, "elsewhere")) == set()


def test_a_job_runs_to_its_result(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    job = submit_add(open_room(workroom_server))

    assert job.result(timeout=10) == {"sum": 3}
    assert [step["status"] for step in job.history()] == ["pending", "assigned", "running", "completed"]


def test_many_jobs_share_the_slots_and_each_has_its_own_result(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server, slots=4)
    room = open_room(workroom_server)
    jobs = [room.submit_named("analysis", "Add", {"a": number, "b": 0.5}) for number in range(50)]

    assert [job.result(timeout=20) for job in jobs] == [{"sum": number + 0.5} for number in range(50)]


def test_values_too_large_for_a_push_are_fetched(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    data = {"a": 1, "b": 2, "note": "x" * 500_000}
    job = open_room(workroom_server).submit_named("analysis", "Add", data)

    assert job.result(timeout=10) == {"sum": 3}


def test_progress_is_seen_while_the_job_runs(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    room = open_room(workroom_server)
    job = submit_slow(room, steps=20, step_ms=50)

    progress = job.document["progress"]
    assert progress["message"] == f"step {progress['current']:g}"
    assert progress["fraction"] == pytest.approx(progress["current"] / 20)
    assert progress["total"] == 20
    assert progress["elapsed_ms"] > 0
    assert job.result(timeout=10) == {"steps": 20}


def test_a_failing_job_keeps_type_message_details_and_stack(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    job = open_room(workroom_server).submit_named("analysis", "Broken", {"message": "gear lost"})

    with pytest.raises(JobFailed, match="RangeError: gear lost"):
        job.result(timeout=10)
    error = job.document["error"]
    assert (error["type"], error["message"]) == ("RangeError", "gear lost")
    assert error["details"] == {"part": "gear"}
    assert "worker.mjs" in error["stack_trace"]


def test_an_end_that_the_server_refuses_is_replaced_by_one_that_it_takes(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    room = open_room(workroom_server)
    job = room.submit_named("analysis", "Broken", {"message": "too long " * 10_000})

    with pytest.raises(JobFailed, match="RangeError"):
        job.result(timeout=10)
    assert submit_add(room).result(timeout=10) == {"sum": 3}


def test_half_an_emoji_in_a_result_is_replaced(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    job = open_room(workroom_server).submit_named("analysis", "Odd", {"kind": "half an emoji"})

    assert job.result(timeout=10) == "\ufffd"


@pytest.mark.parametrize("kind", ["binary", "deep", "large"])
def test_a_result_that_can_never_be_kept_fails_its_job(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker, kind: str
) -> None:
    start_js_worker(workroom_server)
    room = open_room(workroom_server)
    job = room.submit_named("analysis", "Odd", {"kind": kind})

    with pytest.raises(JobFailed, match="RangeError"):
        job.result(timeout=10)
    assert submit_add(room).result(timeout=10) == {"sum": 3}


def test_a_cancelled_job_stops_and_the_next_one_gets_its_slot(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    start_js_worker(workroom_server)
    room = open_room(workroom_server)
    job = submit_slow(room, steps=10_000, step_ms=20)

    job.cancel()

    with pytest.raises(JobCancelled):
        job.result(timeout=10)
    assert job.status == "cancelled"
    assert submit_add(room).result(timeout=10) == {"sum": 3}


def test_a_further_job_is_finished_after_the_server_was_killed(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    worker = start_js_worker(workroom_server)
    assert submit_add(open_room(workroom_server)).result(timeout=10) == {"sum": 3}

    workroom_server.kill()
    workroom_server.restart()

    assert submit_add(open_room(workroom_server)).result(timeout=20) == {"sum": 3}
    assert worker.is_alive


@pytest.mark.parametrize(("steps", "step_ms"), [(5, 50), (50, 100)], ids=["ends before", "ends after"])
def test_a_job_that_runs_when_the_server_is_killed_is_finished_once(
    workroom_server: ServerProcess,
    open_room: OpenRoom,
    start_js_worker: StartJsWorker,
    steps: int,
    step_ms: int,
) -> None:
    start_js_worker(workroom_server)
    before = submit_slow(open_room(workroom_server), steps, step_ms)

    workroom_server.kill()
    workroom_server.restart()

    job = open_room(workroom_server).job(before.id)
    assert job.result(timeout=20) == {"steps": steps}
    assert job.refresh()["attempt"] == 1


def test_sigterm_takes_its_extensions_out_of_the_room(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    worker = start_js_worker(workroom_server)
    room = open_room(workroom_server)
    assert "Add" in offered(room)

    assert worker.stop() == 0

    assert offered(room) == set()


def test_sigterm_lets_a_running_job_finish(
    workroom_server: ServerProcess, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    worker = start_js_worker(workroom_server)
    room = open_room(workroom_server)
    job = submit_slow(room, steps=20, step_ms=50)

    assert worker.stop() == 0

    assert job.result(timeout=10) == {"steps": 20}
    assert offered(room) == set()


def test_a_worker_that_was_given_up_forgets_its_job_and_registers_again(
    start_server: StartServer, open_room: OpenRoom, start_js_worker: StartJsWorker
) -> None:
    server = start_server(heartbeat=0.5, lease=2, sweep=0.2)
    worker = start_js_worker(server)
    room = open_room(server)
    lost = submit_slow(room, steps=10_000, step_ms=20)

    worker.signal(signal.SIGSTOP)
    with pytest.raises(JobFailed, match="WorkerLost"):
        lost.result(timeout=20)
    assert offered(room) == set()
    worker.signal(signal.SIGCONT)

    eventually(lambda: "Add" in offered(room), what="the extensions in the room again")
    assert submit_add(room).result(timeout=10) == {"sum": 3}
    assert lost.status == "failed"
