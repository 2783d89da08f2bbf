"""The format of frames as docs/frames.md describes it, read without Workroom's own code."""

from __future__ import annotations

import math
import struct
from typing import Any

import msgpack
import numpy as np

from workroom.runtime.frames.decoder import decode_frames
from workroom.runtime.frames.encoder import encode_frames

_ITEMS = {
    "|b1": "?",
    "|i1": "b",
    "<i2": "h",
    "<i4": "i",
    "<i8": "q",
    "|u1": "B",
    "<u2": "H",
    "<u4": "I",
    "<u8": "Q",
    "<f2": "e",
    "<f4": "f",
    "<f8": "d",
}


def read_message(message: bytes) -> list[dict[str, Any]]:
    """Written from the page alone: arrays are (shape, items)."""
    magic, length = struct.unpack_from("<4sI", message)
    assert magic == b"WRF1"
    directory = msgpack.unpackb(message[8 : 8 + length])
    buffers = (8 + length + 7) // 8 * 8
    frames: list[dict[str, Any]] = []
    for count, columns in directory["blocks"]:
        block: list[dict[str, Any]] = [{} for _ in range(count)]
        for key, kind, *rest in columns:
            for index, frame in enumerate(block):
                frame[key] = _value(message, buffers, kind, rest, index)
        frames += block
    return frames


def _value(message: bytes, buffers: int, kind: str, rest: list[Any], index: int) -> Any:
    if kind == "values":
        return rest[0][index]
    if kind == "value":
        return rest[0]
    dtype, shape, offset = rest
    size = math.prod(shape)
    start = buffers + offset
    if kind == "stack":
        start += index * size * _item_bytes(dtype)
    return tuple(shape), _items(message, dtype, size, start)


def _item_bytes(dtype: str) -> int:
    return int(dtype[2:]) * (4 if dtype[1] == "U" else 1)


def _items(message: bytes, dtype: str, count: int, start: int) -> list[Any]:
    width = _item_bytes(dtype)
    raw = [message[start + at * width : start + (at + 1) * width] for at in range(count)]
    if dtype[1] == "U":
        return [each.decode("utf-32-le").rstrip("\0") for each in raw]
    if dtype[1] == "S":
        return [each.rstrip(b"\0") for each in raw]
    if dtype[1] == "c":
        half = "f" if dtype == "<c8" else "d"
        return [complex(*struct.unpack(f"<2{half}", each)) for each in raw]
    return [struct.unpack(f"<{_ITEMS[dtype]}", each)[0] for each in raw]


def sample() -> list[dict[str, Any]]:
    """Frames with every dtype, in three blocks."""
    first = [
        {
            **{f"array {dtype}": np.array([[1, 0, index]], dtype) for dtype in _ITEMS},
            "complex": np.array([1 + 2j, index], "<c8"),
            "text": np.array(["ä", "water"]),
            "bytes": np.array([b"xy", b""]),
            "numbers": np.arange(3),
            "info.energy": -1.5 * index,
            "info.name": "water",
            "flag": np.array(True),
        }
        for index in range(3)
    ]
    return [*first, {"numbers": np.arange(2), "v": [1, {"a": None}]}, {}]


def _plain(value: Any) -> Any:
    return (value.shape, value.reshape(-1).tolist()) if isinstance(value, np.ndarray) else value


def test_a_message_is_read_from_the_description_alone() -> None:
    frames = sample()

    found = read_message(encode_frames(frames))

    assert found == [{key: _plain(value) for key, value in frame.items()} for frame in frames]


def test_a_message_written_from_the_description_is_read() -> None:
    positions = struct.pack("<6d", *range(6))
    numbers = struct.pack("<3q", 8, 1, 1)
    columns = [
        ["positions", "stack", "<f8", [1, 3], 0],
        ["numbers", "same", "<i8", [3], 48],
        ["info.energy", "values", [-1.5, None]],
        ["info.name", "value", "water"],
    ]
    directory = msgpack.packb({"blocks": [[2, columns]]})
    head = b"WRF1" + struct.pack("<I", len(directory)) + directory
    message = head.ljust(-(-len(head) // 8) * 8, b"\0") + positions + numbers

    one, other = decode_frames(message)

    assert one["positions"].tolist() == [[0.0, 1.0, 2.0]]
    assert other["positions"].tolist() == [[3.0, 4.0, 5.0]]
    assert one["numbers"].tolist() == other["numbers"].tolist() == [8, 1, 1]
    assert (one["info.energy"], other["info.energy"], other["info.name"]) == (-1.5, None, "water")
