"""Artifacts, previews and the files of rooms: the verbs of the file index, each one script."""

from __future__ import annotations

import asyncio
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
from workroom.domain.queries import (
    FindArtifact,
    FindArtifacts,
    FindFile,
    FindFiles,
    FindOrphanedBlobs,
    FindPreview,
    Page,
)
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import to_text, unpack
from workroom.stores.redis.messages.reports import fence_row
from workroom.stores.redis.reader import Reader

T = TypeVar("T")
_FILE = ("seq", "room", "user", "name", "media_type", "blob", "size", "sha256", "created")


class FileIndexVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def reserve(self, blob: str) -> Awaitable[None]:
        return self._step("reserve", _nothing, blob=blob)

    def attach(self, saving: Saving) -> Awaitable[Artifact]:
        fence, blob = saving.fence, saving.blob

        def attached(at_us: int) -> Artifact:
            return Artifact(fence.job_id, saving.name, saving.media_type, blob, fence.attempt, at_us)

        return self._step(
            "attach",
            attached,
            worker=saving.worker or False,
            fence=fence_row(fence),
            name=saving.name,
            media_type=saving.media_type,
            blob=_blob_row(blob),
        )

    def show(self, showing: Showing) -> Awaitable[Preview]:
        fence, blob = showing.fence, showing.blob
        return self._step(
            "show",
            lambda version: Preview(fence.job_id, showing.kind, version, blob),
            worker=showing.worker or False,
            fence=fence_row(fence),
            kind=str(showing.kind),
            blob=_blob_row(blob),
        )

    def add_file(self, file: NewFile) -> Awaitable[RoomFile]:
        def added(row: Sequence[int]) -> RoomFile:
            sequence, at_us = row
            return RoomFile(
                sequence, file.id, file.room, file.user, file.name, file.media_type, file.blob, at_us
            )

        return self._step(
            "add_file",
            added,
            id=file.id,
            room=file.room,
            user=file.user,
            name=file.name,
            media_type=file.media_type,
            blob=_blob_row(file.blob),
            fence=file.fence is not None and fence_row(file.fence),
            epoch=file.epoch is not None and file.epoch,
        )

    def delete_file(self, room: str, file_id: str) -> Awaitable[bool]:
        return self._step("delete_file", bool, room=room, id=file_id)

    def discard(self, blobs: Sequence[str]) -> Awaitable[None]:
        return self._step("discard", _nothing, blobs=list(blobs))


async def find_artifacts(reader: Reader, query: FindArtifacts) -> list[Artifact]:
    values = await reader.execute("HGETALL", scheduling("artifacts", query.job_id))
    found = {to_text(name): packed for name, packed in values.items()}
    return [artifact(query.job_id, name, found[name]) for name in sorted(found)]


async def find_artifact(reader: Reader, query: FindArtifact) -> Artifact | None:
    packed = await reader.execute("HGET", scheduling("artifacts", query.job_id), query.name)
    return None if packed is None else artifact(query.job_id, query.name, packed)


async def find_preview(reader: Reader, query: FindPreview) -> Preview | None:
    packed = await reader.execute("HGET", scheduling("details", query.job_id), "preview")
    return None if packed is None else preview(query.job_id, packed)


async def find_files(reader: Reader, query: FindFiles) -> Page[RoomFile]:
    before = "+inf" if query.before is None else f"({query.before}"
    ids = await reader.execute(
        "ZREVRANGEBYSCORE",
        scheduling("files", query.room),
        before,
        "-inf",
        "LIMIT",
        0,
        query.limit + 1,
    )
    found = [await find_file(reader, FindFile(query.room, to_text(each))) for each in ids]
    files = [file for file in found if file is not None]
    page = files[: query.limit]
    return Page(page, page[-1].sequence if len(files) > query.limit else None)


async def find_file(reader: Reader, query: FindFile) -> RoomFile | None:
    row = await reader.execute("HMGET", scheduling("file", query.id), *_FILE)
    if row[0] is None:
        return None
    sequence, room, user, name, media_type, blob, size, sha256, created = map(to_text, row)
    if room != query.room:
        return None
    return RoomFile(
        int(sequence),
        query.id,
        room,
        user,
        name,
        media_type,
        Blob(blob, int(size), sha256),
        int(created),
    )


async def find_orphaned_blobs(reader: Reader, query: FindOrphanedBlobs) -> list[str]:
    after = f"({query.after}" if query.after else "-"
    found = await reader.execute("ZRANGEBYLEX", scheduling("orphans"), after, "+", "LIMIT", 0, query.limit)
    return [to_text(blob) for blob in found]


def artifact(job_id: str, name: str, packed: bytes) -> Artifact:
    media_type, blob, size, sha256, attempt, at_us = unpack(packed)
    return Artifact(job_id, name, media_type, Blob(blob, size, sha256), attempt, at_us)


def preview(job_id: str, packed: bytes) -> Preview:
    kind, version, *blob = unpack(packed)
    return Preview(job_id, PreviewKind(kind), version, Blob(*blob))


def _blob_row(blob: Blob) -> list[object]:
    return [blob.id, blob.size, blob.sha256]


def _nothing(_: Any) -> None:
    return None
