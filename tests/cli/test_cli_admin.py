"""Commands about the server as a whole, and those that take the beginning of an id."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from support.command_line import Ran, Run, ran, workroom
from support.job_waits import ended_job
from workroom import Extension, JobContext, Room
from workroom.cli import app
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

ACTS = {
    *("worker", "celery", "join", "open", "invite", "login", "logout", "cancel", "undo", "redo"),
    *("frames export", "frames import", "workers accept", "workers refuse", "workers dismiss"),
    *("user add", "user passwd", "user role", "user disable", "user enable"),
    *("token create", "token revoke"),
}


class Keep(Extension, category="analysis"):
    def run(self, job: JobContext) -> None:
        job.save("kept.txt", b"kept")


@pytest.fixture
def admin(server: ServerProcess) -> Run:
    """Run a command as the administrator."""

    def run(*arguments: str) -> Ran:
        return workroom(*arguments, WORKROOM_URL=server.url, WORKROOM_PASSWORD=ADMIN_PASSWORD)

    return run


@pytest.fixture
def job(server: ServerProcess, room: str) -> dict[str, Any]:
    with Room(room, server.url, user="ada") as place:
        return dict(ended_job(place.submit_named("analysis", "Echo", {"text": "a"}), seconds=60))


def test_rooms_tools_users_and_workers_are_listed(admin: Run, run: Run, room: str) -> None:
    assert room in [each["name"] for each in run("rooms", "--json").json]
    assert run("rooms").out.splitlines()[0].split() == ["room", "title", "owner", "access"]
    usage = {each["name"]: each for each in admin("rooms", "--usage", "--json").json}
    assert usage[room]["bytes"] == 0
    assert "size" in admin("rooms", "--usage").out

    assert "analysis/Echo" in run("tools", room).out
    assert {"Echo"} <= {each["name"] for each in run("tools", room, "--json").json}
    assert "run p90" in admin("tools").out

    accounts = {each["name"]: each["role"] for each in admin("users", "--json").json}
    assert (accounts["ada"], accounts["admin"]) == ("guest", "admin")
    assert "guest" in admin("users").out

    (worker,) = [each for each in admin("workers", "--json").json if each["runner"] == "local"]
    assert worker["slots"] == 4
    assert worker["id"] in admin("workers").out


def test_what_is_for_administrators_is_refused_to_others(run: Run) -> None:
    for command in ("users", "top", "audit", "settings", "rooms --usage", "tools", "workers"):
        refused = run(*command.split())
        assert (refused.code, "needs the role admin" in refused.complaint) == (1, True), refused.complaint


def test_top_shows_the_queues_and_the_fleet(admin: Run, job: dict[str, Any]) -> None:
    shown = admin("top", "--once")
    assert shown.code == 0, shown.error
    assert "slots busy" in shown.out
    assert "analysis/Echo" in shown.out

    found = admin("top", "--json").json
    assert set(found) == {"url", "overview", "workers"}
    assert found["overview"]["store_up"]


def test_the_audit_log_and_the_settings_are_listed(admin: Run, server: ServerProcess) -> None:
    added = workroom(
        "user", "add", "grace", "--password-stdin", "--data-dir", str(server.data_dir), stdin="a password\n"
    )
    assert added.code == 0, added.error
    newest = admin("audit", "--json").json[0]
    assert (newest["action"], newest["target"]) == ("user_added", "grace")
    assert "user added" in admin("audit").out

    changed = admin("settings", "--changed", "--json").json
    assert {"sweep", "rooms"} <= {each["name"] for each in changed}
    assert "WORKROOM_LEASE" in admin("settings").out
    assert ADMIN_PASSWORD not in admin("settings", "--json").out


def test_a_job_is_named_by_the_beginning_of_its_id(run: Run, job: dict[str, Any], tmp_path: Path) -> None:
    short = job["id"][:-3]
    assert run("job", short, "--json").json["id"] == job["id"]
    assert run("logs", short).code == 0
    assert "has saved no files" in run("download", short, str(tmp_path)).out

    assert "none of your last jobs" in run("job", "ffffffff").complaint
    too_short = run("job", "01")
    assert (too_short.code, "too short" in too_short.complaint) == (2, True)
    ambiguous = run("job", job["id"][:4])
    assert ambiguous.code == 0 or "begin with" in ambiguous.complaint


def test_the_files_of_a_job_are_downloaded(
    run: Run, server: ServerProcess, room: str, tmp_path: Path
) -> None:
    with Room(room, server.url, user="ada") as place:
        place.register(Keep)
        job = ended_job(place.submit(Keep()), seconds=60)
    first = run("download", job["id"], str(tmp_path))
    assert first.code == 0, first.error
    assert [each.name for each in tmp_path.iterdir()] == ["kept.txt"]
    again = run("download", job["id"], str(tmp_path))
    assert (again.code, "exists" in again.complaint) == (1, True)


def test_the_address_of_a_page_is_printed(
    run: Run, server: ServerProcess, room: str, job: dict[str, Any]
) -> None:
    assert run("open", room, "--print").out == f"{server.url}/rooms/{room}\n"
    address = f"{server.url}/rooms/{room}/jobs/{job['id']}\n"
    assert run("open", job["id"], "--print").out == address
    assert run("open", job["id"][:-2], "--job", "--print").out == address


def test_the_shell_completes_commands_and_options() -> None:
    program = Path(sys.executable).parent / "workroom"

    def complete(*words: str) -> list[str]:
        typed = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
        return ran([str(program)], None, "", _WORKROOM_COMPLETE="complete_bash", **typed).out.split()

    assert complete("workroom", "wor") == ["worker", "workers"]
    assert complete("workroom", "top", "--j") == ["--json"]


def commands(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from commands(each, *names, name)
        else:
            yield " ".join((*names, name)), each


def test_each_command_that_is_no_act_prints_json() -> None:
    """What a command prints for people can be had for programs."""
    found = commands(typer.main.get_command(app))
    without = {name for name, each in found if not any("--json" in part.opts for part in each.params)}

    assert without == ACTS
