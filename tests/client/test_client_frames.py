"""The frames of a room in Python, compared with what a list does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
import pytest

from support.frames import frame, large_frames, numbers, same
from support.sync_rooms import Enter
from workroom import AsyncRoom, Room
from workroom.errors import Locked, VersionNotFound
from workroom.testing.processes import ServerProcess, eventually


@pytest.fixture
def ada(enter: Enter) -> Room:
    return enter("ada")


@pytest.fixture
def bob(enter: Enter, ada: Room) -> Room:
    ada.state.list()  # creates the room
    return enter("bob")


@pytest.fixture
def ten(ada: Room) -> Room:
    """A room with ten frames."""
    ada.frames.extend(frame(number) for number in range(10))
    return ada


def test_a_new_room_has_no_frames(ada: Room) -> None:
    assert (len(ada.frames), list(ada.frames), ada.frames[:], ada.frames[::2]) == (0, [], [], [])
    assert ada.frames.columns("info.number")["info.number"].tolist() == []
    info = ada.frames.info()
    assert (info["length"], info["version"], info["keys"]) == (0, 0, [])
    with pytest.raises(IndexError):
        ada.frames[0]
    with pytest.raises(IndexError):
        ada.frames.pop()
    ada.frames.clear()
    ada.frames.extend([])
    ada.frames = []
    assert len(ada.frames) == 0


def test_frames_are_read_by_index_and_slice(ten: Room, bob: Room) -> None:
    frames = bob.frames

    assert len(frames) == 10
    assert frames[3]["info.number"] == 3
    assert frames[np.int64(-1)]["info.number"] == 9
    assert numbers(frames[7:]) == [7, 8, 9]
    assert numbers(frames[::-3]) == [9, 6, 3, 0]
    assert numbers(frames[100:]) == []
    assert numbers(frames.get([3, -1, 3])) == [3, 9, 3]
    assert numbers(frames.get(np.array([1, 2]))) == [1, 2]
    assert frames.get([]) == []
    assert numbers(reversed(frames)) == list(range(9, -1, -1))
    assert repr(frames) == "<10 frames>"


def test_some_keys_are_read_alone_and_smaller(ten: Room) -> None:
    assert list(ten.frames.get(3, keys=["positions"])) == ["positions"]
    assert ten.frames.get(3, dtype="f32")["positions"].dtype == np.float32
    some = ten.frames.get(slice(2, 4), keys=["info.number"])
    assert some == [{"info.number": 2}, {"info.number": 3}]
    with pytest.raises(ValueError, match="a key with a comma cannot be selected: 'a,b'"):
        ten.frames.get(3, keys=["a,b"])


def test_columns_are_arrays_of_all_frames(ten: Room) -> None:
    ten.frames[4] = {"name": "x"}

    found = ten.frames.columns("info.number", "name")

    np.testing.assert_array_equal(found["info.number"], [0, 1, 2, 3, np.nan, 5, 6, 7, 8, 9])
    assert found["name"] == [None] * 4 + ["x"] + [None] * 5
    assert ten.frames.columns("info.number", at=slice(8, None))["info.number"].tolist() == [8, 9]
    assert ten.frames.columns("info.number", at=slice(None, None, -4))["info.number"].tolist() == [9, 5, 1]


@pytest.mark.parametrize(
    "act",
    [
        lambda items: items[99],
        lambda items: items[-99],
        lambda items: items["a"],
        lambda items: items[1.5],
        lambda items: items[[1, 2]],
        lambda items: items[::0],
        lambda items: items["a":],
        lambda items: items.__setitem__(99, frame(0)),
        lambda items: items.__setitem__(slice(0, 3, 2), [frame(0)]),
        lambda items: items.__setitem__(slice(0, 3, 0), []),
        lambda items: items.__setitem__(slice(0, 3), 5),
        lambda items: items.__delitem__(99),
        lambda items: items.__delitem__("a"),
        lambda items: items.pop(99),
        lambda items: items.pop("a"),
        lambda items: items.insert("a", frame(0)),
        lambda items: items.extend(5),
    ],
)
def test_mistakes_raise_what_a_list_raises(ten: Room, act: Callable[[Any], Any]) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011 - of the list
        act([frame(number) for number in range(10)])
    with pytest.raises(type(expected.value)):
        act(ten.frames)
    assert numbers(ten.frames) == list(range(10))


def test_frames_are_not_compared(ten: Room) -> None:
    for act in (ten.frames.index, ten.frames.count, ten.frames.remove, ten.frames.__contains__):
        with pytest.raises(TypeError, match="frames are not compared"):
            act(frame(3))


def test_frames_are_replaced_repeated_and_reversed_as_a_whole(ten: Room, bob: Room) -> None:
    ten.frames += [frame(10)]  # type: ignore[operator] # mypy does not know properties of two types here
    assert len(bob.frames) == 11
    ten.frames.extend(ten.frames)
    assert numbers(bob.frames) == [*range(11), *range(11)]
    ten.frames = [frame(1), frame(2), frame(3)]
    ten.frames.reverse()
    assert numbers(bob.frames) == [3, 2, 1]
    ten.frames = bob.frames
    ten.frames[1:1] = ten.frames
    assert numbers(bob.frames) == [3, 3, 2, 1, 2, 1]
    ten.frames.clear()
    assert len(bob.frames) == 0


def test_an_extend_of_many_pieces_is_one_version(ada: Room, bob: Room) -> None:
    ada.frames.extend(large_frames(40))

    assert numbers(bob.frames.iterate(keys=["info.number"])) == list(range(40))
    assert len(ada.versions()) == 1
    np.testing.assert_array_equal(bob.frames[33]["positions"], frame(33, 20_000)["positions"])
    bob.undo()
    assert len(ada.frames) == 0
    bob.redo()
    assert len(ada.frames) == 40


def test_frames_of_a_long_extend_are_seen_meanwhile_and_are_one_version(ada: Room, bob: Room) -> None:
    def generate() -> Iterator[Any]:
        yield from islice(frames, 20)
        eventually(lambda: len(bob.frames) > 0)
        yield from frames

    frames = large_frames(40)
    ada.frames.extend(generate())

    (version,) = ada.versions()
    assert version["summary"] == "append frames, +40"
    assert numbers(bob.frames.iterate(keys=["info.number"])) == list(range(40))


def test_frames_of_changing_shape_keys_and_dtype_are_kept(ada: Room) -> None:
    given = [
        {
            "positions": np.random.default_rng(number).random((number % 4, 3)),
            "forces": np.ones(3, ["f4", "f8", "i2"][number % 3]),
            **({"info.name": "x" * number} if number % 5 else {}),
        }
        for number in range(30)
    ]
    ada.frames.extend(given)

    for one, other in zip(ada.frames, given, strict=True):
        assert one.keys() == other.keys()
        assert all(same(one[key], other[key]) for key in other)


@pytest.mark.parametrize("count", [3, 30])
def test_what_an_iterator_yielded_before_it_raised_is_kept(ada: Room, count: int) -> None:
    def generate() -> Iterator[Any]:
        yield from large_frames(count)
        raise KeyError("out of memory")

    with pytest.raises(KeyError, match="out of memory"):
        ada.frames.extend(generate())
    assert len(ada.frames) == count
    with pytest.raises(KeyError):
        ada.frames[:] = generate()
    assert len(ada.frames) == count
    with pytest.raises(TypeError, match="'a' holds a set"):
        ada.frames.extend([frame(0), {"a": {1}}])
    assert len(ada.frames) == count + 1


def test_repeated_arrays_are_sent_once(ada: Room) -> None:
    numbers = np.random.default_rng(0).integers(0, 90, 100_000)
    ada.frames.extend({"numbers": numbers, "positions": np.zeros(3) + index} for index in range(50))
    size = ada.frames.info()["bytes"]
    for index in range(4):
        ada.frames.append({"numbers": numbers, "positions": np.zeros(3) + index})

    assert size < 1_000_000
    assert ada.frames.info()["bytes"] < size + 10_000
    np.testing.assert_array_equal(ada.frames[-1]["numbers"], numbers)


def test_an_array_that_the_server_does_not_have_is_sent_whole(ada: Room, enter: Enter) -> None:
    other = enter("ada", room=f"{ada.name}-other")
    array = np.random.default_rng(1).integers(0, 90, 1000)
    ada.frames.extend([{"numbers": array}] * 2)
    other._room.frames._sender._known = ada._room.frames._sender._known

    other.frames.extend([{"numbers": array}] * 2)
    other.frames.append({"numbers": array})

    assert [same(each["numbers"], array) for each in other.frames] == [True] * 3


def test_an_iteration_shows_the_frames_as_they_were(ada: Room, bob: Room) -> None:
    ada.frames.extend(large_frames(30))
    version = ada.frames.info()["version"]
    found: list[int] = []
    for each in ada.frames:
        if not found:
            bob.frames[20:] = [frame(99)]
        found.append(each["info.number"])

    assert found == list(range(30))
    assert numbers(ada.frames) == [*range(20), 99]
    assert len(ada.frames.get(slice(None), version=version)) == 30
    with pytest.raises(VersionNotFound):
        ada.frames.get(slice(None), version=10_000)


def test_a_version_of_several_pieces_is_read_whole(ada: Room, bob: Room) -> None:
    ada.frames.append(frame(99))
    ada.frames.extend(large_frames(30))
    extended = ada.versions()[0]["number"]
    etag = ada.frames.info()["version"]
    bob.frames.clear()

    for version in (extended, etag):
        assert numbers(bob.frames.get(slice(None), version=version)) == [99, *range(30)]
    assert numbers(bob.frames.get([0, -1], version=extended)) == [99, 29]
    assert numbers(bob.frames.get(slice(None), version=extended - 1)) == [99]
    bob.restore(extended)
    assert numbers(bob.frames) == [99, *range(30)]


def test_two_writers_lose_nothing(ada: Room, bob: Room) -> None:
    def write(number: int) -> None:
        room = (ada, bob)[number % 2]
        if number % 3:
            room.frames.append(frame(number))
        else:
            room.frames.extend([frame(number)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(24)))

    assert sorted(numbers(ada.frames)) == list(range(24))


def test_each_frame_is_popped_by_one_of_two_writers(ten: Room, bob: Room) -> None:
    def pop(number: int) -> int:
        return int((ten, bob)[number % 2].frames.pop(0)["info.number"])

    with ThreadPoolExecutor(4) as pool:
        popped = list(pool.map(pop, range(10)))

    assert sorted(popped) == list(range(10))


def test_a_lock_keeps_others_from_editing(ten: Room, bob: Room) -> None:
    with ten.lock("frames", message="busy"):
        with pytest.raises(Locked):
            bob.frames.append(frame(1))
        ten.frames.append(frame(10))
        del ten.frames[0]

    bob.frames.append(frame(11))
    assert numbers(ten.frames) == list(range(1, 12))


def test_an_interrupted_iteration_ends_its_read_ahead(ada: Room) -> None:
    ada.frames.extend(large_frames(30))
    before = tasks_of(ada)

    assert next(iter(ada.frames))["info.number"] == 0
    assert numbers(each for each, _ in zip(ada.frames, range(3), strict=False)) == [0, 1, 2]
    eventually(lambda: tasks_of(ada) <= before, 10, "the end of the read-ahead")


def tasks_of(room: Room) -> int:
    """How many tasks run in the background of a room."""

    async def count() -> int:
        return len(asyncio.all_tasks())

    return room._loop_thread.call(count())


async def test_the_asyncio_twin_does_the_same(server: ServerProcess, name: str) -> None:
    async def generate() -> AsyncIterator[Any]:
        for number in range(12):
            yield frame(number)

    async with AsyncRoom(name, server.url, user="ada") as room:
        frames = room.frames
        await frames.extend(generate())
        await frames.extend(frame(number) for number in range(12, 14))
        await frames.append(frame(14))
        await frames.insert(0, frame(-1))
        await frames.set(1, frame(100))
        await frames.delete(2)
        await frames.delete(slice(3, 5))
        await frames.assign(slice(-2, None), [frame(50)])

        assert await frames.length() == 12
        assert [each["info.number"] async for each in frames] == [-1, 100, 2, *range(5, 13), 50]
        assert (await frames.get(-1))["info.number"] == 50
        assert numbers(await frames.get(slice(0, 2))) == [-1, 100]
        assert (await frames.columns("info.number"))["info.number"][1] == 100
        assert (await frames.pop())["info.number"] == 50
        await frames.reverse()
        await frames.extend(frames)
        assert (await frames.info())["length"] == 22
        await frames.replace([frame(1)])
        assert numbers([each async for each in frames.iterate(slice(None), keys=["info.number"])]) == [1]
        await frames.clear()
        assert await frames.length() == 0
        with pytest.raises(IndexError):
            await frames.get(0)
        with pytest.raises(IndexError):
            await frames.pop()


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", ">i4", "u8", "f2", ">f4", "f8", "c8", "c16", "U3", "S2"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 0, 3), (2, 1, 3)])
def test_arrays_of_every_kind_come_back_to_the_last_bit(
    ada: Room, dtype: str, shape: tuple[int, ...]
) -> None:
    size = np.dtype(dtype).itemsize * int(np.prod(shape))
    pattern = bytes(range(97, 123)) * 20
    if np.dtype(dtype).kind == "U":
        array = np.full(shape, "äb")
    else:
        array = np.frombuffer(bytes(each % 2 for each in pattern[:size]), dtype).reshape(shape)
    ada.frames.append({"a": array})
    ada.frames.extend([{"a": array}, {"a": array}])

    little = np.asarray(array, array.dtype.newbyteorder("<"))
    assert all(same(each["a"], little) for each in ada.frames)


def test_special_floats_come_back_to_the_last_bit(ada: Room) -> None:
    bits = np.array([0x7FF8000000000123, 0xFFF0000000000001, 0x8000000000000000, 1], "<u8")
    values = [-0.0, float("inf"), 5e-324, 0.1]
    ada.frames.extend({"a": bits.view("<f8"), "v": value, "w": [value]} for value in values)

    assert all(each["a"].tobytes() == bits.tobytes() for each in ada.frames)
    assert [repr(each["v"]) for each in ada.frames] == [repr(value) for value in values]
    assert np.signbit(ada.frames.columns("v")["v"][0])
