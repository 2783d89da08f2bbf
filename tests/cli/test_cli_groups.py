"""`workroom groups` and `group`."""

from __future__ import annotations

import httpx
import pytest

from support.command_line import Run, workroom
from support.extensions.samples import Break, Echo
from workroom import Room
from workroom.testing.guests import guest_token
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

HOSTILE = "all of [/it] \x1b[2J"


@pytest.fixture
def group(server: ServerProcess, room: str) -> str:
    """A group of a job that completed and of one that failed."""
    with Room(room, server.url, user="ada") as place:
        found = place.submit_many([Echo(text="ab"), Break()], title=HOSTILE)
        found.wait(60)
        return found.id


def test_groups_are_listed_with_titles_that_cannot_command_the_terminal(
    run: Run, room: str, group: str
) -> None:
    titles, line = run("groups", room).out.splitlines()

    assert titles.split() == ["group", "title", "jobs", "user", "created"]
    assert line.split()[0] == group
    assert "all of [/it] ?[2J" in line
    assert "2 jobs, 1 completed, 1 failed" in line
    assert [each["id"] for each in run("groups", room, "--json").json] == [group]


def test_the_failed_jobs_of_a_group_are_retried(run: Run, group: str) -> None:
    shown = run("group", group)
    retried = run("group", group, "retry", "--wait")

    assert shown.out.splitlines() == [f"group {group} all of [/it] ?[2J", "2 jobs, 1 completed, 1 failed"]
    assert (retried.code, retried.error) == (1, "1 jobs retried\n")
    assert "2 jobs, 1 completed, 1 failed" in retried.out


def test_the_groups_of_a_private_room_are_listed_with_a_password(server: ServerProcess) -> None:
    token = guest_token(server.url, "ada")
    created = httpx.post(
        f"{server.url}/api/rooms",
        json={"name": "cli-groups-private", "private": True},
        headers={"Authorization": f"Bearer {token}"},
    )
    listed = workroom("groups", "cli-groups-private", "--password", ADMIN_PASSWORD, WORKROOM_URL=server.url)

    assert created.status_code == 201
    assert (listed.code, listed.out) == (0, "No groups in room cli-groups-private yet.\n")


def test_a_job_is_submitted_for_later_or_behind_others(run: Run, room: str, group: str) -> None:
    delayed = run("submit", room, "analysis/Echo", "--delay", "600", "--json").json
    dated = run("submit", room, "analysis/Echo", "--run-at", "2026-12-31 12:00:00", "--json").json
    behind = run("submit", room, "analysis/Echo", "--after", delayed["id"], "--after", group, "--json").json
    skipped = run("submit", room, "analysis/Echo", "--after", group, "--wait")

    for later in (delayed, dated):
        assert run("job", later["id"], "--json").json["waiting_for"]["code"] == "run_at"
    assert run("job", behind["id"], "--json").json["status"] == "cancelled"
    assert skipped.code != 0
    assert group in skipped.error + skipped.out
