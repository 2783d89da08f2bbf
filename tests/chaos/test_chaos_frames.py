"""Frames while writers, the server and the store are killed, replies are lost and the disk is full.

What was acknowledged is there, in order and whole; nothing else is stored once it was collected.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.chaos.history import Journal
from support.chaos.modifiers import Spoil
from support.chaos.proxy import FaultProxy
from support.chaos.stored_frames import check_storage
from support.frames import frame, numbers
from support.readiness import is_ready
from workroom import Room
from workroom.errors import Locked, LockLost, NothingToRevert, StoreUnavailable
from workroom.testing.fixtures import OpenRoom, StartServer, StartWorker
from workroom.testing.processes import Process, ServerProcess, eventually
from workroom.testing.valkey import Valkey

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

KILLS = 4
ATOMS = 20_000  # eight or nine frames fill a piece
PROMPT = {"lease": 2, "grace": 1, "sweep": 0.1, "heartbeat": 0.3}
STORES = ["sqlite", "valkey"]


@pytest.fixture
def store(request: pytest.FixtureRequest, valkey: Valkey) -> str | None:
    """The URL of the store; None for SQLite."""
    return valkey.url if request.param == "valkey" else None


@pytest.fixture
def server(store: str | None, start_server: StartServer) -> ServerProcess:
    return start_server(max_versions=10_000, **PROMPT, **({} if store is None else {"store": store}))


on_both_stores = pytest.mark.parametrize("store", STORES, indirect=True)


@contextmanager
def working(act: Callable[[threading.Event], Any]) -> Iterator[threading.Event]:
    """Run this in a thread until the block ends. Raises what it raises."""
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act, stop)
        try:
            yield stop
        finally:
            stop.set()
        acting.result(120)


def whole_frames(room: Room) -> list[int]:
    """The numbers of all frames. Each frame is as it was written."""
    found = []
    for each in room.frames:
        number, atoms = each["info.number"], len(each["positions"])
        assert each["positions"].tobytes() == frame(number, atoms)["positions"].tobytes()
        assert each["numbers"].tobytes() == frame(number, atoms)["numbers"].tobytes()
        found.append(number)
    return found


def restart(server: ServerProcess, valkey: Valkey, victim: str) -> None:
    if victim == "server":
        server.kill()
        server.restart()
    else:
        valkey.kill()
        valkey.start()


@pytest.mark.parametrize(
    ("store", "victim"), [("sqlite", "server"), ("valkey", "server"), ("valkey", "store")], indirect=["store"]
)
def test_an_extend_outlives_the_server_and_the_store(
    server: ServerProcess, store: str | None, valkey: Valkey, open_room: OpenRoom, victim: str
) -> None:
    room = open_room(server)
    room.state.list()
    given = threading.Semaphore(0)
    chance = random.Random(f"{store} {victim}")
    acknowledged: list[int] = []

    def extend(stop: threading.Event) -> None:
        while not stop.is_set():
            first = sum(acknowledged)
            count = chance.randint(5, 40)
            room.frames.extend(counted(frame(number, ATOMS) for number in range(first, first + count)))
            acknowledged.append(count)

    def counted(frames: Iterator[Any]) -> Iterator[Any]:
        for each in frames:
            given.release()
            yield each

    with working(extend):
        for _ in range(KILLS):
            for _ in range(chance.randint(10, 40)):
                assert given.acquire(timeout=60)
            restart(server, valkey, victim)

    assert whole_frames(room) == list(range(sum(acknowledged)))
    assert len(room.versions(limit=500)) == len(acknowledged)
    check_storage(server, room.name, store)
    assert len(room.frames) == sum(acknowledged)


@on_both_stores
def test_frames_of_a_writer_that_is_killed_are_whole_and_none_is_missing(
    server: ServerProcess, store: str | None, open_room: OpenRoom, tmp_path: Path
) -> None:
    room = open_room(server)
    room.state.list()
    chance = random.Random(store)
    for number in range(KILLS):
        command = [sys.executable, "-m", "support.chaos.frame_writer", server.url, room.name]
        writer = Process(command, {}, tmp_path / f"writer-{number}.log", pipe_output=True)
        acknowledged = 0
        for _ in range(chance.randint(1, 4)):
            assert writer.output is not None
            acknowledged = int(writer.output.readline())
        length = len(room.frames) + chance.randint(0, 15)
        eventually(lambda wanted=length: len(room.frames) >= wanted, 60, "more frames")  # type: ignore[misc]
        writer.kill()
        writer.close()

        found = whole_frames(room)
        assert found == list(range(len(found)))
        assert len(found) >= acknowledged > 0
    check_storage(server, room.name, store)
    assert whole_frames(room)[: len(found)] == found


@on_both_stores
def test_frames_are_appended_once_while_replies_are_lost(
    server: ServerProcess, store: str | None, tmp_path: Path
) -> None:
    port = int(server.url.rpartition(":")[2])
    with (
        FaultProxy(port, journal=Journal(tmp_path / "journal")) as proxy,
        Room("demo", proxy.url, user="ada") as room,
    ):
        room.state.list()
        for number in range(KILLS):
            proxy.swallow((b'"version":', b'"piece":')[number % 2])
            frames = [frame(each, ATOMS) for each in range(number * 20, number * 20 + 20)]
            with ThreadPoolExecutor(1) as pool:
                acting = pool.submit(room.frames.extend, frames)
                eventually(lambda: proxy.swallowed, 60, "a lost reply")
                proxy.heal()
                proxy.cut_all()
                acting.result(120)

        assert whole_frames(room) == list(range(20 * KILLS))
        assert len(room.versions()) == KILLS
    check_storage(server, "demo", store)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(disk)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.fail(f"a small disk cannot be mounted; run this as root: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_an_extend_onto_a_full_disk_keeps_whole_frames_and_goes_on_when_there_is_space(
    start_server: StartServer, open_room: OpenRoom, small_disk: Path, tmp_path: Path
) -> None:
    (small_disk / "data").mkdir()
    (small_disk / "data" / "server.log").symlink_to(tmp_path / "server.log")
    server = start_server(data_dir=small_disk / "data", min_free_bytes=0)
    room, ballast = open_room(server), small_disk / "ballast"
    room.frames.extend(frame(number, ATOMS) for number in range(12))
    for space in (10_000_000, 0):
        with ballast.open("wb", buffering=0) as file:
            fill(file.write, b"x" * 4096)
            file.truncate(file.tell() - space)
        before = len(room.frames)
        with pytest.raises(StoreUnavailable):
            room.frames.extend(frame(number, ATOMS) for number in range(before, before + 40))
        found = whole_frames(room)
        assert found == list(range(len(found)))
        assert len(found) > before if space else len(found) == before
        ballast.unlink()
        is_ready(server, 60)

    room.frames.extend(frame(number, ATOMS) for number in range(len(found), 40))
    assert whole_frames(room) == list(range(40))
    check_storage(server, room.name)
    assert len(room.frames) == 40


def fill(write: Callable[[bytes], Any], content: bytes) -> None:
    try:
        while write(content) == len(content):
            pass
    except OSError:
        return


@on_both_stores
def test_two_writers_without_a_lock_corrupt_no_frame(
    server: ServerProcess, store: str | None, valkey: Valkey, open_room: OpenRoom
) -> None:
    rooms = [open_room(server, user=user) for user in ("ada", "bob")]
    rooms[0].frames.extend(frame(number) for number in range(20))
    done = threading.Semaphore(0)

    def write(place: int, stop: threading.Event) -> None:
        chance, frames = random.Random(f"{store} {place}"), rooms[place].frames
        while not stop.is_set():
            number = chance.randrange(1_000_000) * 2 + place
            acts: list[Callable[[], Any]] = [
                partial(frames.append, frame(number, chance.randint(1, 9))),
                partial(frames.extend, [frame(number, 5), frame(number, 50)]),
                partial(frames.insert, chance.randrange(20), frame(number)),
                partial(frames.__setitem__, slice(3, 6), [frame(number), frame(number)]),
                partial(frames.__delitem__, slice(10, 12)),
                frames.reverse,
            ]
            chance.choice(acts)()
            done.release()

    with working(partial(write, 0)), working(partial(write, 1)):
        for _ in range(KILLS):
            for _ in range(40):
                assert done.acquire(timeout=60)
            restart(server, valkey, "server")

    found = whole_frames(rooms[0])
    assert found == whole_frames(rooms[1])
    assert len(found) == len(rooms[0].frames)
    check_storage(server, "demo", store)
    assert whole_frames(rooms[1]) == found


@on_both_stores
def test_a_holder_whose_lock_is_over_changes_no_frame(server: ServerProcess, open_room: OpenRoom) -> None:
    ada, bob = open_room(server), open_room(server, user="bob")
    with ada.lock("frames", ttl=1) as lock:
        ada.frames.append(frame(0))
        with pytest.raises(Locked):
            bob.frames.append(frame(1))
        server.kill()
        eventually(lambda: lock.is_lost, 60)
        server.restart()
        with bob.lock("frames", timeout=60):
            bob.frames.append(frame(2))
            for act in (partial(ada.frames.append, frame(3)), ada.frames.clear, ada.frames.reverse):
                with pytest.raises(LockLost):
                    act()
        with pytest.raises(LockLost):
            ada.frames.append(frame(4))
    assert whole_frames(ada) == [0, 2]


@on_both_stores
@pytest.mark.parametrize("end", ["fails", "dies"])
def test_a_modifier_that_does_not_complete_leaves_the_room_as_it_was(
    server: ServerProcess, open_room: OpenRoom, start_worker: StartWorker, end: str
) -> None:
    room = open_room(server)
    room.frames.extend(frame(number) for number in range(10))
    room.state["notes"] = "mine"
    worker = start_worker(server, "support.chaos.modifiers:Spoil")
    job = room.submit(Spoil(waits=end == "dies"))
    if end == "dies":
        eventually(lambda: room.state.get("spoiled"), 60, "the edits of the job")
        worker.kill()

    eventually(lambda: job.refresh()["status"] == "failed", 60, "the end of the job")
    eventually(lambda: "spoiled" not in room.state, 60, "the end of its edits")
    assert (whole_frames(room), dict(room.state)) == (list(range(10)), {"notes": "mine"})
    room.frames.append(frame(10))
    assert numbers(room.frames) == list(range(11))


@on_both_stores
def test_ten_edits_by_two_people_undone_end_where_they_began(
    server: ServerProcess, valkey: Valkey, open_room: OpenRoom
) -> None:
    ada, bob = open_room(server), open_room(server, user="bob")
    ada.frames.extend(frame(number) for number in range(10))
    ada.state["notes"] = "first"
    states = []

    def now() -> tuple[list[int], dict[str, Any]]:
        return whole_frames(ada), dict(bob.state)

    edits: list[Callable[[Room], Any]] = [
        lambda room: room.frames.extend(frame(number, ATOMS) for number in range(10, 25)),
        lambda room: room.frames.reverse(),
        lambda room: room.frames.__delitem__(slice(None, None, 2)),
        lambda room: room.frames.__setitem__(slice(1, 3), [frame(90), frame(91), frame(92)]),
        lambda room: room.state.__setitem__("notes", "second"),
    ]
    for number in range(10):
        states.append(now())
        edits[number // 2]((ada, bob)[number % 2])
        if number % 3 == 2:
            restart(server, valkey, "server")
    while states:
        (ada, bob)[len(states) % 2].undo()
        assert now() == states.pop()
    for room in (ada, bob):
        room.undo()
    assert now() == ([], {})
    with pytest.raises(NothingToRevert):
        ada.undo()
