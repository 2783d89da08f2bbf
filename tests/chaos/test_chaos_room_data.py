"""Room data while writers, the server and the store are killed: nothing that was acknowledged is lost."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from workroom import Room
from workroom.errors import Locked, LockLost, NothingToRevert, VersionConflict, WorkroomError
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

KILLS = 4
WRITERS = ("ada", "bob", "cleo")


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    valkey = Valkey(tmp_path / "valkey")
    valkey.start()
    yield valkey
    valkey.stop()


@pytest.fixture(params=["sqlite", "valkey"])
def server(request: pytest.FixtureRequest, start_server: StartServer, valkey: Valkey) -> ServerProcess:
    settings: dict[str, Any] = {"store": valkey.url} if request.param == "valkey" else {}
    return start_server(max_versions=10_000, **settings)


@dataclass
class Tally:
    """How many increments were acknowledged, and of how many the outcome is unknown."""

    acknowledged: int = 0
    unknown: int = 0
    guard: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *, is_known: bool) -> None:
        with self.guard:
            self.acknowledged += is_known
            self.unknown += not is_known

    def has(self, acknowledged: int) -> bool:
        return self.acknowledged >= acknowledged


def count_up(room: Room, tally: Tally, stop: threading.Event) -> None:
    """Increment a number again and again: by itself, or under a lock."""
    chance = random.Random(room.name)
    while not stop.is_set():
        try:
            if chance.random() < 0.5:
                room.state.modify("count", lambda value: (value or 0) + 1)
            else:
                with room.lock("count", message="counting", timeout=60, ttl=5):
                    room.state["count"] = (room.state.get("count") or 0) + 1
        except (Locked, LockLost, VersionConflict):
            continue  # nothing was written
        except WorkroomError:
            tally.add(is_known=False)
        else:
            tally.add(is_known=True)


@pytest.mark.parametrize(
    ("server", "victim"),
    [("sqlite", "server"), ("valkey", "server"), ("valkey", "store")],
    indirect=["server"],
)
def test_no_acknowledged_write_is_lost_or_made_twice(
    server: ServerProcess, valkey: Valkey, open_room: OpenRoom, victim: str
) -> None:
    tally, stop = Tally(), threading.Event()
    rooms = [open_room(server, user=user) for user in WRITERS]
    rooms[0].state.list()
    with ThreadPoolExecutor(len(rooms)) as pool:
        writers = [pool.submit(count_up, room, tally, stop) for room in rooms]
        try:
            for _ in range(KILLS):
                wanted = tally.acknowledged + 20
                eventually(partial(tally.has, wanted), 60, "twenty more increments")
                if victim == "server":
                    server.kill()
                    server.restart()
                else:
                    valkey.kill()
                    valkey.start()
        finally:
            stop.set()
        for writer in writers:
            writer.result(120)

    count = rooms[0].state["count"]
    assert tally.acknowledged <= count <= tally.acknowledged + tally.unknown
    for _ in range(count):
        rooms[0].undo()
    with pytest.raises(NothingToRevert):
        rooms[0].undo()
    assert dict(rooms[1].state) == {}


def test_a_holder_that_slept_through_its_lock_writes_nothing(
    server: ServerProcess, open_room: OpenRoom
) -> None:
    """The server is away for longer than the lock lasts: its holder cannot know who wrote meanwhile."""
    ada, bob = open_room(server), open_room(server, user="bob")
    with ada.lock("notes", ttl=1) as lock:
        ada.state["notes"] = "before"
        server.kill()
        eventually(lambda: lock.is_lost, 60)
        server.restart()
        with bob.lock("notes", timeout=60):
            bob.state["notes"] = "by bob"
            with pytest.raises(LockLost):
                ada.state["notes"] = "after"
    assert ada.state["notes"] == "by bob"
