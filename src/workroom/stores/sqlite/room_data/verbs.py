"""The verbs of room data, each one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from workroom.domain.room_data.documents import Edit, Written
from workroom.domain.room_data.frames import FramesEdit, NewPiece, Piece
from workroom.domain.room_data.locks import Acquired, Lock, LockRequest, Writer
from workroom.domain.room_data.records import NewRecord, Put
from workroom.domain.room_data.versions import EditsEnd, EndedEdits, Revert, Version
from workroom.stores.sqlite.room_data import documents, frames, job_endings, locks, records, reverting

T = TypeVar("T")


class RoomDataVerbs:
    def _durable(self, step: Callable[[sqlite3.Connection, int], T]) -> asyncio.Future[T]:
        raise NotImplementedError

    def acquire_lock(self, request: LockRequest) -> Awaitable[Acquired]:
        return self._durable(lambda connection, at: locks.acquire(connection, at, request))

    def refresh_lock(
        self, room: str, target: str, digest: str, ttl_us: int | None, message: str | None
    ) -> Awaitable[Lock]:
        return self._durable(
            lambda connection, at: locks.refresh(connection, at, room, target, digest, ttl_us, message)
        )

    def release_lock(self, room: str, target: str, digest: str) -> Awaitable[bool]:
        return self._durable(lambda connection, at: locks.release(connection, at, room, target, digest))

    def break_lock(self, room: str, target: str) -> Awaitable[Lock | None]:
        return self._durable(lambda connection, at: locks.break_lock(connection, at, room, target))

    def expire_locks(self, expired: Sequence[tuple[str, str]]) -> Awaitable[list[tuple[str, str]]]:
        return self._durable(lambda connection, at: locks.expire(connection, at, expired))

    def edit_document(self, edit: Edit) -> Awaitable[Written]:
        return self._durable(lambda connection, at: documents.edit(connection, at, edit))

    def revert(self, revert: Revert) -> Awaitable[Version]:
        return self._durable(lambda connection, at: reverting.revert(connection, at, revert))

    def put_record(self, new: NewRecord) -> Awaitable[Put]:
        return self._durable(lambda connection, at: records.put(connection, at, new))

    def delete_record(self, room: str, kind: str, id: str, writer: Writer) -> Awaitable[bool]:
        return self._durable(lambda connection, at: records.delete(connection, room, kind, id, writer))

    def put_piece(self, new: NewPiece) -> Awaitable[Piece]:
        return self._durable(lambda connection, at: frames.put_piece(connection, at, new))

    def touch_piece(self, room: str, name: str) -> Awaitable[Piece | None]:
        return self._durable(lambda connection, at: frames.touch_piece(connection, at, room, name))

    def edit_frames(self, edit: FramesEdit) -> Awaitable[Written | None]:
        return self._durable(lambda connection, at: frames.edit(connection, at, edit))

    def collect_frames(
        self, room: str, segments: Sequence[str], pieces: Sequence[str], before_us: int
    ) -> Awaitable[list[str]]:
        return self._durable(
            lambda connection, at: frames.collect(connection, room, segments, pieces, before_us)
        )

    def end_job_edits(self, end: EditsEnd) -> Awaitable[EndedEdits | None]:
        return self._durable(lambda connection, at: job_endings.end(connection, at, end))
