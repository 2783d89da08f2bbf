"""Pieces: uploaded, kept with their directories, and found by name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import TypeVar

from workroom.domain.files import Blob
from workroom.domain.identity import Principal
from workroom.domain.queries import FindArrays, FindPieces
from workroom.domain.room_data.frames import FrameLimits, NewPiece, Piece
from workroom.domain.room_data.locks import Writer
from workroom.domain.rules.refusals import piece_not_found
from workroom.errors import ArrayNotFound, InvalidFrames
from workroom.ports import RoomData
from workroom.runtime.frames.message import Block, Column, ColumnKind
from workroom.services.room_data.frames.byte_cache import ByteCache
from workroom.services.room_data.frames.directory import StoredPiece, decode_stored, encode_stored
from workroom.services.room_data.frames.incoming import Checked, check
from workroom.services.rooms.files import Files, epoch_of

T = TypeVar("T")
Content = bytes | memoryview
_SMALL = 65_536
"""Bytes that are checked or decoded on the event loop: a thread would take longer."""


class Pieces:
    """`threads` check messages and decode directories, a few at a time."""

    def __init__(
        self, store: RoomData, files: Files, threads: Executor, limits: FrameLimits, cache_bytes: int
    ) -> None:
        self._store = store
        self._files = files
        self._threads = threads
        self._limits = limits
        self._known = ByteCache[tuple[str, str], StoredPiece](cache_bytes)

    async def upload(self, who: Principal, room: str, content: Content, sha256: str | None = None) -> Piece:
        """Store a message unless it is known. It is checked while it is being written, unless it is small.

        Raises DigestMismatch if another digest is given.
        """
        if len(content) <= _SMALL and sha256 is None:
            checked = check(content, None, self._limits)
            known = await self.touch(room, checked.name)
            return known or await self._save(who, room, content, _done(checked))
        checking = asyncio.ensure_future(self._check(content, sha256))
        try:
            return await self._save(who, room, content, checking)
        finally:
            await asyncio.wait([checking])
            if not checking.cancelled():
                checking.exception()  # it was raised, or there was another error before

    async def _check(self, content: Content, sha256: str | None) -> Checked:
        return await self._in_thread(len(content), lambda: check(content, sha256, self._limits))

    async def touch(self, room: str, name: str) -> Piece | None:
        """The piece, which is kept for another hour. Most are new, and a read is cheaper than a verb."""
        (known,) = await self._store.read(FindPieces(room, (name,)))
        return None if known is None else await self._store.touch_piece(room, name)

    async def _save(
        self, who: Principal, room: str, content: Content, checking: asyncio.Future[Checked]
    ) -> Piece:
        async def attach(blob: Blob) -> Piece:
            piece = await self._described(room, blob, await asyncio.shield(checking))
            return await self._store.put_piece(
                NewPiece(piece, Writer(who.user, None, who.job), epoch_of(who))
            )

        piece = await self._files.keep_whole(who.user, room, content, attach)
        self._known.drop((room, piece.name))  # it may have been stored in another blob before
        return piece

    async def _described(self, room: str, blob: Blob, checked: Checked) -> Piece:
        blocks, uses = await self._resolved(room, checked)
        count, buffers_at = checked.directory.count, checked.directory.buffers_at
        stored = await self._in_thread(blob.size // 8, lambda: encode_stored(blocks))
        return Piece(room, checked.name, blob, count, stored, buffers_at, uses, checked.arrays)

    async def _resolved(self, room: str, checked: Checked) -> tuple[Sequence[Block], tuple[str, ...]]:
        """The blocks with the places of arrays that the message refers to, and the pieces that have them."""
        refs = checked.refs
        places = await self._places(room, refs) if refs else {}
        blocks = [
            Block(block.count, tuple(_placed(each, places) for each in block.columns))
            for block in checked.directory.blocks
        ]
        self._check_frames(blocks)
        return blocks, tuple(dict.fromkeys(piece for piece, _ in places.values()))

    async def _places(self, room: str, refs: Sequence[Column]) -> dict[str, tuple[str, int]]:
        digests = tuple(dict.fromkeys(ref.digest for ref in refs))
        found = await self._store.read(FindArrays(room, digests))
        missing = [digest for digest, place in zip(digests, found, strict=True) if place is None]
        if missing:
            raise ArrayNotFound(f"{len(missing):,} arrays are not stored: send them", digests=missing)
        places = {digest: place for digest, place in zip(digests, found, strict=True) if place is not None}
        pieces = await self.find(room, {piece for piece, _ in places.values()})
        for ref in refs:
            piece, offset = places[ref.digest]
            if not _has_array(pieces[piece], offset, ref.row_bytes):
                raise InvalidFrames(f"the array of '{ref.key}' has another size")
        return places

    def _check_frames(self, blocks: Iterable[Block]) -> None:
        """A frame is read whole, so its size is limited, wherever its arrays are."""
        largest = max(sum(each.row_bytes for each in block.columns if each.dtype) for block in blocks)
        if largest > self._limits.piece_bytes:
            raise InvalidFrames(
                f"a frame may have {self._limits.piece_bytes:,} bytes; this one has {largest:,}"
            )

    async def find(self, room: str, names: Iterable[str]) -> dict[str, StoredPiece]:
        """Pieces with their directories. Raises PieceNotFound."""
        found, missing = {}, []
        for name in dict.fromkeys(names):
            known = self._known.get((room, name))
            if known is None:
                missing.append(name)
            else:
                found[name] = known
        if missing:
            found |= await self._read(room, missing)
        return found

    async def _read(self, room: str, names: Sequence[str]) -> dict[str, StoredPiece]:
        pieces = await self._store.read(FindPieces(room, tuple(names)))
        lost = [name for name, piece in zip(names, pieces, strict=True) if piece is None]
        if lost:
            raise piece_not_found(lost)
        stored = [piece for piece in pieces if piece is not None]
        size = sum(len(piece.directory) for piece in stored)
        decoded = await self._in_thread(size, lambda: [decode_stored(piece) for piece in stored])
        for each in decoded:
            self._known.put((room, each.piece.name), each, each.memory)
        return {each.piece.name: each for each in decoded}

    def forget(self, room: str, names: Iterable[str]) -> None:
        for name in names:
            self._known.drop((room, name))

    async def _in_thread(self, size: int, act: Callable[[], T]) -> T:
        if size <= _SMALL:
            return act()
        return await asyncio.get_running_loop().run_in_executor(self._threads, act)


def _has_array(stored: StoredPiece, offset: int, size: int) -> bool:
    start = offset - stored.piece.buffers_at
    return any(
        column.kind is ColumnKind.SAME and column.offset == start and column.row_bytes == size
        for block in stored.blocks
        for column in block.columns
    )


def _placed(column: Column, places: dict[str, tuple[str, int]]) -> Column:
    if column.kind is not ColumnKind.REF:
        return column
    piece, offset = places[column.digest]
    return replace(column, digest=piece, offset=offset)


def _done(checked: Checked) -> asyncio.Future[Checked]:
    future: asyncio.Future[Checked] = asyncio.get_running_loop().create_future()
    future.set_result(checked)
    return future
