"""Pieces, segments and the index of frames: steps of the writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from workroom.domain.files import Blob
from workroom.domain.permissions import may_upload
from workroom.domain.queries import (
    FindAccount,
    FindArrays,
    FindFrameIndexes,
    FindFrameNames,
    FindPieces,
    FindRoom,
    FindSegments,
)
from workroom.domain.room_data.documents import FRAMES, Written
from workroom.domain.room_data.frames import FrameName, FramesEdit, NewPiece, Piece
from workroom.domain.rules.refusals import (
    piece_not_found,
    room_not_found,
    too_many_frames,
    version_conflict,
)
from workroom.domain.rules.room_data import documents as rules
from workroom.domain.rules.room_data.documents import NO_DOCUMENT, EditVerdict
from workroom.stores.sqlite.directory import find_account, find_room
from workroom.stores.sqlite.room_data import documents, history
from workroom.stores.sqlite.room_data.locks import check_writer
from workroom.stores.sqlite.statements import SQL


def put_piece(connection: sqlite3.Connection, at_us: int, new: NewPiece) -> Piece:
    piece, blob, writer = new.piece, new.piece.blob, new.writer
    _check_uploader(connection, new)
    known = touch_piece(connection, at_us, piece.room, piece.name)
    if known is not None:
        return known
    _touch_all(connection, at_us, piece.room, piece.uses)
    connection.execute(SQL["discard_blob"], (blob.id,))
    names = (piece.room, piece.name, writer.user, blob.id, blob.size, blob.sha256)
    values = (piece.count, piece.buffers_at, at_us, " ".join(piece.uses), piece.directory)
    connection.execute(SQL["insert_piece"], (*names, *values))
    arrays = [(piece.room, digest, piece.name, offset) for digest, offset in piece.arrays]
    connection.executemany(SQL["save_array"], arrays)
    return piece


def _check_uploader(connection: sqlite3.Connection, new: NewPiece) -> None:
    """Check access when the piece is stored, not when its upload began."""
    room, writer = new.piece.room, new.writer
    documents.check_access(connection, room, writer)
    account = find_account(connection, FindAccount(writer.user))
    found = find_room(connection, FindRoom(room))
    if writer.job is None and not may_upload(writer.user, new.epoch, found, account):
        raise room_not_found(room)


def touch_piece(connection: sqlite3.Connection, at_us: int, room: str, name: str) -> Piece | None:
    piece = _find_piece(connection, room, name)
    if piece is not None:
        for each in (name, *piece.uses):
            connection.execute(SQL["touch_piece"], {"at": at_us, "room": room, "piece": each})
    return piece


def _touch_all(connection: sqlite3.Connection, at_us: int, room: str, names: Sequence[str]) -> None:
    """Touch pieces and those that they use. Raises PieceNotFound."""
    missing = [name for name in names if touch_piece(connection, at_us, room, name) is None]
    if missing:
        raise piece_not_found(missing)


def edit(connection: sqlite3.Connection, at_us: int, edit: FramesEdit) -> Written | None:
    documents.check_access(connection, edit.room, edit.writer)
    row = documents.find_row(connection, edit.room, FRAMES)
    version = NO_DOCUMENT if row is None else row.version
    repeated = _repeated(connection, edit)
    if repeated is not None:
        return repeated
    check_writer(connection, at_us, edit.room, FRAMES, edit.writer)
    verdict = rules.decide(version=version, expected=edit.expected, is_repeat=False, is_delete=False)
    if verdict is EditVerdict.CONFLICT:
        raise version_conflict(FRAMES, version)
    if version != edit.base:
        return None
    if edit.length > edit.max_frames:
        raise too_many_frames(edit.max_frames, edit.length)
    _touch_all(connection, at_us, edit.room, edit.pieces)
    segments = [(edit.room, each.id, at_us, each.content) for each in edit.segments]
    connection.executemany(SQL["save_segment"], segments)
    return Written(documents.write(connection, at_us, edit, FRAMES, edit.index), at_us, True)


def _repeated(connection: sqlite3.Connection, edit: FramesEdit) -> Written | None:
    """What the same request made before. A frame is never appended twice, also if others edit."""
    if not edit.request:
        return None
    found = connection.execute(SQL["version_of_request"], (edit.room, edit.request)).fetchone()
    version = None if found is None else history.find_version(connection, edit.room, found[0])
    if version is None:
        return None
    made = [each.after for each in version.changes if each.key == FRAMES and each.after is not None]
    return Written(made[0], version.at_us, False) if made else None


def collect(
    connection: sqlite3.Connection, room: str, segments: Sequence[str], pieces: Sequence[str], before_us: int
) -> list[str]:
    connection.executemany(SQL["delete_segment"], [(room, each, before_us) for each in segments])
    deleted = []
    for piece in pieces:
        blob = connection.execute(SQL["delete_piece"], (room, piece, before_us)).fetchone()
        if blob is not None:
            connection.execute(SQL["delete_arrays"], (room, piece))
            connection.execute(SQL["reserve_blob"], blob)
            deleted.append(piece)
    return deleted


def find_pieces(connection: sqlite3.Connection, query: FindPieces) -> list[Piece | None]:
    return [_find_piece(connection, query.room, name) for name in query.names]


def _find_piece(connection: sqlite3.Connection, room: str, name: str) -> Piece | None:
    row = connection.execute(SQL["find_piece"], (room, name)).fetchone()
    if row is None:
        return None
    room, name, blob, size, blob_sha256, count, directory, buffers_at, uses = row
    stored = Blob(blob, size, blob_sha256)
    return Piece(room, name, stored, count, directory, buffers_at, tuple(uses.split()))


def find_segments(connection: sqlite3.Connection, query: FindSegments) -> list[bytes | None]:
    found = [connection.execute(SQL["find_segment"], (query.room, each)).fetchone() for each in query.ids]
    return [None if row is None else row[0] for row in found]


def find_arrays(connection: sqlite3.Connection, query: FindArrays) -> list[tuple[str, int] | None]:
    return [
        connection.execute(SQL["find_array"], (query.room, digest)).fetchone() for digest in query.digests
    ]


def find_indexes(connection: sqlite3.Connection, query: FindFrameIndexes) -> list[bytes]:
    return [value for (value,) in connection.execute(SQL["contents_of_key"], (query.room, FRAMES))]


def find_names(connection: sqlite3.Connection, query: FindFrameNames) -> list[FrameName]:
    wanted = {"room": query.room, "after": query.after, "limit": query.limit}
    rows = connection.execute(SQL["names_of_frames"], wanted)
    return [FrameName(name, bool(is_piece), touched_us) for name, is_piece, touched_us in rows]
