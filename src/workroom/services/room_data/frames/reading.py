"""Reads frames: some of them as a message, plain values as columns, and what there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TypeVar

from workroom.domain.files import BlobRange
from workroom.domain.room_data.frame_differences import FramesDifference, compare
from workroom.domain.room_data.frame_index import FrameIndex, select
from workroom.domain.room_data.frame_selection import Selection
from workroom.domain.room_data.frames import Run
from workroom.errors import StoreUnavailable
from workroom.runtime.frames.message import Column, ColumnKind
from workroom.services.room_data.frames.assembly import Buffer, Response, Wanted, parts_of
from workroom.services.room_data.frames.directory import StoredPiece
from workroom.services.room_data.frames.indexes import FrameIndexes, IndexedFrames
from workroom.services.room_data.frames.piece_bytes import PieceBytes
from workroom.services.room_data.frames.pieces import Pieces

T = TypeVar("T")
_SMALL = 262_144
"""Bytes that are copied on the event loop: a thread would take longer."""
_FIRST_BATCH, _GROWTH, _LARGEST_BATCH = 512, 4, 32_768
_MAX_SEGMENTS = 128
"""Segments that are in memory for one request at the same time."""


@dataclass(frozen=True, slots=True)
class ReadFrames:
    """A message with the first `count` of the `selected` frames; the sequence has `length`."""

    content: bytes
    version: int
    length: int
    selected: int
    count: int


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A key of frames. `shape` and `dtype` are None where frames differ, and for plain values."""

    key: str
    is_array: bool
    dtype: str | None
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Summary:
    frames: IndexedFrames
    keys: list[KeyInfo]


@dataclass(frozen=True, slots=True)
class FramesChange:
    """The frames in two versions, and where they differ."""

    before: FrameIndex
    after: FrameIndex
    difference: FramesDifference


class FrameReader:
    def __init__(self, indexes: FrameIndexes, pieces: Pieces, source: PieceBytes, threads: Executor) -> None:
        self._indexes = indexes
        self._pieces = pieces
        self._source = source
        self._threads = threads

    async def index(self, room: str, version: int | None = None, etag: int | None = None) -> IndexedFrames:
        """The frames now, after a version of the room, or those that had an ETag."""
        if etag is not None:
            return await self._indexes.tagged(room, etag)
        if version is None:
            return await self._indexes.current(room)
        return await self._indexes.at(room, version)

    async def read(
        self, room: str, frames: IndexedFrames, selection: Selection, wanted: Wanted, after: int = 0
    ) -> ReadFrames:
        """As many of the selected frames as fit, at least one. Raises FrameNotFound."""
        positions = selection.positions(frames.index.length)
        names: set[str] = set()
        try:
            response, content = await self._respond(room, frames.index, positions[after:], wanted, names)
        except StoreUnavailable:  # a piece was deleted, and uploaded again, since it was read
            self._pieces.forget(room, names)
            response, content = await self._respond(room, frames.index, positions[after:], wanted, names)
        return ReadFrames(content, frames.version, frames.index.length, len(positions), response.count)

    async def _respond(
        self, room: str, index: FrameIndex, positions: Sequence[int], wanted: Wanted, names: set[str]
    ) -> tuple[Response, bytes]:
        found: dict[str, StoredPiece] = {}
        response = Response(wanted, found.__getitem__)
        async for runs in self.runs(room, index, positions):
            for some in _within(runs, wanted.max_bytes):
                found |= await self._stored(room, some, found)
                names.update(found)
                if _fill(response, some, found):
                    break
            if response.is_full:
                break
        ranges = response.ranges()
        contents = await self._source.read(ranges)
        return response, await self._encode(response, ranges, contents)

    async def compare(self, room: str, before: int, after: int) -> FramesChange | None:
        """How the frames differ between two versions of the room; None if they do not."""
        one, other = await self.index(room, before), await self.index(room, after)
        if one.index == other.index:
            return None
        return FramesChange(
            one.index, other.index, await self._indexes.run(room, compare(one.index, other.index))
        )

    async def runs(self, room: str, index: FrameIndex, positions: Sequence[int]) -> AsyncIterator[list[Run]]:
        """The runs of these frames, a batch at a time: of a few frames first, then of more."""
        at, size = 0, _FIRST_BATCH
        while at < len(positions):
            batch = _batch(index, positions, at, size)
            yield await self._indexes.run(room, select(index, batch))
            at, size = at + len(batch), min(size * _GROWTH, _LARGEST_BATCH)

    async def _stored(
        self, room: str, runs: Sequence[Run], found: dict[str, StoredPiece]
    ) -> dict[str, StoredPiece]:
        """The pieces of these runs, and those that have arrays of them."""
        pieces = await self._pieces.find(room, [run.piece for run in runs if run.piece not in found])
        used = {name for each in pieces.values() for name in each.piece.uses}
        return pieces | await self._pieces.find(room, used - found.keys() - pieces.keys())

    async def _encode(
        self, response: Response, ranges: Sequence[BlobRange], contents: Sequence[Buffer]
    ) -> bytes:
        if response.size <= _SMALL:
            return response.encode(ranges, contents)
        return await self.in_thread(lambda: response.encode(ranges, contents))

    async def in_thread(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, act)

    async def summary(self, room: str) -> Summary:
        """What the first and the last frame have."""
        frames = await self._indexes.current(room)
        if frames.index.length == 0:
            return Summary(frames, [])
        ends = sorted({0, frames.index.length - 1})
        runs = await self._indexes.run(room, select(frames.index, ends))
        pieces = await self._pieces.find(room, [run.piece for run in runs])
        blocks = [part.block for run in runs for part in parts_of(run, pieces[run.piece])]
        return Summary(frames, _keys([column for block in blocks for column in block.columns]))


def _batch(index: FrameIndex, positions: Sequence[int], at: int, size: int) -> Sequence[int]:
    """The next of these frames, from a limited number of segments."""
    batch = positions[at : at + size]
    spread = _MAX_SEGMENTS + 1
    if isinstance(batch, range):
        spread = abs(index.segment_of(batch[-1]) - index.segment_of(batch[0]))
    return batch if spread <= _MAX_SEGMENTS else batch[:_MAX_SEGMENTS]


def _within(runs: Sequence[Run], max_bytes: int) -> list[list[Run]]:
    """The runs in groups of about as many bytes as a response may have: few directories are read in vain."""
    groups: list[list[Run]] = [[]]
    size = 0
    for run in runs:
        if size > max_bytes:
            groups.append([])
            size = 0
        groups[-1].append(run)
        size += run.count * run.frame_bytes
    return groups


def _fill(response: Response, runs: Sequence[Run], found: dict[str, StoredPiece]) -> bool:
    """Add the runs until the response is full; return whether it is."""
    for run in runs:
        for part in parts_of(run, found[run.piece]):
            response.add(part)
            if response.is_full:
                return True
    return False


def _keys(columns: Sequence[Column]) -> list[KeyInfo]:
    keys: dict[str, KeyInfo] = {}
    for column in columns:
        is_array = column.kind not in (ColumnKind.VALUE, ColumnKind.VALUES)
        info = KeyInfo(column.key, is_array, column.dtype or None, column.shape if is_array else None)
        keys[column.key] = _both(keys.get(column.key, info), info)
    return list(keys.values())


def _both(one: KeyInfo, other: KeyInfo) -> KeyInfo:
    dtype = one.dtype if one.dtype == other.dtype else None
    shape = one.shape if one.shape == other.shape else None
    return replace(one, is_array=one.is_array or other.is_array, dtype=dtype, shape=shape)
