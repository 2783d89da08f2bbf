"""What becomes of an extension when its last worker leaves, as the setting says."""

from __future__ import annotations

from support.extensions.samples import Echo
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer


def test_without_a_linger_an_extension_leaves_with_its_last_worker(
    start_server: StartServer, open_room: OpenRoom
) -> None:
    server = start_server(extension_linger=0)
    with Room("demo", server.url, user="worker") as worker:
        worker.register(Echo)
        assert _names(open_room(server)) == ["Echo"]

    assert _names(open_room(server)) == []


def _names(room: Room) -> list[str]:
    return [each["name"] for each in room.extensions() if each["scope"] == "room"]
