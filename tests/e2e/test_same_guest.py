"""A guest stays the same guest, whatever happens to its token."""

from __future__ import annotations

import secrets
import stat
from pathlib import Path

import pytest

from workroom import Room
from workroom.client.transport.identity import state_dir
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import ServerProcess, eventually


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKROOM_STATE_DIR", str(tmp_path / "state"))
    return state_dir()


def user_of(room: Room) -> str:
    room.post("me")
    return str(room.chat()[0]["user"])


def test_a_worker_whose_token_is_no_longer_valid_goes_on_as_the_same_guest(
    start_server: StartServer, start_worker: StartWorker, open_room: OpenRoom
) -> None:
    """A server that cannot verify its own tokens: its clock or its key was changed."""
    server = start_server(signing_key=secrets.token_hex(32))
    worker = start_worker(server, "support.extensions.samples:Echo")
    room = open_room(server)
    before = user_of(room)
    (known,) = room.workers()

    server.restart(signing_key=secrets.token_hex(32))

    job = room.submit_named("analysis", "Echo", {"text": "again"})
    assert job.result(timeout=30)
    assert user_of(room) == before
    assert [each["id"] for each in room.workers()] == [known["id"]]
    assert worker.is_alive
    assert "Traceback" not in worker.log.read_text()


def test_a_lost_token_costs_no_name(workroom_server: ServerProcess, state: Path) -> None:
    name = f"ada{secrets.token_hex(3)}"
    with Room("demo", workroom_server.url, user=name) as room:
        assert user_of(room) == name

    (state / "tokens.json").unlink()

    with Room("demo", workroom_server.url, user=name) as room:
        assert user_of(room) == name
    assert stat.S_IMODE((state / "secrets.json").stat().st_mode) == 0o600


def test_a_taken_name_is_reported(
    workroom_server: ServerProcess, state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    name = f"ada{secrets.token_hex(3)}"
    with Room("demo", workroom_server.url, user=name) as room:
        user_of(room)
    for file in state.iterdir():
        file.unlink()

    with Room("demo", workroom_server.url, user=name) as room:
        assert user_of(room) == f"{name}-2"

    assert f"the name '{name}' is taken: you are '{name}-2' there" in caplog.messages


def test_the_order_of_the_addresses_does_not_matter(workroom_server: ServerProcess, state: Path) -> None:
    name, url = f"ada{secrets.token_hex(3)}", workroom_server.url
    nobody = "http://127.0.0.1:9"
    with Room("demo", f"{url},{nobody}", user=name) as room:
        eventually(lambda: user_of(room) == name)
    with Room("demo", f"{nobody},{url}", user=name) as room:
        assert user_of(room) == name
