"""Pieces, segments and the index of frames: verbs, each one script, and queries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from workroom.domain.files import Blob
from workroom.domain.queries import (
    FindArrays,
    FindFrameIndexes,
    FindFrameNames,
    FindPieces,
    FindSegments,
)
from workroom.domain.room_data.documents import FRAMES, Written
from workroom.domain.room_data.frames import FrameName, FramesEdit, NewPiece, Piece
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import SEPARATOR, scheduling
from workroom.stores.redis.messages.codec import to_bytes, to_text, unpack
from workroom.stores.redis.messages.layouts import PieceRecord
from workroom.stores.redis.reader import Reader
from workroom.stores.redis.room_data.verbs import edit_arguments, fence_argument

T = TypeVar("T")


class FrameVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def put_piece(self, new: NewPiece) -> Awaitable[Piece]:
        piece, writer = new.piece, new.writer

        def stored(row: Sequence[Any]) -> Piece:
            known, directory = row
            found = _piece(piece.room, piece.name, PieceRecord(*known), to_bytes(directory))
            return piece if found.blob == piece.blob else found

        return self._step(
            "put_piece",
            stored,
            room=piece.room,
            name=piece.name,
            user=writer.user,
            fence=fence_argument(writer.job),
            epoch=False if new.epoch is None else new.epoch,
            blob=[piece.blob.id, piece.blob.size, piece.blob.sha256],
            piece=_record(piece),
            directory=piece.directory,
        )

    def touch_piece(self, room: str, name: str) -> Awaitable[Piece | None]:
        def touched(row: Sequence[Any] | None) -> Piece | None:
            if not row:
                return None
            record, directory = row
            return _piece(room, name, PieceRecord(*record), to_bytes(directory))

        return self._step("touch_piece", touched, room=room, name=name)

    def edit_frames(self, edit: FramesEdit) -> Awaitable[Written | None]:
        return self._step(
            "edit_frames",
            lambda row: Written(*row) if row else None,
            room=edit.room,
            base=edit.base,
            index=edit.index,
            segments=[[each.id, each.content] for each in edit.segments],
            pieces=list(edit.pieces),
            length=edit.length,
            max_frames=edit.max_frames,
            **edit_arguments(edit),
        )

    def collect_frames(
        self, room: str, segments: Sequence[str], pieces: Sequence[str], before_us: int
    ) -> Awaitable[list[str]]:
        return self._step(
            "collect_frames",
            list,
            room=room,
            segments=list(segments),
            pieces=list(pieces),
            since=before_us,
        )


async def find_segments(reader: Reader, query: FindSegments) -> list[bytes | None]:
    return await _values(reader, "segments", query.room, query.ids)


async def find_pieces(reader: Reader, query: FindPieces) -> list[Piece | None]:
    """Read the directories first: a piece that is collected meanwhile is not found."""
    directories = await _values(reader, "directories", query.room, query.names)
    records = await _values(reader, "pieces", query.room, query.names)
    return [
        None
        if directory is None or packed is None
        else _piece(query.room, name, PieceRecord(*unpack(packed)), directory)
        for name, directory, packed in zip(query.names, directories, records, strict=True)
    ]


async def find_arrays(reader: Reader, query: FindArrays) -> list[tuple[str, int] | None]:
    found = await _values(reader, "arrays", query.room, query.digests)
    return [None if packed is None else _place(*unpack(packed)) for packed in found]


async def find_indexes(reader: Reader, query: FindFrameIndexes) -> list[bytes]:
    names = [to_text(each) for each in await reader.execute("HKEYS", scheduling("refs", query.room))]
    numbers = sorted(int(name.split(SEPARATOR)[1]) for name in names if name.startswith(FRAMES + SEPARATOR))
    contents = [f"{FRAMES}{SEPARATOR}{number}" for number in numbers]
    found = await _values(reader, "contents", query.room, contents)
    return [each for each in found if each is not None]


async def find_names(reader: Reader, query: FindFrameNames) -> list[FrameName]:
    after = f"({query.after}" if query.after else "-"
    key = scheduling("frame_names", query.room)
    found = await reader.execute("ZRANGEBYLEX", key, after, "+", "LIMIT", 0, query.limit)
    names = [to_text(each) for each in found]
    touched = await _values(reader, "touched", query.room, names)
    return [
        FrameName(name, packed[:1] == b"p", int(packed[1:]))
        for name, packed in zip(names, touched, strict=True)
        if packed is not None
    ]


async def _values(reader: Reader, kind: str, room: str, names: Sequence[str]) -> list[bytes | None]:
    if not names:
        return []
    return list(await reader.execute("HMGET", scheduling(kind, room), *names))


def _place(piece: str, offset: int) -> tuple[str, int]:
    return piece, offset


def _record(piece: Piece) -> PieceRecord:
    blob = piece.blob
    arrays = [(digest, offset) for digest, offset in piece.arrays]
    return PieceRecord(
        blob.id, blob.size, blob.sha256, piece.count, piece.buffers_at, list(piece.uses), arrays
    )


def _piece(room: str, name: str, record: PieceRecord, directory: bytes) -> Piece:
    blob = Blob(record.blob, record.size, record.sha256)
    uses = tuple(record.uses)
    return Piece(room, name, blob, record.frames, directory, record.buffers_at, uses)
