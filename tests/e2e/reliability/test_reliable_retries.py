"""What went wrong is tried again, as often as its policy says."""

from __future__ import annotations

from pathlib import Path

from support.extensions.misbehaving import (
    Flaky,
    Mark,
    Poison,
    Strict,
    notes,
)
from support.job_waits import Serve, error_of, waits_for
from workroom import Room
from workroom.testing.fixtures import StartWorker
from workroom.testing.processes import ServerProcess


def test_a_poison_job_stops_after_its_tries_and_others_proceed(
    server: ServerProcess, room: Room, start_worker: StartWorker, diary: Path
) -> None:
    workers = [
        start_worker(
            server,
            "support.extensions.misbehaving:Poison",
            "support.extensions.misbehaving:Mark",
            room=room.name,
        )
        for _ in range(3)
    ]

    poison = room.submit(Poison(diary=str(diary)))
    others = [room.submit(Mark()) for _ in range(10)]

    error = error_of(poison)
    assert error["type"] == "MaxRetriesExceeded"
    assert error["details"]["last_error"]["type"] == "WorkerLost"
    assert notes(diary) == ["poison"] * 2
    assert poison.document["tries"] == 2
    assert [other.result(timeout=10) for other in others] == ["mark"] * 10
    assert sum(worker.is_alive for worker in workers) == 1


def test_a_job_whose_code_fails_is_retried_if_its_policy_allows_it(
    room: Room, serve: Serve, diary: Path
) -> None:
    serve(Flaky)

    job = room.submit(Flaky(diary=str(diary)))
    backoff = waits_for(job, "backoff")
    assert job.result(timeout=10) == 2

    assert backoff["until"] > job.document["created_at"]
    assert job.document["tries"] == 2
    statuses = [step["status"] for step in job.history()]
    assert statuses == ["pending", *["assigned", "running"], "pending", *["assigned", "running"], "completed"]


def test_a_job_that_keeps_failing_gives_up_and_shows_the_last_error(
    room: Room, serve: Serve, diary: Path
) -> None:
    serve(Flaky)

    error = error_of(room.submit(Flaky(diary=str(diary), failures=9)))

    assert error["type"] == "MaxRetriesExceeded"
    assert error["details"]["last_error"] == {"type": "ValueError", "message": "try 2 failed"}
    assert "misbehaving.py" in error["stack_trace"]


def test_retries_for_lost_workers_do_not_retry_errors(room: Room, serve: Serve, diary: Path) -> None:
    serve(Strict)

    assert error_of(room.submit(Strict(diary=str(diary))))["type"] == "ValueError"
    assert notes(diary) == ["strict"]
