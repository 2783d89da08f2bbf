"""Accounts, tokens and pairing, from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from support.command_line import Ran, Start, workroom
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

SCRIPT = """
from workroom import Extension

class Double(Extension, category="analysis"):
    number: int = 1

    def run(self):
        return 2 * self.number
"""


def login(server: ServerProcess, **body: str) -> httpx.Response:
    return httpx.post(f"{server.url}/api/login", json=body)


def operate(server: ServerProcess, *arguments: str, words: str = "") -> Ran:
    """Run a command that needs access to the data directory."""
    return workroom(*arguments, "--data-dir", str(server.data_dir), stdin=words)


def test_an_account_is_added_and_its_password_and_role_are_changed(server: ServerProcess) -> None:
    added = operate(server, "user", "add", "Grace", "--password-stdin", words="correct horse\n")
    assert (added.code, added.out) == (0, "Added grace, user.\n")
    assert login(server, name="grace", password="correct horse").json()["role"] == "user"

    changed = operate(server, "user", "passwd", "grace", "--password-stdin", words="battery staple\n")
    assert changed.code == 0
    assert login(server, name="grace", password="correct horse").status_code == 401

    raised = operate(server, "user", "role", "grace", "admin")
    assert (raised.code, raised.out) == (0, "grace now has the role admin.\n")
    assert login(server, name="grace", password="battery staple").json()["role"] == "admin"

    assert operate(server, "user", "disable", "grace").code == 0
    assert login(server, name="grace", password="battery staple").status_code == 401
    assert operate(server, "user", "enable", "grace").code == 0
    assert login(server, name="grace", password="battery staple").status_code == 200
    assert "grace" in operate(server, "user", "list").out


@pytest.mark.parametrize(
    ("arguments", "words", "complaint"),
    [
        (
            ("user", "add", "eve"),
            "",
            "cannot prompt for the password without a terminal: use --password-stdin",
        ),
        (("user", "add", "eve", "--password-stdin"), "short\n", "a password needs at least 8 characters"),
        (("user", "passwd", "nobody", "--password-stdin"), "long enough\n", "there is no account 'nobody'"),
        (("token", "revoke", "nobody"), "", "there is no account 'nobody'"),
    ],
)
def test_a_failed_command_prints_one_line(
    server: ServerProcess, arguments: tuple[str, ...], words: str, complaint: str
) -> None:
    ran = operate(server, *arguments, words=words)

    assert ran.code in (1, 2)
    assert ran.complaint == complaint


def test_accounts_can_be_made_before_the_server_runs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()

    ran = workroom("user", "add", "ada", "--password-stdin", "--data-dir", str(data), stdin="correct horse\n")

    assert (ran.code, ran.out) == (0, "Added ada, user.\n")
    with ServerProcess(data) as server:
        assert login(server, name="ada", password="correct horse").json()["role"] == "user"


def test_a_directory_without_data_is_refused(tmp_path: Path) -> None:
    ran = workroom("user", "list", "--data-dir", str(tmp_path / "nothing"))

    assert ran.code == 1
    assert "is not a data directory" in ran.complaint


def test_a_machine_serves_everybody_with_its_token_until_it_is_revoked(
    server: ServerProcess, start: Start, tmp_path: Path
) -> None:
    script = tmp_path / "double.py"
    script.write_text(SCRIPT)
    token = operate(server, "token", "create", "gpu-box").out.strip()

    worker = start("worker", str(script), "--public", WORKROOM_URL=server.url, WORKROOM_TOKEN=token)
    worker.wait_for("Serving analysis/Double in every room")
    operate(server, "token", "revoke", "gpu-box")

    worker.wait_for("the server no longer accepts this token")
    eventually(lambda: not worker.is_alive, 30, "the worker's end")


def test_a_code_makes_a_laptop_a_worker_of_one_room_once(
    server: ServerProcess, start: Start, tmp_path: Path, room: str
) -> None:
    script = tmp_path / "double.py"
    script.write_text(SCRIPT)
    token = login(server, name="nina").json()["token"]
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}) as ada:
        room = f"{room}-private"
        ada.post("/api/rooms", json={"name": room, "private": True}).raise_for_status()
        code = ada.post(f"/api/rooms/{room}/pair", json={}).json()["code"]

        worker = start("join", code.lower(), str(script), WORKROOM_URL=server.url)
        worker.wait_for(f"Serving analysis/Double in room {room}")
        answer = ada.post(
            f"/api/rooms/{room}/extensions/analysis/Double/submit?wait=30", json={"data": {"number": 21}}
        )

    assert answer.json()["result"] == 42
    again = workroom("join", code, str(script), WORKROOM_URL=server.url)
    assert again.code == 1
    assert "this code is not valid, or was used" in again.complaint


def test_the_admin_link_logs_in_and_the_token_is_stored(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", rooms="lab") as server:
        link = f"{server.url}/#login={server.admin_code}"

        first, again = workroom("login", link), workroom("login", link)
        rooms = workroom("jobs", "lab", WORKROOM_URL=server.url, WORKROOM_USER="admin")

    assert (first.code, first.out) == (0, f"Logged in to {server.url} as admin (admin). Use --user admin.\n")
    assert again.code == 1
    assert "this code is not valid, or was used" in again.complaint
    assert rooms.code == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], "'nonsense' is not a link like http://127.0.0.1:8000/#login=…"),
        ([], "pass the admin link, or --user"),
    ],
)
def test_logging_in_without_a_link_or_a_user_is_an_error(arguments: list[str], complaint: str) -> None:
    ran = workroom("login", *arguments)

    assert (ran.code, ran.complaint) == (2, complaint)


def test_logging_in_with_a_password_stores_a_token(server: ServerProcess) -> None:
    ran = workroom("login", "--user", "admin", "--password", ADMIN_PASSWORD, WORKROOM_URL=server.url)

    assert (ran.code, ran.out) == (0, f"Logged in to {server.url} as admin (admin). Use --user admin.\n")


def test_logging_out_revokes_the_stored_token(server: ServerProcess) -> None:
    at: dict[str, Any] = {"WORKROOM_URL": server.url, "WORKROOM_USER": "admin"}
    workroom("login", "--password", ADMIN_PASSWORD, **at)
    out, again = workroom("logout", **at), workroom("logout", **at)

    assert (out.code, out.out) == (0, f"admin is logged out of {server.url}.\n")
    assert again.code == 1
    assert "admin is not logged in to" in again.complaint


def test_logging_out_everywhere_ends_every_login(server: ServerProcess) -> None:
    operate(server, "user", "add", "everywhere", "--password-stdin", words="correct horse\n")
    token = login(server, name="everywhere", password="correct horse").json()["token"]
    at: dict[str, Any] = {"WORKROOM_URL": server.url, "WORKROOM_USER": "everywhere"}
    out = workroom("logout", "--all", "--password", "correct horse", **at)

    assert (out.code, out.out) == (0, f"everywhere is logged out of {server.url}, everywhere.\n")
    me = httpx.get(f"{server.url}/api/users/me", headers={"Authorization": f"Bearer {token}"})
    assert me.status_code == 401


def test_whoami_shows_the_account_and_its_use_of_quotas(server: ServerProcess) -> None:
    at: dict[str, Any] = {"WORKROOM_URL": server.url, "WORKROOM_USER": "whoever"}
    stranger = workroom("whoami", **at)
    operate(server, "user", "add", "whoever", "--password-stdin", words="correct horse\n")
    shown = workroom("whoami", "--password", "correct horse", **at)

    assert stranger.code == 1
    assert "whoever is not logged in to" in stranger.complaint
    assert shown.out.startswith(f"whoever (user) at {server.url}\nrooms ")
    assert "0 of 200\n" in shown.out
    usage = workroom("whoami", "--password", ADMIN_PASSWORD, "--json", WORKROOM_URL=server.url).json["usage"]
    assert usage["rooms"]["limit"] is None


def test_a_machines_token_is_printed_with_its_expiry(server: ServerProcess) -> None:
    created = operate(server, "token", "create", "brief-box", "--days", "2")

    assert created.out.count("\n") == 1
    assert created.error.startswith("It expires at 20")
