"""Frames wherever they are stored: in SQLite or Valkey, with blobs on disk, in memory or in an S3 store."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count

import numpy as np
import pytest

from support.frame_messages import RoomFrames, encode, numbered
from support.stores.s3 import s3_bucket
from support.users import LoopThread, Person, the_problem
from workroom.testing.processes import ServerProcess
from workroom.testing.valkey import Valkey

_numbers = count(1)


@pytest.fixture(scope="module", params=["valkey", "memory", "s3"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as stack:
        settings = {}
        if request.param == "valkey":
            valkey = Valkey(folder / "valkey")
            valkey.start()
            stack.callback(valkey.stop)
            settings = {"store": valkey.url, "signing_key": "a key of sixteen letters or more"}
        elif request.param == "memory":
            settings = {"storage": "memory://frames"}
        else:
            settings = {"storage": f"{stack.enter_context(s3_bucket())}/frames"}
        yield stack.enter_context(ServerProcess(folder / "server", **settings))


@pytest.fixture
def frames(place: ServerProcess, loop_thread: LoopThread) -> Iterator[RoomFrames]:
    person = Person(loop_thread, place.url, f"ada-{next(_numbers)}")
    yield RoomFrames(person, person.create_room(f"place-{next(_numbers)}"))
    person.close()


def test_frames_are_edited_like_a_list_and_read(frames: RoomFrames) -> None:
    model = list(range(12))
    frames.append(*model[:6])
    frames.append(*model[6:])
    frames.edit("insert", numbered(100, 101), at=5)
    model[5:5] = [100, 101]
    frames.edit("assign", start=1, stop=4, sources=[{"frames": [None, None, -2]}])
    model[1:4] = model[::-2]
    frames.edit("delete", step=3)
    del model[::3]

    assert frames.numbers() == model
    assert frames.numbers(index="0,-1,2") == [model[0], model[-1], model[2]]
    assert frames.numbers(step=-2) == model[::-2]
    assert frames.summary()["length"] == len(model)


def test_a_long_sequence_is_read_in_parts(frames: RoomFrames) -> None:
    for number in range(3):
        frames.edit("append", numbered(*range(number * 40, number * 40 + 40), atoms=2000))

    assert frames.numbers() == list(range(120))
    assert frames.numbers(start=100, stop=20, step=-9, dtype="f32") == list(range(100, 20, -9))


def test_arrays_are_shared_and_versions_restored(frames: RoomFrames) -> None:
    numbers = np.arange(64)
    frames.post(encode(1, same={"numbers": numbers}, value={"number": 0}))
    for number in range(1, 5):
        content = encode(1, ref={"numbers": numbers}, value={"number": number})
        assert frames.post(content, headers={"Edit-Group": "more"}).status_code == 200

    assert [frame["number"] for frame in frames.read()] == [0, 1, 2, 3, 4]
    assert all((frame["numbers"] == numbers).all() for frame in frames.read())
    room = frames.path.removesuffix("/frames")
    assert frames.person.post(f"{room}/undo").status_code == 200
    assert [frame["number"] for frame in frames.read()] == [0]
    assert frames.person.post(f"{room}/redo").status_code == 200
    assert len(frames.read()) == 5


def test_no_append_of_many_at_once_is_lost(frames: RoomFrames) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda number: frames.post(numbered(number)).status_code, range(24)))

    assert set(answers) == {200}
    assert sorted(frames.numbers()) == list(range(24))


def test_refusals_are_the_same_everywhere(frames: RoomFrames) -> None:
    frames.append(1)
    the_problem(frames.edit("append", sources=[{"piece": "a" * 64}]), 404, "piece_not_found")
    the_problem(frames.post(numbered(2), headers={"If-Match": '"9"'}), 412, "version_conflict")
    the_problem(frames.post(encode(1, ref={"a": np.zeros(64)})), 409, "array_not_found")
    the_problem(frames.get(index="1"), 404, "frame_not_found")
    the_problem(frames.get(version=50), 404, "version_not_found")
