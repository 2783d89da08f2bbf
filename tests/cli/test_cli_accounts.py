"""Who may come in: people, machines and pairing, as an operator types them."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from shell import Ran, Start, workroom

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
    """A command of whoever can read the server's data."""
    return workroom(*arguments, "--data-dir", str(server.data_dir), stdin=words)


def test_a_person_gets_a_password_another_one_and_another_role(server: ServerProcess) -> None:
    added = operate(server, "user", "add", "Grace", "--password-stdin", words="correct horse\n")
    assert (added.code, added.out) == (0, "Added grace, user.\n")
    assert login(server, name="grace", password="correct horse").json()["role"] == "user"

    changed = operate(server, "user", "passwd", "grace", "--password-stdin", words="battery staple\n")
    assert changed.code == 0
    assert login(server, name="grace", password="correct horse").status_code == 401

    raised = operate(server, "user", "role", "grace", "admin")
    assert (raised.code, raised.out) == (0, "grace is admin now.\n")
    assert login(server, name="grace", password="battery staple").json()["role"] == "admin"

    assert operate(server, "user", "disable", "grace").code == 0
    assert login(server, name="grace", password="battery staple").status_code == 401
    assert operate(server, "user", "enable", "grace").code == 0
    assert login(server, name="grace", password="battery staple").status_code == 200
    assert "grace" in operate(server, "user", "list").out


@pytest.mark.parametrize(
    ("arguments", "words", "complaint"),
    [
        (("user", "add", "eve"), "", "there is nobody to ask for the password: use --password-stdin"),
        (("user", "add", "eve", "--password-stdin"), "short\n", "a password has at least 8 characters"),
        (("user", "passwd", "nobody", "--password-stdin"), "long enough\n", "there is no account 'nobody'"),
        (("token", "revoke", "nobody"), "", "there is no account 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
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
    assert "there is no server's data in" in ran.complaint


def test_a_machine_serves_everybody_with_its_token_until_it_is_revoked(
    server: ServerProcess, start: Start, tmp_path: Path
) -> None:
    script = tmp_path / "double.py"
    script.write_text(SCRIPT)
    token = operate(server, "token", "create", "gpu-box").out.strip()

    worker = start("worker", str(script), "--public", WORKROOM_URL=server.url, WORKROOM_TOKEN=token)
    worker.says("Serving analysis/Double in every room")
    operate(server, "token", "revoke", "gpu-box")

    worker.says("the server does not take this token any more")
    eventually(lambda: not worker.is_alive, 30, "the worker's end")


def test_a_code_makes_a_laptop_a_worker_of_one_room_once(
    server: ServerProcess, start: Start, tmp_path: Path, room: str
) -> None:
    script = tmp_path / "double.py"
    script.write_text(SCRIPT)
    token = login(server, name="nina").json()["token"]
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}) as ada:
        ada.post("/api/rooms", json={"name": room, "private": True}).raise_for_status()
        code = ada.post(f"/api/rooms/{room}/pair", json={}).json()["code"]

        worker = start("join", code.lower(), str(script), WORKROOM_URL=server.url)
        worker.says(f"Serving analysis/Double in room {room}")
        answer = ada.post(
            f"/api/rooms/{room}/extensions/analysis/Double/submit?wait=30", json={"data": {"number": 21}}
        )

    assert answer.json()["result"] == 42
    again = workroom("join", code, str(script), WORKROOM_URL=server.url)
    assert again.code == 1
    assert "this code is not valid, or was used" in again.complaint


def test_the_link_makes_an_admin_who_is_remembered_here(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        link = f"{server.url}/#login={server.admin_code}"

        first, again = workroom("login", link), workroom("login", link)
        rooms = workroom("jobs", "lab", WORKROOM_URL=server.url, WORKROOM_USER="admin")

    assert (first.code, first.out) == (0, f"You are admin (admin) at {server.url}: say --user admin.\n")
    assert again.code == 1
    assert "this code is not valid, or was used" in again.complaint
    assert rooms.code == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], "'nonsense' is not a link like http://127.0.0.1:8000/#login=…"),
        ([], "give the admin's link, or --user"),
    ],
)
def test_logging_in_with_nothing_to_show_is_a_mistake(arguments: list[str], complaint: str) -> None:
    ran = workroom("login", *arguments)

    assert (ran.code, ran.complaint) == (2, complaint)


def test_a_password_is_remembered_as_a_token(server: ServerProcess) -> None:
    ran = workroom("login", "--user", "admin", "--password", ADMIN_PASSWORD, WORKROOM_URL=server.url)

    assert (ran.code, ran.out) == (0, f"You are admin (admin) at {server.url}: say --user admin.\n")
