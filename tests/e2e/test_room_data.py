"""Room data survives the death of a lock's holder and of the server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workroom import Room
from workroom.errors import Locked
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.processes import ServerProcess


@contextmanager
def holder(server: ServerProcess, room: str, target: str, ttl: float) -> Iterator[subprocess.Popen[str]]:
    """A process that holds a lock."""
    command = [sys.executable, "-m", "support.lock_holder", server.url, room, target, str(ttl)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_the_lock_of_a_killed_process_expires(start_server: StartServer, open_room: OpenRoom) -> None:
    server = start_server()
    ada = open_room(server)
    ada.state.list()
    with holder(server, "demo", "notes", ttl=2) as process:
        with pytest.raises(Locked) as raised:
            ada.state["notes"] = "by ada"
        assert (raised.value.fields["holder"], raised.value.fields["message"]) == ("holder", "busy")
        process.kill()
        with ada.lock("notes", timeout=60) as lock:
            assert lock.fence == 2
            ada.state["notes"] = "by ada"

    assert ada.state["notes"] == "by ada"
    ada.undo()
    assert ada.state["notes"] == "by the holder"


def test_locks_and_documents_outlive_a_killed_server(start_server: StartServer, open_room: OpenRoom) -> None:
    server = start_server()
    ada, bob = open_room(server), open_room(server, user="bob")
    with ada.lock("notes", message="mine") as lock:
        ada.state["notes"] = 1
        server.kill()
        server.restart()
        ada.state["notes"] = 2
        assert _refusal(bob) == "mine"
        assert not lock.is_lost

    bob.state["notes"] = 3
    assert [each["user"] for each in bob.versions()] == ["bob", "ada", "ada"]
    for _ in range(3):
        bob.undo()
    assert dict(ada.state) == {}


def _refusal(room: Room) -> str:
    with pytest.raises(Locked) as raised:
        room.state["notes"] = 5
    return str(raised.value.fields["message"])
