"""Frames to messages: each array is copied once, so that the caller may change it afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgpack

from workroom.runtime.frames.arrays import Cells, Value, cells_of, numpy
from workroom.runtime.frames.known_arrays import KnownArrays
from workroom.runtime.frames.message import Block, Column, ColumnKind, encode, place

if TYPE_CHECKING:
    from workroom.runtime.frames.arrays import Array

PIECE_BYTES = 4 * 2**20
MIN_REF_BYTES = 256  # of an array that later messages may refer to
_MAX_REPEATED_BYTES = (
    2**16
)  # that are repeated when an array turns out to differ between the frames of a block
_MAX_FRAMES = 4096  # of a message: a reader of one frame decodes the whole directory
_MAX_DIRECTORY_BYTES = 2**18
_SMALL_BYTES = 2**16  # of an array of which a copy is compared, which is faster
_NUMBER_BYTES = 9
_COLUMN_BYTES = 32  # of a column in the directory, about
_UNCHECKED = frozenset({float, bool, type(None)})  # types of plain values that need no check
_INT64 = range(-(2**63), 2**63)
_GROWTH = 16  # at first: few frames must not reserve much, and many should not be copied often
Part: TypeAlias = "bytes | memoryview"


@dataclass(frozen=True, slots=True)
class Message:
    """An encoded message: its parts are sent one after the other. `shared` are the digests of its SAMEs."""

    parts: tuple[Part, ...]
    count: int
    size: int
    shared: tuple[str, ...] = ()


class _Arrays:
    """The arrays of one key of a block: one while all are the same."""

    def __init__(self, first: Array) -> None:
        self._rows: Array = first[None].copy()
        self._is_same = True
        self._first = first.tobytes() if first.nbytes <= _SMALL_BYTES else b""
        self.nbytes = first.nbytes

    def is_changed_by(self, array: Array) -> bool:
        """Whether this array is the first that differs."""
        return self._is_same and not self._is_first(array)

    def _is_first(self, array: Array) -> bool:
        """Compare bits, so that NaN is equal to itself and 0.0 is not to -0.0."""
        if self._first or not self.nbytes:
            return array.tobytes() == self._first
        return bool((_octets(array) == _octets(self._rows[0, ...])).all())

    def is_alike(self, array: Any) -> bool:
        """Whether this is an array that fits as it is."""
        rows = self._rows
        is_array = type(array) is type(rows) and array.dtype is rows.dtype
        return is_array and array.shape == rows.shape[1:] and array.flags.c_contiguous

    def begin(self, count: int, most: int) -> None:
        """Begin to keep an array for each frame: `count` were the same, and there may be `most`."""
        self._is_same = False
        first = self._rows[0, ...]
        self._grow(count, most)
        self._rows[:count] = first

    def add(self, array: Array, count: int, most: int) -> int:
        """Add an array after `count` others. Return the bytes that the message grows by."""
        if self._is_same:
            return 0
        if count == len(self._rows):
            self._grow(count, most)
        self._rows[count] = array
        return self.nbytes

    def _grow(self, count: int, most: int) -> None:
        capacity = max(count + count // 4 + 1, min(_GROWTH * (count + 1), most))
        rows = numpy().empty((capacity, *self._rows.shape[1:]), self._rows.dtype)
        kept = min(len(self._rows), count)
        rows[:kept] = self._rows[:kept]
        self._rows = rows

    def column(self, key: str, count: int, known: KnownArrays) -> tuple[Column, Part, str]:
        """The column without its offset, its buffer, and its digest if it may be referred to."""
        dtype, shape = self._rows.dtype.str, self._rows.shape[1:]
        if not self._is_same:
            return Column(key, ColumnKind.STACK, dtype, shape), _buffer(self._rows[:count]), ""
        row = _buffer(self._rows[0, ...])
        digest = hashlib.sha256(row).hexdigest() if self.nbytes >= MIN_REF_BYTES else ""
        if digest and digest in known:
            return Column(key, ColumnKind.REF, dtype, shape, digest=digest), b"", ""
        if count == 1 and not (digest and known.repeats(key, digest)):
            return Column(key, ColumnKind.STACK, dtype, shape), row, ""
        return Column(key, ColumnKind.SAME, dtype, shape), row, digest


class _Values:
    """The plain values of one key of a block."""

    def __init__(self, first: Value) -> None:
        self._packed: bytes = msgpack.packb(first.value)
        self._is_same = True
        self._values = [first.value]
        self.nbytes = len(self._packed)

    def add(self, value: Any) -> int:
        """Return the bytes that the directory grows by, about."""
        self._values.append(value)
        if self._is_same or isinstance(value, str | list | dict):
            packed = msgpack.packb(value)
            self._is_same = self._is_same and packed == self._packed
            return len(packed)
        return _NUMBER_BYTES

    def column(self, key: str) -> Column:
        if self._is_same:
            return Column(key, ColumnKind.VALUE, values=self._values[0])
        return Column(key, ColumnKind.VALUES, values=self._values)


class _OpenBlock:
    """A block that grows while the frames have the same keys, dtypes and shapes."""

    def __init__(self, cells: Cells) -> None:
        self._signature = _signature(cells)
        self._keys = list(cells)
        self.count = 1
        self._values = {key: _Values(cell) for key, cell in cells.items() if isinstance(cell, Value)}
        self._arrays = {key: _Arrays(cell) for key, cell in cells.items() if not isinstance(cell, Value)}
        self.buffer_bytes = sum(each.nbytes for each in self._arrays.values())
        self.directory_bytes = sum(_COLUMN_BYTES + len(key) for key in cells)
        self.directory_bytes += sum(each.nbytes for each in self._values.values())
        self._row_bytes = 0  # of the arrays that differ between frames
        self._most = 0  # frames that fit in a piece, about

    def add(self, cells: Cells) -> bool:
        """Add a frame if it fits."""
        if _signature(cells) != self._signature:
            return False
        return self._add({key: each.value if type(each) is Value else each for key, each in cells.items()})

    def add_alike(self, frame: Any) -> bool:
        """Add a frame that needs no conversion, if it fits: most frames are like the one before."""
        if type(frame) is not dict or list(frame) != self._keys:
            return False
        if not all(_is_number(frame[key]) for key in self._values):
            return False
        if not all(column.is_alike(frame[key]) for key, column in self._arrays.items()):
            return False
        return self._add(frame)

    def _add(self, given: dict[str, Any]) -> bool:
        """Add arrays and plain values. A long block ends where an array changes that was the same so far."""
        changed = [key for key, column in self._arrays.items() if column.is_changed_by(given[key])]
        if changed and not self._begin(changed):
            return False
        count = self.count
        for key, column in self._arrays.items():
            self.buffer_bytes += column.add(given[key], count, self._most)
        for key, values in self._values.items():
            self.directory_bytes += values.add(given[key])
        self.count += 1
        return True

    def _begin(self, changed: Iterable[str]) -> bool:
        row_bytes = sum(self._arrays[key].nbytes for key in changed)
        if row_bytes * (self.count - 1) > _MAX_REPEATED_BYTES:
            return False
        self._row_bytes += row_bytes
        self._most = PIECE_BYTES // max(1, self._row_bytes) + 2
        self.buffer_bytes += row_bytes * (self.count - 1)
        for key in changed:
            self._arrays[key].begin(self.count, self._most)
        return True

    def columns(self, known: KnownArrays) -> Iterator[tuple[Column, Part, str]]:
        for key in self._signature:
            if key in self._values:
                yield self._values[key].column(key), b"", ""
            else:
                yield self._arrays[key].column(key, self.count, known)


class MessageBuilder:
    """Collects frames for one message."""

    def __init__(self) -> None:
        self._blocks: list[_OpenBlock] = []
        self._ended_bytes = self._ended_directory_bytes = 0  # of all blocks but the last
        self.count = 0

    @property
    def size(self) -> int:
        """The bytes of the message, about."""
        last = self._blocks[-1]
        return self._ended_bytes + last.buffer_bytes + last.directory_bytes

    @property
    def is_full(self) -> bool:
        directory_bytes = self._ended_directory_bytes + self._blocks[-1].directory_bytes
        is_directory_full = directory_bytes >= _MAX_DIRECTORY_BYTES or self.count >= _MAX_FRAMES
        return is_directory_full or self.size >= PIECE_BYTES

    def add(self, frame: Any) -> None:
        """Copy a frame. Raises TypeError or ValueError for one that messages cannot hold."""
        if not (self._blocks and self._blocks[-1].add_alike(frame)):
            cells = cells_of(frame)
            if not (self._blocks and self._blocks[-1].add(cells)):
                self._open(_OpenBlock(cells))
        self.count += 1

    def _open(self, block: _OpenBlock) -> None:
        if self._blocks:
            self._ended_bytes = self.size
            self._ended_directory_bytes += self._blocks[-1].directory_bytes
        self._blocks.append(block)

    def message(self, known: KnownArrays) -> Message:
        """Encode what was collected. Arrays that the server has are referred to."""
        columns = [list(block.columns(known)) for block in self._blocks]
        buffers = [(column, part) for each in columns for column, part, _ in each if _has_buffer(column)]
        offsets = iter(place([memoryview(part).nbytes for _, part in buffers]))
        blocks = [
            Block(block.count, tuple(_placed(column, offsets) for column, _, _ in each))
            for block, each in zip(self._blocks, columns, strict=True)
        ]
        parts = tuple(encode(blocks, [part for _, part in buffers]))
        shared = tuple(digest for each in columns for _, _, digest in each if digest)
        return Message(parts, self.count, sum(memoryview(part).nbytes for part in parts), shared)


def encode_frames(frames: Iterable[Any]) -> bytes:
    """One message with all these frames."""
    builder = MessageBuilder()
    for frame in frames:
        builder.add(frame)
    return b"".join(builder.message(KnownArrays()).parts)


def _signature(cells: Cells) -> dict[str, Any]:
    return {key: None if isinstance(cell, Value) else (cell.dtype, cell.shape) for key, cell in cells.items()}


def _is_number(value: Any) -> bool:
    """Whether this is a plain value that needs no conversion."""
    return type(value) in _UNCHECKED or (type(value) is int and value in _INT64)


def _has_buffer(column: Column) -> bool:
    return column.kind in (ColumnKind.STACK, ColumnKind.SAME)


def _placed(column: Column, offsets: Iterator[int]) -> Column:
    if not _has_buffer(column):
        return column
    return Column(column.key, column.kind, column.dtype, column.shape, next(offsets))


def _buffer(array: Array) -> Part:
    """The bytes of a contiguous array, not copied."""
    return _octets(array).data if array.nbytes else b""


def _octets(array: Array) -> Array:
    return array.reshape(-1).view("u1")
