"""Artifacts, previews and the files of rooms: the verbs of the file index, each one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from workroom.domain.files import (
    Artifact,
    Blob,
    NewFile,
    Preview,
    PreviewKind,
    RoomFile,
    Saving,
    Showing,
)
from workroom.domain.job import Fence
from workroom.domain.permissions import may_upload
from workroom.domain.queries import (
    FindAccount,
    FindArtifact,
    FindArtifacts,
    FindFile,
    FindFiles,
    FindOrphanedBlobs,
    FindPreview,
    FindRoom,
    Page,
)
from workroom.domain.rules.refusals import room_not_found
from workroom.stores.sqlite.directory import find_account, find_room, require_room
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.attempts import running_job

T = TypeVar("T")


class FileIndexVerbs:
    def _durable(self, step: Callable[[sqlite3.Connection, int], T]) -> asyncio.Future[T]:
        raise NotImplementedError

    def reserve(self, blob: str) -> Awaitable[None]:
        return self._durable(lambda connection, at: _orphan(connection, blob))

    def attach(self, saving: Saving) -> Awaitable[Artifact]:
        return self._durable(lambda connection, at: _attach(connection, at, saving))

    def show(self, showing: Showing) -> Awaitable[Preview]:
        return self._durable(lambda connection, at: _show(connection, showing))

    def add_file(self, file: NewFile) -> Awaitable[RoomFile]:
        return self._durable(lambda connection, at: _add_file(connection, at, file))

    def delete_file(self, room: str, file_id: str) -> Awaitable[bool]:
        def step(connection: sqlite3.Connection, at: int) -> bool:
            gone = connection.execute(SQL["delete_file"], (room, file_id)).fetchall()
            for (blob,) in gone:
                _orphan(connection, blob)
            return bool(gone)

        return self._durable(step)

    def discard(self, blobs: Sequence[str]) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.executemany(SQL["discard_blob"], [(blob,) for blob in blobs])

        return self._durable(step)


def forget(connection: sqlite3.Connection, jobs: Sequence[tuple[int]]) -> None:
    """Orphan the blobs of these jobs and delete their artifacts and previews."""
    for statement in ("orphan_artifacts", "orphan_previews", "forget_artifacts", "forget_previews"):
        connection.executemany(SQL[statement], jobs)


def find_artifacts(connection: sqlite3.Connection, query: FindArtifacts) -> list[Artifact]:
    found = connection.execute(SQL["artifacts_of_job"], {"job": query.job_id, "name": None})
    return [_artifact(*row) for row in found]


def find_artifact(connection: sqlite3.Connection, query: FindArtifact) -> Artifact | None:
    wanted = {"job": query.job_id, "name": query.name}
    row = connection.execute(SQL["artifacts_of_job"], wanted).fetchone()
    return None if row is None else _artifact(*row)


def find_preview(connection: sqlite3.Connection, query: FindPreview) -> Preview | None:
    row = connection.execute(SQL["preview_of_job"], (query.job_id,)).fetchone()
    if row is None:
        return None
    job_id, kind, version, *blob = row
    return Preview(job_id, PreviewKind(kind), version, Blob(*blob))


def find_files(connection: sqlite3.Connection, query: FindFiles) -> Page[RoomFile]:
    wanted = {"room": query.room, "id": None, "before": query.before, "limit": query.limit + 1}
    files = [_file(*row) for row in connection.execute(SQL["find_files"], wanted)]
    page = files[: query.limit]
    return Page(page, page[-1].sequence if len(files) > query.limit else None)


def find_file(connection: sqlite3.Connection, query: FindFile) -> RoomFile | None:
    wanted = {"room": query.room, "id": query.id, "before": None, "limit": 1}
    row = connection.execute(SQL["find_files"], wanted).fetchone()
    return None if row is None else _file(*row)


def find_orphaned_blobs(connection: sqlite3.Connection, query: FindOrphanedBlobs) -> list[str]:
    return [blob for (blob,) in connection.execute(SQL["find_orphaned_blobs"], (query.after, query.limit))]


def _attach(connection: sqlite3.Connection, at_us: int, saving: Saving) -> Artifact:
    """Check the fence when the file becomes visible, not when its upload began."""
    fence, blob = saving.fence, saving.blob
    job = running_job(connection, saving.worker, fence)
    _replace(connection, "blob_of_artifact", (job, saving.name), blob.id)
    values = (saving.name, saving.media_type, blob.id, blob.size, blob.sha256, fence.attempt, at_us)
    connection.execute(SQL["save_artifact"], (job, *values))
    return Artifact(fence.job_id, saving.name, saving.media_type, blob, fence.attempt, at_us)


def _show(connection: sqlite3.Connection, showing: Showing) -> Preview:
    fence: Fence = showing.fence
    blob = showing.blob
    job = running_job(connection, showing.worker, fence)
    _replace(connection, "blob_of_preview", (job,), blob.id)
    row = connection.execute(SQL["save_preview"], (job, showing.kind, blob.id, blob.size, blob.sha256))
    return Preview(fence.job_id, showing.kind, row.fetchone()[0], blob)


def _add_file(connection: sqlite3.Connection, at_us: int, file: NewFile) -> RoomFile:
    _check_uploader(connection, file)
    blob = file.blob
    connection.execute(SQL["discard_blob"], (blob.id,))
    values = (file.id, file.room, file.user, file.name, file.media_type, blob.id, blob.size, blob.sha256)
    (sequence,) = connection.execute(SQL["insert_file"], (*values, at_us)).fetchone()
    return RoomFile(sequence, file.id, file.room, file.user, file.name, file.media_type, blob, at_us)


def _check_uploader(connection: sqlite3.Connection, file: NewFile) -> None:
    """Check access when the file becomes visible, not when its upload began."""
    if file.fence is not None:
        running_job(connection, None, file.fence)
        require_room(connection, file.room)
        return
    room = find_room(connection, FindRoom(file.room))
    account = find_account(connection, FindAccount(file.user))
    if not may_upload(file.user, file.epoch, room, account):
        raise room_not_found(file.room)


def _replace(connection: sqlite3.Connection, find: str, key: tuple[Any, ...], blob: str) -> None:
    """Orphan the blob that is replaced, and drop the reservation of the new one."""
    before = connection.execute(SQL[find], key).fetchone()
    if before is not None and before[0] != blob:
        _orphan(connection, before[0])
    connection.execute(SQL["discard_blob"], (blob,))


def _orphan(connection: sqlite3.Connection, blob: str) -> None:
    connection.execute(SQL["reserve_blob"], (blob,))


def _artifact(
    job_id: str, name: str, media_type: str, blob: str, size: int, sha256: str, attempt: int, at_us: int
) -> Artifact:
    return Artifact(job_id, name, media_type, Blob(blob, size, sha256), attempt, at_us)


def _file(
    sequence: int,
    file_id: str,
    room: str,
    user: str,
    name: str,
    media_type: str,
    blob: str,
    size: int,
    sha256: str,
    at_us: int,
) -> RoomFile:
    return RoomFile(sequence, file_id, room, user, name, media_type, Blob(blob, size, sha256), at_us)
