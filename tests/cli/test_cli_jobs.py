"""`workroom jobs`, `job` and `cancel`."""

from __future__ import annotations

import pytest

from support.command_line import Run
from support.extensions.samples import Break, Echo
from workroom import Room
from workroom.testing.processes import ServerProcess

ROOM = "cli-jobs"


@pytest.fixture(scope="module")
def ended(server: ServerProcess) -> list[str]:
    """The ids of a job that completed and of one that failed."""
    with Room(ROOM, server.url, user="ada") as place:
        jobs = [place.submit(Echo(text="ab")), place.submit(Break())]
        for job in jobs:
            list(job.watch())
        return [job.id for job in jobs]


def test_the_jobs_of_a_room_are_a_table_with_whole_ids(run: Run, ended: list[str]) -> None:
    listed = run("jobs", ROOM)

    assert listed.code == 0
    title, *lines = listed.out.splitlines()
    assert title.split() == ["job", "extension", "status", "user", "created", "took"]
    assert [line.split()[:3] for line in lines] == [
        [ended[1], "analysis/Break", "failed"],
        [ended[0], "analysis/Echo", "completed"],
    ]


def test_the_jobs_of_a_room_are_listed_as_json_and_filtered(run: Run, ended: list[str]) -> None:
    failed = run("jobs", ROOM, "--json", "--status", "failed").json

    assert [job["id"] for job in failed] == ended[1:]


def test_a_room_without_jobs(run: Run, room: str) -> None:
    assert run("jobs", room).out == f"No jobs in room {room} yet.\n"


def test_a_job_is_shown_with_its_history(run: Run, ended: list[str]) -> None:
    shown = run("job", ended[0])

    assert shown.code == 0
    assert f"id                 {ended[0]}" in shown.out
    assert shown.out.count("attempt 1  by") == 3


def test_a_job_is_shown_as_json(run: Run, ended: list[str]) -> None:
    job = run("job", ended[0], "--json").json

    assert job["result"]["text"] == "ab"
    assert [step["status"] for step in job["history"]] == ["pending", "assigned", "running", "completed"]


def test_an_unknown_job_is_an_error(run: Run) -> None:
    cancelled = run("cancel", "0190-none")

    assert (cancelled.code, cancelled.complaint) == (
        1,
        "there is no job 0190-none: none of your last jobs has an id that begins so",
    )


def test_a_job_that_has_ended_cannot_be_cancelled(run: Run, ended: list[str]) -> None:
    refused = run("cancel", ended[0])

    assert refused.code == 1
    assert "completed" in refused.complaint
