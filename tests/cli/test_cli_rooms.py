"""A room is created when somebody says so; a mistyped name is not a new room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from support.command_line import Run, Start, workroom
from workroom.testing.guests import guest_token
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

TOOL = """
from workroom import Extension


class Mine(Extension, category="analysis"):
    def run(self):
        return 1
"""


def post(server: ServerProcess, token: str, path: str, body: Any) -> Any:
    answer = httpx.post(f"{server.url}{path}", json=body, headers={"Authorization": f"Bearer {token}"})
    answer.raise_for_status()
    return answer.json()


def test_a_mistyped_room_is_not_created_and_the_right_one_is_named(run: Run, room: str) -> None:
    typed = f"{room}x"
    ran = run("submit", typed, "analysis/Echo", "text=hi")

    assert ran.code == 1
    assert ran.complaint == f"There is no room '{typed}'. Did you mean '{room}'? Create it with --create."
    assert f"There is no room '{typed}'." in run("jobs", typed).complaint


def test_a_room_is_created_with_the_create_option(run: Run, room: str) -> None:
    new = f"{room}-new"
    first = run("submit", new, "analysis/Echo", "text=hi", "--wait", "--create")
    again = run("submit", new, "analysis/Echo", "text=hi", "--wait", "--create")

    assert (first.code, again.code) == (0, 0)
    assert len(run("jobs", new).out.splitlines()) == 3


def test_no_hidden_room_is_suggested(server: ServerProcess, run: Run) -> None:
    created = workroom(
        "submit", "secret-lab", "analysis/Echo", "text=hi", "--create",
        WORKROOM_URL=server.url, WORKROOM_USER="eve",
    )  # fmt: skip
    assert created.code == 0
    private = {"name": "secret-lair", "private": True}
    post(server, guest_token(server.url, "eve"), "/api/rooms", private)

    assert "Did you mean 'secret-lab'?" in run("jobs", "secret-laib").complaint
    assert "'secret-lair'" not in run("jobs", "secret-lairs").complaint


def test_a_worker_serves_a_missing_room_only_when_it_may_create_it(
    server: ServerProcess, run: Run, start: Start, room: str, tmp_path: Path
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text(TOOL)
    new = f"{room}-served"
    refused = run("worker", str(tool), "--room", new)
    assert refused.code == 1
    assert f"There is no room '{new}'." in refused.complaint
    assert refused.complaint.endswith("Create it with --create.")

    started = start("worker", str(tool), "--room", new, "--create", "--url", server.url)
    started.wait_for(f"Serving analysis/Mine in room {new}.")


def test_a_machine_cannot_create_a_room(server: ServerProcess) -> None:
    login = httpx.post(f"{server.url}/api/login", json={"name": "admin", "password": ADMIN_PASSWORD}).json()
    token = post(server, login["token"], "/api/tokens", {"name": "gpu-box"})["token"]
    ran = workroom(
        "worker", "support.extensions.samples:Echo", "--room", "nowhere-yet", "--create",
        WORKROOM_URL=server.url, WORKROOM_TOKEN=token,
    )  # fmt: skip

    assert ran.code == 1
    assert "There is no room 'nowhere-yet', and it cannot be created: " in ran.complaint
    assert "a machine" in ran.complaint


def test_inviting_prints_a_link_with_which_others_join(server: ServerProcess, run: Run, room: str) -> None:
    ran = run("invite", room, "--uses", "1")

    assert (ran.code, ran.error) == (0, "")
    address, _, invite = ran.out.strip().partition("#")
    name, _, code = invite.partition("/")
    assert (address, name) == (f"{server.url}/join", room)
    joined = post(server, guest_token(server.url, "bob"), f"/api/rooms/{name}/members", {"code": code})
    assert (joined["name"], joined["role"]) == (room, "member")


def test_a_link_for_viewing_makes_viewers_of_a_private_room(
    server: ServerProcess, run: Run, room: str
) -> None:
    refused = run("invite", room, "--role", "viewer")
    assert (refused.code, "make it private" in refused.complaint) == (1, True)
    post(server, guest_token(server.url, "ada"), "/api/rooms", {"name": f"{room}-b", "private": True})
    ran = run("invite", f"{room}-b", "--role", "viewer")

    code = ran.out.strip().rpartition("/")[2]
    bob = guest_token(server.url, "bob")
    assert post(server, bob, f"/api/rooms/{room}-b/members", {"code": code})["role"] == "viewer"
