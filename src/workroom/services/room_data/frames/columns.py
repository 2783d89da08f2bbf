"""Plain values of many frames at once. They are in the directories of pieces, so no blob is read."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from workroom.domain.room_data.frame_selection import Selection
from workroom.domain.room_data.frames import Run
from workroom.errors import InvalidRequest
from workroom.runtime.frames import message
from workroom.runtime.frames.message import Block, Column, ColumnKind
from workroom.services.room_data.frames.assembly import Part, parts_of
from workroom.services.room_data.frames.directory import StoredPiece
from workroom.services.room_data.frames.indexes import IndexedFrames
from workroom.services.room_data.frames.pieces import Pieces
from workroom.services.room_data.frames.reading import FrameReader, ReadFrames

_BATCH = 256
"""Pieces whose directories are in memory at the same time."""
_MAX_BYTES = 32_000_000


class _Missing:
    """Stands for the value of a frame that does not have the key."""


_MISSING = _Missing()


class FrameColumns:
    def __init__(self, pieces: Pieces, reader: FrameReader, max_values: int) -> None:
        self._pieces = pieces
        self._reader = reader
        self._max_values = max_values

    async def read(
        self, room: str, frames: IndexedFrames, selection: Selection, keys: Sequence[str]
    ) -> ReadFrames:
        positions = selection.positions(frames.index.length)
        if len(positions) * len(keys) > self._max_values:
            raise InvalidRequest(
                f"one request may ask for {self._max_values:,} values; this one asks for "
                f"{len(positions) * len(keys):,}: ask for fewer frames or keys",
                max_values=self._max_values,
            )
        values = _Values(keys)
        async for runs in self._reader.runs(room, frames.index, positions):
            for batch in _batches(runs):
                stored = await self._pieces.find(room, [run.piece for run in batch])
                await self._reader.in_thread(partial(values.add, batch, stored))
        content = await self._reader.in_thread(partial(_encode, values.found, len(positions)))
        return ReadFrames(content, frames.version, frames.index.length, len(positions), len(positions))


def _batches(runs: Sequence[Run]) -> Iterator[list[Run]]:
    return (list(runs[at : at + _BATCH]) for at in range(0, len(runs), _BATCH))


class _Values:
    """The values of each key, in the order of the frames."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.found: dict[str, list[Any]] = {key: [] for key in keys}
        self._left = _MAX_BYTES

    def add(self, runs: Sequence[Run], stored: Mapping[str, StoredPiece]) -> None:
        for run in runs:
            for part in parts_of(run, stored[run.piece]):
                columns = {column.key: column for column in part.block.columns if not column.dtype}
                for key, values in self.found.items():
                    values.extend(self._of(columns.get(key), part))

    def _of(self, column: Column | None, part: Part) -> list[Any]:
        if column is None:
            return [_MISSING] * part.count
        if column.kind is ColumnKind.VALUE:
            self._count(_weight(column.values) * part.count)
            return [column.values] * part.count
        chosen = range(part.first, part.first + part.count * part.step, part.step)
        values = [column.values[each] for each in chosen]
        self._count(sum(_weight(value) for value in values))
        return values

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise InvalidRequest(
                f"the texts and lists of one request may have {_MAX_BYTES:,} bytes: ask for fewer frames",
                max_bytes=_MAX_BYTES,
            )


def _weight(value: Any) -> int:
    """The bytes of a value that is no number."""
    if isinstance(value, str):
        return len(value)
    return len(orjson.dumps(value)) if isinstance(value, list | dict) else 0


@dataclass(frozen=True, slots=True)
class _Encoded:
    column: Column
    buffer: bytes = b""


def _encode(values: Mapping[str, list[Any]], count: int) -> bytes:
    if not values or not count:
        return b"".join(message.encode([], []))
    encoded = [_encoded(key, found) for key, found in values.items()]
    stacks = [each for each in encoded if each.column.dtype]
    offsets = iter(message.place([len(each.buffer) for each in stacks]))
    columns = tuple(_at(each.column, offsets) for each in encoded)
    return b"".join(message.encode([Block(count, columns)], [each.buffer for each in stacks]))


def _encoded(key: str, values: list[Any]) -> _Encoded:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return _stack(key, "|b1", struct.pack(f"<{len(values)}?", *values))
    if kinds == {int}:
        return _stack(key, "<i8", struct.pack(f"<{len(values)}q", *values))
    if kinds - {_Missing} in ({bool}, {int}, {float}, {int, float}):
        numbers = [math.nan if value is _MISSING else value for value in values]
        return _stack(key, "<f8", struct.pack(f"<{len(values)}d", *numbers))
    plain = [None if value is _MISSING else value for value in values]
    return _Encoded(Column(key, ColumnKind.VALUES, values=plain))


def _stack(key: str, dtype: str, buffer: bytes) -> _Encoded:
    return _Encoded(Column(key, ColumnKind.STACK, dtype), buffer)


def _at(column: Column, offsets: Iterator[int]) -> Column:
    return Column(column.key, column.kind, column.dtype, (), next(offsets)) if column.dtype else column
