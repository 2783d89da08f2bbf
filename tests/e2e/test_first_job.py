"""From a class to a finished job, with real processes."""

from __future__ import annotations

import pytest

from support.extensions.samples import Break, Echo, Nap
from workroom import JobFailed
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess


def test_a_submitted_job_is_pushed_run_and_finished(
    workroom_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    start_worker(workroom_server, "support.extensions.samples:Echo")
    job = open_room(workroom_server).submit(Echo(text="ab", times=2))

    assert job.result(timeout=10) == {"text": "abab", "point": None}
    assert [step["status"] for step in job.history()] == ["pending", "assigned", "running", "completed"]


def test_a_failing_job_keeps_type_message_fields_and_trace(
    workroom_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    start_worker(workroom_server, "support.extensions.samples:Break")
    job = open_room(workroom_server).submit(Break(message="gear lost"))

    with pytest.raises(JobFailed, match="ValueError: gear lost"):
        job.result(timeout=10)
    error = job.document["error"]
    assert error["details"] == {"part": "'gear'"}
    assert "raise error" in error["stack_trace"]


def test_anyone_in_the_room_can_wait_for_anyones_job(
    workroom_server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker
) -> None:
    start_worker(workroom_server, "support.extensions.samples:Nap")
    job = open_room(workroom_server, user="ada").submit(Nap(seconds=1))

    assert open_room(workroom_server, user="bob").job(job.id).result(timeout=10) == "rested"


def test_a_second_server_on_the_same_data_is_refused(
    workroom_server: ServerProcess, start_server: StartServer
) -> None:
    with pytest.raises(AssertionError, match="another server uses"):
        start_server(data_dir=workroom_server.data_dir)
