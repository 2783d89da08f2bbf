"""Who the SDK is to the server: the same guest again, for as long as it runs, and no longer than it may."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.extensions.samples import Echo
from support.users import LoopThread, Person, plain_http
from workroom import Room
from workroom.errors import Unauthenticated, WorkroomError
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

_SECONDS = 6


@pytest.fixture(scope="module")
def brief(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Its tokens live for some seconds."""
    days = _SECONDS / 86_400
    with ServerProcess(
        tmp_path_factory.mktemp("brief"), "support.extensions.samples:Nap", token_days=days
    ) as server:
        yield server


def submitter(room: Room) -> str:
    room.submit_named("analysis", "Nap", {})
    return str(room.jobs(limit=1)[0]["user"])


def test_a_guest_is_the_same_guest_in_the_next_process(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def user(state: str) -> str:
        monkeypatch.setenv("WORKROOM_STATE_DIR", str(tmp_path / state))
        with Room("remembered", server.url, user="zoe") as room:
            return submitter(room)

    assert [user("mine"), user("mine"), user("another"), user("mine")] == ["zoe", "zoe", "zoe-2", "zoe"]
    kept = tmp_path / "mine" / "tokens.json"
    assert oct(kept.stat().st_mode & 0o777) == "0o600"


def test_a_worker_outlives_its_first_token(
    brief: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKROOM_STATE_DIR", str(tmp_path))
    with plain_http(brief.url) as http:
        first = http.post("/api/login", json={"name": "worker"}).json()["token"]
        with Room("brief", brief.url, token=first) as room:
            room.register(Echo)
            (before,) = room.workers()
            bearer = {"Authorization": f"Bearer {first}"}
            eventually(lambda: http.get("/api/users/me", headers=bearer).status_code == 401, 60, "its end")

            assert room.submit(Echo(text="still here")).result(timeout=60)["text"] == "still here"
            (after,) = room.workers()
            assert (after["id"], after["user"]) == (before["id"], "worker")


def test_a_worker_whose_token_is_revoked_stops_and_reports_why(
    server: ServerProcess, loop_thread: LoopThread
) -> None:
    root = Person(loop_thread, server.url, "admin", ADMIN_PASSWORD)
    made = root.post("/api/tokens", json={"name": "revoked-machine"}).json()
    ends: list[WorkroomError] = []

    def serve(room: Room) -> None:
        try:
            room.wait()
        except WorkroomError as error:
            ends.append(error)

    room = Room("revoked", server.url, token=made["token"])
    root.post("/api/rooms", json={"name": "revoked"})
    room.register(Echo)
    thread = threading.Thread(target=serve, args=(room,))
    thread.start()
    root.post("/api/token/revoke", json={"user": made["user"]})
    thread.join(60)
    room.close()
    root.close()

    assert [type(end) for end in ends] == [Unauthenticated]
    assert "token" in ends[0].detail
