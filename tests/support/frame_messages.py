"""Messages of frames, made and read by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import numpy as np
from blake3 import blake3

from support.users import Person
from workroom.runtime.frames import message
from workroom.runtime.frames.message import Block, Column, ColumnKind

Frame = dict[str, Any]


def name_of(content: bytes) -> str:
    """The name that the server gives to a message."""
    return blake3(content).hexdigest()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def encode(
    count: int,
    *,
    stack: Mapping[str, np.ndarray[Any, Any]] | None = None,
    same: Mapping[str, np.ndarray[Any, Any]] | None = None,
    ref: Mapping[str, np.ndarray[Any, Any]] | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    value: Mapping[str, Any] | None = None,
) -> bytes:
    """A message with one block."""
    arrays = [(key, ColumnKind.STACK, each, each.shape[1:]) for key, each in (stack or {}).items()]
    arrays += [(key, ColumnKind.SAME, each, each.shape) for key, each in (same or {}).items()]
    buffers = [np.ascontiguousarray(each).tobytes() for _, _, each, _ in arrays]
    offsets = message.place([len(each) for each in buffers])
    columns = [
        Column(key, kind, each.dtype.str, shape, offset)
        for (key, kind, each, shape), offset in zip(arrays, offsets, strict=True)
    ]
    columns += [
        Column(key, ColumnKind.REF, each.dtype.str, each.shape, digest=sha256(each.tobytes()))
        for key, each in (ref or {}).items()
    ]
    columns += [Column(key, ColumnKind.VALUES, values=list(each)) for key, each in (values or {}).items()]
    columns += [Column(key, ColumnKind.VALUE, values=each) for key, each in (value or {}).items()]
    return b"".join(message.encode([Block(count, tuple(columns))], buffers))


def numbered(*numbers: int, atoms: int = 3) -> bytes:
    """Frames that know their number, in an array and in a plain value."""
    positions = np.array([np.full((atoms, 3), number, "<f8") for number in numbers]).reshape(-1, atoms, 3)
    return encode(
        len(numbers), stack={"positions": positions}, values={"number": numbers}, value={"kind": "test"}
    )


def decode(content: bytes) -> list[Frame]:
    directory = message.decode(content)
    frames: list[Frame] = []
    for block in directory.blocks:
        for number in range(block.count):
            frames.append(
                {each.key: _value(content, directory.buffers_at, each, number) for each in block.columns}
            )
    return frames


def _value(content: bytes, buffers_at: int, column: Column, number: int) -> Any:
    if column.kind is ColumnKind.VALUE:
        return column.values
    if column.kind is ColumnKind.VALUES:
        return column.values[number]
    at = number if column.kind is ColumnKind.STACK else 0
    start = buffers_at + column.offset + at * column.row_bytes
    return np.frombuffer(content[start : start + column.row_bytes], column.dtype).reshape(column.shape)


class RoomFrames:
    """The frames of a room, as a person sees them."""

    def __init__(self, person: Person, room: str) -> None:
        self.person = person
        self.path = f"/api/rooms/{room}/frames"

    def post(
        self, content: bytes, op: str = "append", *, headers: Any = None, **query: Any
    ) -> httpx.Response:
        return self.person.post(self.path, params={"op": op, **query}, content=content, headers=headers)

    def upload(self, content: bytes, digest: str | None = None) -> httpx.Response:
        return self.person.put(f"{self.path}/pieces/{digest or sha256(content)}", content=content)

    def edit(self, op: str, *pieces: bytes, headers: Any = None, **fields: Any) -> httpx.Response:
        """Upload the pieces and edit the frames with them."""
        for content in pieces:
            assert self.upload(content).status_code in (200, 201)
        if op != "delete":
            fields.setdefault("sources", [{"piece": sha256(each)} for each in pieces])
        return self.person.post(f"{self.path}/edit", json={"op": op, **fields}, headers=headers)

    def append(self, *numbers: int) -> None:
        assert self.post(numbered(*numbers)).status_code == 200

    def get(self, **query: Any) -> httpx.Response:
        return self.person.get(f"{self.path}/data", params=query)

    def read(self, **query: Any) -> list[Frame]:
        """All selected frames, in as many requests as it takes."""
        frames: list[Frame] = []
        while True:
            response = self.get(**query, after=len(frames))
            assert response.status_code == 200, response.text
            found = decode(response.content)
            assert len(found) == int(response.headers["frames-count"])
            frames += found
            if len(frames) >= int(response.headers["frames-selected"]):
                return frames

    def numbers(self, **query: Any) -> list[int]:
        """The numbers of the frames, each as its array and its plain value have it."""
        frames = self.read(**query)
        for frame in frames:
            assert (frame["positions"] == frame["number"]).all()
        return [frame["number"] for frame in frames]

    def summary(self) -> Any:
        return self.person.get(self.path).json()
