"""Frames to messages: each array is copied once, so that the caller may change it afterwards."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from workroom.runtime.frames.arrays import Value, cells_of, numpy, same_bytes
from workroom.runtime.frames.message import Block, Column, ColumnKind, encode, place

if TYPE_CHECKING:
    from workroom.runtime.frames.arrays import Array

PIECE_BYTES = 4 * 2**20
MIN_SHARED_BYTES = 256  # of an array that later messages may refer to
_MAX_KNOWN = 4096
_MAX_REPEATED_BYTES = (
    2**16
)  # that are repeated when an array turns out to differ between the frames of a block
_MAX_FRAMES = 4096  # of a message: a reader of one frame decodes the whole directory
_MAX_DIRECTORY_BYTES = 2**18
_COLUMN_BYTES = 32  # of a column in the directory, about
_GROWTH = 4
Part: TypeAlias = "bytes | memoryview"


class KnownArrays:
    """The digests of arrays that the server keeps, the last ones used."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, None] = OrderedDict()
        self._last: dict[str, str] = {}  # of single frames, by key

    def __contains__(self, digest: str) -> bool:
        if digest not in self._digests:
            return False
        self._digests.move_to_end(digest)
        return True

    def add(self, digests: Iterable[str]) -> None:
        for digest in digests:
            self._digests[digest] = None
            self._digests.move_to_end(digest)
        while len(self._digests) > _MAX_KNOWN:
            self._digests.popitem(last=False)

    def discard(self, digests: Iterable[str]) -> None:
        for digest in digests:
            self._digests.pop(digest, None)

    def repeats(self, key: str, digest: str) -> bool:
        """Whether the last single frame had the same array under this key."""
        is_repeated = self._last.get(key) == digest
        if len(self._last) < _MAX_KNOWN or key in self._last:
            self._last[key] = digest
        return is_repeated


@dataclass(frozen=True, slots=True)
class Message:
    """An encoded message: its parts are sent one after the other. `shared` are the digests of its SAMEs."""

    parts: tuple[Part, ...]
    count: int
    size: int
    shared: tuple[str, ...] = ()

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for part in self.parts:
            digest.update(part)
        return digest.hexdigest()


class _Arrays:
    """The arrays of one key of a block: one while all are the same."""

    def __init__(self, first: Array) -> None:
        self._rows: Array = first[None].copy()
        self._is_same = True

    @property
    def nbytes(self) -> int:
        return self._rows[0, ...].nbytes

    def is_changed_by(self, array: Array) -> bool:
        """Whether this array is the first that differs."""
        return self._is_same and not same_bytes(self._rows[0, ...], array)

    def add(self, array: Array, count: int, most: int, *, is_change: bool) -> int:
        """Add an array after `count` others. Return the bytes that the message grows by."""
        if is_change:
            self._is_same = False
            self._grow(count, most)
            self._rows[:count] = self._rows[0, ...]
            self._rows[count] = array
            return self.nbytes * count
        if self._is_same:
            return 0
        if count == len(self._rows):
            self._grow(count, most)
        self._rows[count] = array
        return self.nbytes

    def _grow(self, count: int, most: int) -> None:
        capacity = max(count + count // _GROWTH + 1, min(_GROWTH * (count + 1), most))
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
        digest = hashlib.sha256(row).hexdigest() if self.nbytes >= MIN_SHARED_BYTES else ""
        if digest and digest in known:
            return Column(key, ColumnKind.REF, dtype, shape, digest=digest), b"", ""
        if count == 1 and not (digest and known.repeats(key, digest)):
            return Column(key, ColumnKind.STACK, dtype, shape), row, ""
        return Column(key, ColumnKind.SAME, dtype, shape), row, digest


class _Values:
    """The plain values of one key of a block."""

    def __init__(self, first: Value) -> None:
        self._packed = first.packed
        self._is_same = True
        self._values = [first.value]

    def add(self, value: Value) -> int:
        self._is_same = self._is_same and value.packed == self._packed
        self._values.append(value.value)
        return len(value.packed)

    def column(self, key: str) -> Column:
        if self._is_same:
            return Column(key, ColumnKind.VALUE, values=self._values[0])
        return Column(key, ColumnKind.VALUES, values=self._values)


class _OpenBlock:
    """A block that grows while the frames have the same keys, dtypes and shapes."""

    def __init__(self, cells: dict[str, Array | Value]) -> None:
        self._signature = _signature(cells)
        self.count = 1
        self._values = {key: _Values(cell) for key, cell in cells.items() if isinstance(cell, Value)}
        self._arrays = {key: _Arrays(cell) for key, cell in cells.items() if not isinstance(cell, Value)}
        self.buffer_bytes = sum(each.nbytes for each in self._arrays.values())
        self.directory_bytes = sum(_COLUMN_BYTES + len(key) for key in cells)
        self.directory_bytes += sum(len(cell.packed) for cell in cells.values() if isinstance(cell, Value))
        self._most = max(1, PIECE_BYTES // max(1, self.buffer_bytes)) + 1

    def add(self, cells: dict[str, Array | Value]) -> bool:
        """Add a frame if it fits. A long block ends where an array changes that was the same so far."""
        if _signature(cells) != self._signature:
            return False
        arrays = {key: cell for key, cell in cells.items() if not isinstance(cell, Value)}
        changed = {key for key, column in self._arrays.items() if column.is_changed_by(arrays[key])}
        if sum(self._arrays[key].nbytes for key in changed) * (self.count - 1) > _MAX_REPEATED_BYTES:
            return False
        for key, array in arrays.items():
            self.buffer_bytes += self._arrays[key].add(
                array, self.count, self._most, is_change=key in changed
            )
        for key, values in self._values.items():
            cell = cells[key]
            assert isinstance(cell, Value)
            self.directory_bytes += values.add(cell)
        self.count += 1
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


def _signature(cells: dict[str, Array | Value]) -> dict[str, Any]:
    return {
        key: None if isinstance(cell, Value) else (cell.dtype.str, cell.shape) for key, cell in cells.items()
    }


def _has_buffer(column: Column) -> bool:
    return column.kind in (ColumnKind.STACK, ColumnKind.SAME)


def _placed(column: Column, offsets: Iterator[int]) -> Column:
    if not _has_buffer(column):
        return column
    return Column(column.key, column.kind, column.dtype, column.shape, next(offsets))


def _buffer(array: Array) -> Part:
    """The bytes of a contiguous array, not copied."""
    return array.reshape(-1).view("u1").data if array.nbytes else b""
