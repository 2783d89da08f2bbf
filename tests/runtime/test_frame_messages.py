"""Messages of frames: what is encoded is decoded, and nothing that is not correct is accepted."""

from __future__ import annotations

import struct
from typing import Any

import msgpack
import pytest

from workroom.errors import InvalidFrames
from workroom.runtime.frames.message import Block, Column, ColumnKind, decode, encode, place


def _message(blocks: Any, buffers: bytes = b"") -> bytes:
    directory: bytes = msgpack.packb({"blocks": blocks})
    head = struct.pack("<4sI", b"WRF1", len(directory)) + directory
    return head + bytes(-len(head) % 8) + buffers


def test_what_is_encoded_is_decoded() -> None:
    offsets = place([48, 1])
    columns = (
        Column("positions", ColumnKind.STACK, "<f8", (1, 3), offsets[0]),
        Column("pbc", ColumnKind.SAME, "|b1", (), offsets[1]),
        Column("numbers", ColumnKind.REF, "<i8", (3,), digest="a" * 64),
        Column("info.energy", ColumnKind.VALUES, values=[1.5, None]),
        Column("info.name", ColumnKind.VALUE, values="Wasser"),
    )
    message = b"".join(encode([Block(2, columns)], [bytes(range(48)), b"\x01"]))

    directory = decode(message)

    assert directory.blocks == (Block(2, columns),)
    assert directory.count == 2
    assert message[directory.buffers_at :][:48] == bytes(range(48))
    assert directory.buffers_at % 8 == 0
    assert message[directory.buffers_at + offsets[1]] == 1


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"WRF2" + bytes(4),
        b"WRF1" + struct.pack("<I", 2**31),
        b"WRF1" + struct.pack("<I", 3) + b"\xc1\xc1\xc1",
        b"WRF1" + struct.pack("<I", 4000) + b"\x91" * 4000,
        _message({}),
        _message([[0, []]]),
        _message([[True, []]]),
        _message([[1, [["a", "stack", "<f8", [1], 0]]]]),
        _message([[1, [["a", "stack", "<f8", [1], 4]]]], bytes(16)),
        _message([[1, [["a", "stack", "<f8", [1], -8]]]], bytes(16)),
        _message([[2, [["a", "stack", "<f8", [1], 0]]]], bytes(8)),
        _message([[1, [["a", "stack", "O8", [1], 0]]]], bytes(8)),
        _message([[1, [["a", "stack", ">f8", [1], 0]]]], bytes(8)),
        _message([[1, [["a", "stack", "<f8", [-1], 0]]]], bytes(8)),
        _message([[1, [["a", "stack", "<f8", [1] * 9, 0]]]], bytes(8)),
        _message([[1, [["a", "stack", "<f8", [2**31 - 1] * 8, 0]]]], bytes(8)),
        _message([[1, [["a", "value", 1], ["a", "value", 2]]]]),
        _message([[1, [["", "value", 1]]]]),
        _message([[1, [["a\n", "value", 1]]]]),
        _message([[1, [["a" * 129, "value", 1]]]]),
        _message([[2, [["a", "values", [1]]]]]),
        _message([[1, [["a", "ref", "<f8", [1], "zz"]]]]),
        _message([[1, [["a", "other", 1]]]]),
        _message([[1, [[str(each), "value", 1] for each in range(1001)]]]),
    ],
)
def test_a_wrong_message_is_refused(message: bytes) -> None:
    with pytest.raises(InvalidFrames):
        decode(message)
