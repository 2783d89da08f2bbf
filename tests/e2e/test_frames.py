"""Frames survive lost replies, closed connections and the death of the server; JavaScript reads them."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support.chaos.history import Journal
from support.chaos.proxy import FaultProxy
from support.frames import frame, large_frames, numbers
from workroom import Room
from workroom.testing.fixtures import OpenRoom, StartServer
from workroom.testing.guests import guest_token
from workroom.testing.processes import ServerProcess, eventually

READER = Path(__file__).parents[1] / "js" / "frames.mjs"


@pytest.fixture
def proxy(workroom_server: ServerProcess, tmp_path: Path) -> Iterator[FaultProxy]:
    port = int(workroom_server.url.rpartition(":")[2])
    with FaultProxy(port, journal=Journal(tmp_path / "journal")) as proxy:
        yield proxy


@pytest.fixture
def ada(proxy: FaultProxy) -> Iterator[Room]:
    """A room behind the proxy."""
    with Room("demo", proxy.url, user="ada") as room:
        room.state.list()
        yield room


@pytest.mark.parametrize("act", ["append", "insert", "assign", "extend"])
def test_an_edit_whose_reply_is_lost_has_its_effect_once(proxy: FaultProxy, ada: Room, act: str) -> None:
    ada.frames.extend([frame(0), frame(1)])
    proxy.swallow(b'"version":')
    acts = {
        "append": lambda: ada.frames.append(frame(7)),
        "insert": lambda: ada.frames.insert(1, frame(7)),
        "assign": lambda: ada.frames.__setitem__(slice(0, 1), [frame(7)]),
        "extend": lambda: ada.frames.extend(large_frames(20)),
    }
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(acts[act])
        eventually(lambda: proxy.swallowed, what="a lost reply")
        proxy.heal()
        proxy.cut_all()
        acting.result(60)

    expected = {
        "append": [0, 1, 7],
        "insert": [0, 7, 1],
        "assign": [7, 1],
        "extend": [0, 1, *range(20)],
    }
    assert numbers(ada.frames.iterate(keys=["info.number"])) == expected[act]
    assert len(ada.versions()) == 2


def test_an_extend_survives_closed_connections(proxy: FaultProxy, ada: Room) -> None:
    proxy.cut_after(2_000_000, 14_000_000, seed=5)
    proxy.cut_all()

    ada.frames.extend(large_frames(60))

    proxy.heal()
    assert proxy.seen["cut"] > 1
    proxy.cut_all()
    assert numbers(ada.frames.iterate(keys=["info.number"])) == list(range(60))
    assert len(ada.versions()) == 1


def test_an_extend_survives_the_death_of_the_server(start_server: StartServer, open_room: OpenRoom) -> None:
    server = start_server()
    room = open_room(server)
    room.state.list()
    restarting = threading.Thread(target=server.restart)

    def generate() -> Iterator[Any]:
        for number, each in enumerate(large_frames(40)):
            if number == 25:
                server.kill()
                restarting.start()
            yield each

    room.frames.extend(generate())

    restarting.join(60)
    assert numbers(room.frames.iterate(keys=["info.number"])) == list(range(40))
    assert len(room.versions()) == 1
    server.kill()
    server.restart()
    assert room.frames[39]["positions"].tobytes() == frame(39, 20_000)["positions"].tobytes()


def test_javascript_reads_frames_without_copies(workroom_server: ServerProcess, open_room: OpenRoom) -> None:
    room = open_room(workroom_server)
    room.frames.extend([*(frame(number) for number in range(3)), {"name": "wäter", "list": [1, -300, None]}])
    token = guest_token(workroom_server.url, "ada")
    url = f"{workroom_server.url}/api/rooms/demo/frames/data?start=1"

    done = subprocess.run(["node", str(READER), url, token], capture_output=True, text=True, check=True)

    read = json.loads(done.stdout)
    one, two, named = read["frames"]
    assert (one["positions"]["shape"], one["positions"]["data"]) == ([3, 3], [1 / 7] * 9)
    assert (two["positions"]["data"], two["info.number"]) == ([2 / 7] * 9, 2)
    assert two["numbers"]["data"] == [0, 1, 2]
    assert named == {"name": "wäter", "list": [1, -300, None]}
    assert read["headers"] == {"frames-length": "4", "frames-selected": "3", "frames-count": "3"}
    assert not read["copied"]
