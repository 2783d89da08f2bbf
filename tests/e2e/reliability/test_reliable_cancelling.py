"""What is cancelled does not run, or is told to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.extensions.misbehaving import (
    Hold,
    Mark,
    notes,
)
from support.job_waits import Serve, becomes
from support.scripted_worker import MakeScriptedWorker
from workroom import JobCancelled, Room
from workroom.testing.processes import ServerProcess


def test_a_pending_job_that_is_cancelled_never_runs(
    room: Room, serve: Serve, diary: Path, gate: Path
) -> None:
    serve(Hold, Mark)
    first = room.submit(Hold(gate=str(gate)))
    job, last = room.submit(Mark(diary=str(diary), word="no")), room.submit(Mark(diary=str(diary)))
    becomes(first, "running")

    job.cancel()
    gate.touch()

    with pytest.raises(JobCancelled):
        job.result(timeout=10)
    assert last.result(timeout=10) == "mark"
    assert notes(diary) == ["mark"]


def test_an_assigned_job_that_is_cancelled_cannot_start(
    server: ServerProcess, room: Room, make_scripted_worker: MakeScriptedWorker
) -> None:
    scripted = make_scripted_worker(server, room=room.name)
    job = room.submit_named("analysis", "Scripted", {})
    item = scripted.take()
    assert job.status == "assigned"

    job.cancel()

    assert scripted.cancelled.get(timeout=20)["job_id"] == job.id
    assert scripted.start(item)["code"] == "stale_attempt"
    assert [step["status"] for step in job.history()] == ["pending", "assigned", "cancelled"]


def test_cancelling_a_running_job_notifies_it_and_frees_its_slot(
    room: Room, serve: Serve, gate: Path
) -> None:
    serve(Hold, Mark)
    job = room.submit(Hold(gate=str(gate)))
    becomes(job, "running")

    job.cancel()

    assert job.status == "cancelled"
    assert room.submit(Mark()).result(timeout=10) == "mark"
    assert job.refresh()["status"] == "cancelled"
