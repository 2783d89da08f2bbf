"""Messages for readers, put together from parts of pieces. Nothing here does I/O."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workroom.domain.files import BlobRange
from workroom.domain.room_data.frames import Piece, Run
from workroom.runtime.frames import message
from workroom.runtime.frames.message import Block, Column, ColumnKind
from workroom.services.room_data.frames.directory import StoredPiece

Buffer = bytes | memoryview
_MAX_GAP = 16_384
"""Bytes between two parts of a blob that are read rather than left out."""
_MAX_READ = 32_000_000
_MAX_FRAMES = 100_000
_F64, _F32 = "<f8", "<f4"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of each frame, and how much in all. Without `keys`, everything."""

    keys: frozenset[str] | None = None
    is_single: bool = False
    max_bytes: int = 4_000_000

    def dtype(self, column: Column) -> str:
        return _F32 if self.is_single and column.dtype == _F64 else column.dtype


@dataclass(frozen=True, slots=True)
class Part:
    """Some frames of one block of a piece, from its frame `first` on."""

    stored: StoredPiece
    block: Block
    first: int
    count: int
    step: int


@dataclass(frozen=True, slots=True)
class Rows:
    """`count` arrays of `size` bytes in the blob of a piece, `step` arrays apart."""

    piece: Piece
    start: int
    size: int
    count: int = 1
    step: int = 1

    @property
    def ranges(self) -> Iterator[tuple[int, int]]:
        if self.step == 1:
            yield self.start, self.start + self.size * self.count
            return
        for number in range(self.count):
            start = self.start + number * self.step * self.size
            yield start, start + self.size


@dataclass(slots=True)
class _OutColumn:
    key: str
    kind: ColumnKind
    dtype: str = ""
    shape: tuple[int, ...] = ()
    is_cast: bool = False
    rows: list[Rows] = field(default_factory=list)
    values: Any = None

    @property
    def stored_bytes(self) -> int:
        return sum(each.size * each.count for each in self.rows)

    @property
    def size(self) -> int:
        return self.stored_bytes // 2 if self.is_cast else self.stored_bytes


@dataclass(slots=True)
class _OutBlock:
    count: int
    columns: list[_OutColumn]


