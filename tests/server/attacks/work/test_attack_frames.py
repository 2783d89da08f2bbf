"""Frames that are made to harm: lies, bombs, other rooms' data, and limits at their edges."""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgpack
import numpy as np
import pytest

from support.frame_messages import RoomFrames, decode, encode, name_of, numbered, sha256
from support.users import LoopThread, Person, extension, the_problem
from workroom.runtime.frames import message
from workroom.runtime.frames.message import Block, Column, ColumnKind
from workroom.testing.processes import ServerProcess


@pytest.fixture
def frames(ada: Person, room: str) -> RoomFrames:
    return RoomFrames(ada, room)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with low limits."""
    limits = {
        "max_piece": 70_000,
        "max_directory": 5000,
        "max_frame_keys": 5,
        "max_frames": 10,
        "max_frame_indices": 3,
        "max_column_values": 20,
    }
    with ServerProcess(tmp_path_factory.mktemp("small"), **limits) as server:
        yield server


@pytest.fixture
def limited(small: ServerProcess, loop_thread: LoopThread) -> Iterator[RoomFrames]:
    person = Person(loop_thread, small.url, "ada")
    room = person.create_room(f"room-{sha256(str(id(person)).encode())[:12]}")
    yield RoomFrames(person, room)
    person.close()


def packed(directory: Any, buffers: bytes = b"") -> bytes:
    """A message with any directory."""
    encoded: bytes = msgpack.packb(directory)
    head = struct.pack("<4sI", b"WRF1", len(encoded)) + encoded
    return head + bytes(message.aligned(len(head)) - len(head)) + buffers


def block(*columns: Any, count: Any = 1) -> dict[str, Any]:
    return {"blocks": [[count, list(columns)]]}


NESTED: Any = []
for _ in range(300):
    NESTED = [NESTED]

FALSE_MESSAGES = {
    "nothing": b"",
    "another magic": b"PK\x03\x04" + bytes(100),
    "a directory beyond the end": struct.pack("<4sI", b"WRF1", 4_000_000),
    "no msgpack": struct.pack("<4sI", b"WRF1", 4) + b"\xc1\xc1\xc1\xc1",
    "no frames": packed({"blocks": []}),
    "no blocks": packed([1, 2]),
    "other fields": packed({"blocks": [], "more": 1}),
    "a negative count": packed(block(count=-1)),
    "a count of true": packed(block(count=True)),
    "a billion frames": packed(block(["a", "value", 1], count=10**9)),
    "a key twice": packed(block(["a", "value", 1], ["a", "value", 2])),
    "a long key": packed(block(["a" * 129, "value", 1])),
    "a control character": packed(block(["a\x00", "value", 1])),
    "an odd dtype": packed(block(["a", "same", "object", [], 0])),
    "big endian": packed(block(["a", "same", ">f8", [1], 0]), bytes(8)),
    "a huge shape": packed(block(["a", "same", "<f8", [2**31 - 1] * 8, 0]), bytes(8)),
    "a negative size": packed(block(["a", "same", "<f8", [-1], 0]), bytes(8)),
    "nine dimensions": packed(block(["a", "same", "<f8", [1] * 9, 0]), bytes(8)),
    "beyond the buffers": packed(block(["a", "same", "<f8", [2], 0]), bytes(8)),
    "before the buffers": packed(block(["a", "same", "<f8", [1], -8]), bytes(8)),
    "not aligned": packed(block(["a", "same", "|i1", [1], 1]), bytes(8)),
    "overlapping stacks": packed(block(*([f"k{n}", "same", "<f8", [4], 0] for n in range(3))), bytes(32)),
    "too few values": packed(block(["a", "values", [1]], count=2)),
    "deep lists": packed(block(["a", "value", NESTED])),
    "bytes": packed(block(["a", "value", b"x"])),
    "numbers as keys": packed(block(["a", "value", {1: 2}])),
    "a large number": packed(block(["a", "value", 2**64 - 1])),
    "a long text": packed(block(["a", "value", "x" * 64_001])),
    "a large list": packed(block(["a", "value", [0] * 40_000])),
    "no digest": packed(block(["a", "ref", "<f8", [1], "../../etc"])),
    "an ext type": packed(block(["a", "value", msgpack.ExtType(5, b"x")])),
}


@pytest.mark.parametrize("name", FALSE_MESSAGES)
def test_a_false_message_is_refused_and_nothing_is_stored(frames: RoomFrames, name: str) -> None:
    content = FALSE_MESSAGES[name]

    the_problem(frames.post(content), 422, "invalid_frames")
    the_problem(frames.upload(content), 422, "invalid_frames")
    for piece in (name_of(content), sha256(content)):
        assert frames.person.request("HEAD", f"{frames.path}/pieces/{piece}").status_code == 404
    assert frames.summary()["version"] == 0


def test_overlapping_arrays_of_many_blocks_are_not_digested(frames: RoomFrames) -> None:
    """Each block takes all of the buffers but a few bytes: digesting all would take hours."""
    size = 4_000_000
    blocks = [[1, [["a", "same", "|i1", [size - 8 * n], 8 * n]]] for n in range(5000)]

    the_problem(frames.post(packed({"blocks": blocks}, bytes(size))), 422, "invalid_frames")


def test_an_array_of_another_room_is_unknown(frames: RoomFrames, ada: Person) -> None:
    numbers = np.arange(100)
    other = RoomFrames(ada, ada.create_room("other-" + frames.path.split("/")[3]))
    other.post(encode(1, same={"numbers": numbers}))

    the_problem(frames.post(encode(1, ref={"numbers": numbers})), 409, "array_not_found")


def test_a_piece_of_another_room_is_unknown(frames: RoomFrames, bob: Person) -> None:
    content = numbered(1)
    private = bob.create_room("private-" + frames.path.split("/")[3], private=True)
    RoomFrames(bob, private).post(content)

    piece = name_of(content)
    assert frames.person.request("HEAD", f"{frames.path}/pieces/{piece}").status_code == 404
    problem = the_problem(frames.edit("append", sources=[{"piece": piece}]), 404, "piece_not_found")
    assert problem["pieces"] == [piece]
    the_problem(RoomFrames(frames.person, private).get(index="0"), 404, "room_not_found")


def test_a_reference_cannot_read_beyond_its_array(frames: RoomFrames) -> None:
    numbers = np.arange(100)
    frames.post(encode(1, same={"numbers": numbers, "secret": np.arange(1000)}))
    digest = sha256(numbers.tobytes())
    for shape in ([101], [99], [2**31 - 1, 2**31 - 1]):
        longer = packed(block(["numbers", "ref", "<i8", shape, digest]))
        the_problem(frames.post(longer), 422, "invalid_frames")

    other = packed(block(["numbers", "ref", "<f4", [10, 20], digest]))
    assert frames.post(other).status_code == 200
    assert frames.read(index="1")[0]["numbers"].tobytes() == numbers.tobytes()


def test_a_frame_made_of_many_large_references_is_refused(frames: RoomFrames) -> None:
    large = np.zeros(1_000_000)
    frames.post(encode(1, same={"a": large}))

    many = encode(1, ref={f"k{number}": large for number in range(3)})
    the_problem(frames.post(many), 422, "invalid_frames")


def test_a_body_that_ends_early_stores_nothing(frames: RoomFrames, server: ServerProcess) -> None:
    content = numbered(*range(50))
    address = urlsplit(server.url)
    for length in (len(content) + 1000, 10_000_000):
        with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
            head = [
                f"POST {frames.path}?op=append HTTP/1.1",
                f"Host: {address.netloc}",
                f"Authorization: Bearer {frames.person.token}",
                f"Content-Length: {length}",
            ]
            connection.sendall("\r\n".join([*head, "", ""]).encode() + content)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(20)
            assert b" 200 " not in connection.recv(1000)
    assert frames.summary()["version"] == 0


def test_a_body_without_a_length_is_stored(frames: RoomFrames) -> None:
    content = numbered(1, 2)
    parts = iter([content[:50], content[50:]])

    response = frames.person.post(frames.path, params={"op": "append"}, content=parts)
    assert response.json()["length"] == 2
    assert frames.numbers() == [1, 2]


def test_a_job_that_has_ended_writes_nothing(frames: RoomFrames, room: str, ada: Person) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    item = worker.take()
    worker.start(item)
    headers = {"Authorization": f"Bearer job.{item['job_id']}.{item['attempt']}.{item['token']}"}
    assert frames.post(numbered(1), headers=headers).status_code == 200
    assert frames.summary()["job_id"] == item["job_id"]

    worker.finish(item, result=1)
    the_problem(frames.post(numbered(2), headers=headers), 401, "unauthenticated")
    assert frames.numbers() == [1]


def test_a_message_has_a_limit_of_bytes_keys_and_directory(limited: RoomFrames) -> None:
    def sized(size: int) -> bytes:
        empty = len(encode(1, same={"a": np.zeros(1, "|i1")}))
        return encode(1, same={"a": np.zeros(size - empty + 8, "|i1")})

    assert len(sized(70_000)) == 70_000
    assert limited.post(sized(70_000)).status_code == 200
    problem = the_problem(limited.post(sized(70_008)), 413, "body_too_large")
    assert problem["max_bytes"] == 70_000
    the_problem(limited.upload(sized(70_008)), 413, "body_too_large")

    assert limited.post(encode(1, value={f"k{n}": 1 for n in range(5)})).status_code == 200
    the_problem(limited.post(encode(1, value={f"k{n}": 1 for n in range(6)})), 422, "invalid_frames")

    room = (
        5000
        - len(message.encode_blocks([Block(1, (Column("k", ColumnKind.VALUE, values="x" * 300),))]))
        + 300
    )
    assert limited.post(encode(1, value={"k": "x" * room})).status_code == 200
    problem = the_problem(limited.post(encode(1, value={"k": "x" * (room + 1)})), 422, "invalid_frames")
    assert problem["max_bytes"] == 5000


def test_a_room_has_a_limit_of_frames(limited: RoomFrames) -> None:
    limited.append(*range(10))
    problem = the_problem(limited.post(numbered(10)), 403, "quota_exceeded")
    assert (problem["quota"], problem["limit"]) == ("frames_per_room", 10)
    the_problem(limited.edit("append", sources=[{"frames": [0, 1, None]}]), 403, "quota_exceeded")
    assert limited.edit("set", numbered(99), at=0).status_code == 200
    assert limited.edit("delete", at=0).json()["length"] == 9


def test_a_request_has_a_limit_of_indices_and_values(limited: RoomFrames) -> None:
    limited.append(*range(10))
    assert limited.numbers(index="0,0,0") == [0, 0, 0]
    the_problem(limited.get(index="0,0,0,0"), 422, "invalid_request")

    path = f"{limited.path}/columns"
    assert limited.person.get(path, params={"keys": "number,b"}).status_code == 200
    problem = the_problem(limited.person.get(path, params={"keys": "a,b,c"}), 422, "invalid_request")
    assert problem["max_values"] == 20
    assert limited.person.get(path, params={"keys": "a,b,c", "stop": 6}).status_code == 200


def test_a_repeated_long_text_is_not_multiplied_in_columns(frames: RoomFrames) -> None:
    frames.post(encode(100_000, value={"text": "x" * 60_000}))

    the_problem(frames.person.get(f"{frames.path}/columns", params={"keys": "text"}), 422, "invalid_request")
    found = frames.person.get(f"{frames.path}/columns", params={"keys": "text", "stop": 500})
    assert len(decode(found.content)) == 500


def test_frames_without_content_are_read_in_parts(frames: RoomFrames) -> None:
    frames.post(encode(300_000, value={"a": 1}))

    first = frames.get()
    assert int(first.headers["frames-selected"]) == 300_000
    assert 1 <= int(first.headers["frames-count"]) <= 100_000
    assert len(first.content) < 1000


def test_hundreds_of_inserts_of_one_frame_stay_quick_to_read(frames: RoomFrames) -> None:
    """Each insert is a run of its own; the index is a list of segments with up to 256 of them."""
    frames.append(*range(1000))
    content = numbered(5000)
    frames.upload(content)
    source = [{"piece": sha256(content)}]
    model = list(range(1000))
    for number in range(300):
        at = (number * 37) % len(model)
        assert frames.edit("insert", at=at, sources=source).status_code == 200
        model.insert(at, 5000)

    assert frames.numbers() == model
    sources = [{"frames": [None, None, 2]}] * 30
    assert frames.edit("append", sources=sources).json()["length"] == 1300 + 30 * 650
    assert frames.numbers(start=1300, stop=1950) == model[::2]


def test_an_edit_of_too_many_parts_is_refused(frames: RoomFrames) -> None:
    frames.post(encode(300_000, value={"a": 1}))

    the_problem(frames.edit("delete", step=2), 422, "invalid_request")
    assert frames.edit("delete", stop=150_000, step=2).json()["length"] == 225_000
    the_problem(frames.edit("append", sources=[{"frames": [0, 1, 1]}] * 1001), 422, "invalid_request")


@pytest.mark.parametrize("index", ["", ",", "1,,2", "1.0", "+1", "٣", "9" * 17, "0x1", " 1"])
def test_an_odd_index_is_refused(frames: RoomFrames, index: str) -> None:
    frames.append(0, 1, 2)

    the_problem(frames.get(index=index), 422, "invalid_request")


def test_many_slow_readers_do_not_fill_the_memory(
    frames: RoomFrames, server: ServerProcess, bob: Person
) -> None:
    """A user who takes nothing waits for their own memory; others are served."""
    for number in range(4):
        frames.edit("append", numbered(*range(number * 40, number * 40 + 40), atoms=1000))
    address = urlsplit(server.url)
    request = (
        f"GET {frames.path}/data HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: Bearer {frames.person.token}\r\n\r\n"
    ).encode()
    connections = [socket.create_connection((address.hostname, address.port)) for _ in range(40)]
    try:
        for connection in connections:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request)
        other = RoomFrames(bob, frames.path.split("/")[3])
        assert len(other.numbers(start=0, stop=50)) == 50
        served, _, _ = select.select(connections, [], [], 0)
        assert 0 < len(served) < len(connections)
    finally:
        for connection in connections:
            connection.close()
    assert len(frames.numbers()) == 160