def parts_of(run: Run, stored: StoredPiece) -> Iterator[Part]:
    """The frames of a run, block by block."""
    taken = 0
    while taken < run.count:
        at = run.first + taken * run.step
        number = bisect_right(stored.ends, at)
        block, end = stored.blocks[number], stored.ends[number]
        room = end - 1 - at if run.step > 0 else at - (end - block.count)
        count = min(run.count - taken, room // abs(run.step) + 1)
        yield Part(stored, block, at - (end - block.count), count, run.step)
        taken += count


class Response:
    """A message that grows by parts until it is full. It has at least one frame."""

    def __init__(self, wanted: Wanted, pieces: Callable[[str], StoredPiece]) -> None:
        self._wanted = wanted
        self._pieces = pieces
        self._blocks: list[_OutBlock] = []
        self._left = wanted.max_bytes
        self._left_to_read = _MAX_READ
        self.count = 0

    @property
    def is_full(self) -> bool:
        return self.count > 0 and (self._left <= 0 or self._left_to_read <= 0 or self.count >= _MAX_FRAMES)

    def add(self, part: Part) -> None:
        """Add as many frames of a part as fit."""
        columns = self._chosen(part.block)
        size, read = self._frame_bytes(part, columns)
        fits = min(self._left // size, self._left_to_read // read, _MAX_FRAMES - self.count, part.count)
        count = max(fits, 0 if self.count else 1)
        if count:
            self._append(_OutBlock(count, [self._out(part, each, count) for each in columns]))
            self.count += count
        self._left = 0 if count < part.count else self._left - count * size
        self._left_to_read -= count * read

    def _chosen(self, block: Block) -> list[Column]:
        keys = self._wanted.keys
        return [each for each in block.columns if keys is None or each.key in keys]

    def _frame_bytes(self, part: Part, columns: Sequence[Column]) -> tuple[int, int]:
        """The bytes that one more frame of this part takes, and those that must be read for it, about."""
        stacks = [each.row_bytes for each in columns if each.kind is ColumnKind.STACK]
        shared = sum(each.row_bytes for each in columns if each.dtype and each.kind is not ColumnKind.STACK)
        own = sum(stacks) + (part.stored.directory_bytes if len(stacks) < len(columns) else 0)
        size = own + -(-shared // part.count)
        gaps = sum(min(each * (abs(part.step) - 1), _MAX_GAP) for each in stacks)
        return max(size, 1), max(size + gaps, 1)

    def _out(self, part: Part, column: Column, count: int) -> _OutColumn:
        if not column.dtype:
            return _values(column, part, count)
        rows = self._rows(part, column, count)
        dtype = self._wanted.dtype(column)
        kind = ColumnKind.SAME if column.kind is ColumnKind.REF else column.kind
        return _OutColumn(column.key, kind, dtype, column.shape, dtype != column.dtype, [rows])

    def _rows(self, part: Part, column: Column, count: int) -> Rows:
        size, piece = column.row_bytes, part.stored.piece
        if column.kind is ColumnKind.REF:
            return Rows(self._pieces(column.digest).piece, column.offset, size)
        start = piece.buffers_at + column.offset
        if column.kind is ColumnKind.SAME:
            return Rows(piece, start, size)
        return Rows(piece, start + part.first * size, size, count, part.step if count > 1 else 1)

    def _append(self, block: _OutBlock) -> None:
        """Frames of several pieces become one block if they have equal keys, dtypes and shapes."""
        last = self._blocks[-1] if self._blocks else None
        if last is not None and _is_like(last, block):
            _merge(last, block)
        else:
            self._blocks.append(block)

    def ranges(self) -> list[BlobRange]:
        """What must be read, in the order of `Bytes`."""
        ranges: dict[str, tuple[Piece, list[tuple[int, int]]]] = {}
        for block in self._blocks:
            for column in block.columns:
                for rows in column.rows:
                    _, found = ranges.setdefault(rows.piece.name, (rows.piece, []))
                    found += rows.ranges
        return [
            BlobRange(piece.blob, start, end - start)
            for piece, found in ranges.values()
            for start, end in _coalesced(found)
        ]

    @property
    def size(self) -> int:
        return sum(column.size for block in self._blocks for column in block.columns)

    def encode(self, ranges: Sequence[BlobRange], contents: Sequence[Buffer]) -> bytes:
        """The message. This copies each buffer once, so call it in a thread if they are large."""
        source = _Bytes(ranges, contents)
        columns = [column for block in self._blocks for column in block.columns if column.dtype]
        offsets = iter(message.place([column.size for column in columns]))
        head = message.encode([_described(block, offsets) for block in self._blocks], [])
        parts: list[Any] = [*head]
        for column in columns:
            parts += source.buffer(column)
            parts.append(bytes(message.aligned(column.size) - column.size))
        return b"".join(parts)


class _Bytes:
    """What was read of the blobs."""

    def __init__(self, ranges: Sequence[BlobRange], contents: Sequence[Buffer]) -> None:
        self._read: dict[str, tuple[list[int], list[memoryview]]] = {}
        for each, content in zip(ranges, contents, strict=True):
            starts, views = self._read.setdefault(each.blob.id, ([], []))
            starts.append(each.start)
            views.append(memoryview(content))

    def buffer(self, column: _OutColumn) -> list[Any]:
        views = [self._view(rows.piece, start, end) for rows in column.rows for start, end in rows.ranges]
        if not column.is_cast:
            return views
        return [np.frombuffer(view, _F64).astype(_F32) for view in views if len(view)]

    def _view(self, piece: Piece, start: int, end: int) -> memoryview:
        starts, views = self._read[piece.blob.id]
        number = bisect_right(starts, start) - 1
        at = start - starts[number]
        return views[number][at : at + end - start]


def _values(column: Column, part: Part, count: int) -> _OutColumn:
    if column.kind is ColumnKind.VALUE:
        return _OutColumn(column.key, column.kind, values=column.values)
    chosen = range(part.first, part.first + count * part.step, part.step)
    return _OutColumn(column.key, column.kind, values=[column.values[each] for each in chosen])


def _is_like(block: _OutBlock, other: _OutBlock) -> bool:
    return len(block.columns) == len(other.columns) and all(
        _is_like_column(each, another) for each, another in zip(block.columns, other.columns, strict=True)
    )


def _is_like_column(column: _OutColumn, other: _OutColumn) -> bool:
    if column.key != other.key or column.dtype != other.dtype or column.shape != other.shape:
        return False
    if not column.dtype:
        return True
    return column.kind is other.kind and (column.kind is ColumnKind.STACK or column.rows == other.rows)


def _merge(block: _OutBlock, other: _OutBlock) -> None:
    for column, more in zip(block.columns, other.columns, strict=True):
        if column.kind is ColumnKind.STACK:
            column.rows += more.rows
        elif not column.dtype:
            _merge_values(column, block.count, more, other.count)
    block.count += other.count


def _merge_values(column: _OutColumn, count: int, more: _OutColumn, more_count: int) -> None:
    is_shared = column.kind is more.kind is ColumnKind.VALUE
    if is_shared and type(column.values) is type(more.values) and column.values == more.values:
        return
    values, others = _each(column, count), _each(more, more_count)
    column.kind = ColumnKind.VALUES
    values += others
    column.values = values


def _each(column: _OutColumn, count: int) -> list[Any]:
    values: list[Any] = [column.values] * count if column.kind is ColumnKind.VALUE else column.values
    return values


def _described(block: _OutBlock, offsets: Iterator[int]) -> Block:
    return Block(
        block.count,
        tuple(
            Column(each.key, each.kind, each.dtype, each.shape, next(offsets))
            if each.dtype
            else Column(each.key, each.kind, values=each.values)
            for each in block.columns
        ),
    )


def _coalesced(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ranges in order, with small gaps filled."""
    ranges.sort()
    low, high = ranges[0]
    for start, end in ranges[1:]:
        if start - high > _MAX_GAP:
            yield low, high
            low, high = start, end
        high = max(high, end)
    yield low, high
