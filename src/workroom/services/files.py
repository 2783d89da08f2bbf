"""Files come in whole or not at all, are read in parts, and are cleared away when nothing refers to them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import structlog
from uuid_utils import uuid7

from workroom.domain.events import FilesChanged, JobPreviewed, JobSaved
from workroom.domain.files import (
    Artifact,
    ArtifactLimits,
    Blob,
    NewFile,
    Preview,
    PreviewKind,
    RoomFile,
    Saving,
    Showing,
)
from workroom.domain.job import Fence
from workroom.domain.queries import FindArtifact, FindArtifacts, FindPreview, FindWaste
from workroom.errors import ArtifactNotFound, DigestMismatch, PreviewNotFound, WorkroomError
from workroom.ports import Blobs, EventBus, Store

log = structlog.get_logger()

T = TypeVar("T")
_TIDY_SECONDS = 60.0
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Incoming:
    """A body under way. `sha256` and `size` are what it must turn out to be, if the sender said so."""

    chunks: AsyncIterator[bytes]
    sha256: str | None = None
    size: int | None = None


class Files:
    def __init__(self, store: Store, blobs: Blobs, bus: EventBus, limits: ArtifactLimits) -> None:
        self._limits = limits
        self._store = store
        self._blobs = blobs
        self._bus = bus
        self._under_way: set[str] = set()
        self._wasted = asyncio.Event()

    async def save(
        self, fence: Fence, worker: str | None, name: str, media_type: str, incoming: Incoming
    ) -> Artifact:
        """A file of a running attempt; visible only if the attempt still counts when the last byte is in."""
        await self._check(fence.job_id, name, incoming.size or 0)

        async def attach(blob: Blob) -> Artifact:
            await self._check(fence.job_id, name, blob.size)
            artifact = await self._store.attach(Saving(fence, worker, name, media_type, blob))
            self._bus.publish([JobSaved(artifact.job_id, artifact.name)])
            return artifact

        return await self._keep(incoming, attach)

    async def _check(self, job_id: str, name: str, size: int) -> None:
        """Before the first byte, and when all are in: what a job saves meanwhile counts too."""
        kept = await self._store.read(FindArtifacts(job_id))
        self._limits.check(kept, name, size)

    async def show(self, fence: Fence, worker: str | None, kind: PreviewKind, incoming: Incoming) -> Preview:
        preview = await self._keep(
            incoming, lambda blob: self._store.show(Showing(fence, worker, kind, blob))
        )
        self._bus.publish([JobPreviewed(preview.job_id, preview.kind, preview.version)])
        return preview

    async def upload(self, room: str, user: str, name: str, media_type: str, incoming: Incoming) -> RoomFile:
        file_id = str(uuid7())

        async def attach(blob: Blob) -> RoomFile:
            file = await self._store.add_file(NewFile(file_id, room, user, name, media_type, blob))
            self._bus.publish([FilesChanged(room)])
            return file

        return await self._keep(incoming, attach)

    async def delete(self, file: RoomFile) -> None:
        await self._store.delete_file(file.room, file.id)
        self._bus.publish([FilesChanged(file.room)])
        self._wasted.set()

    async def artifact(self, job_id: str, name: str) -> Artifact:
        artifact = await self._store.read(FindArtifact(job_id, name))
        if artifact is None:
            raise ArtifactNotFound(f"this job has saved no '{name}'")
        return artifact

    async def preview(self, job_id: str) -> Preview:
        preview = await self._store.read(FindPreview(job_id))
        if preview is None:
            raise PreviewNotFound()
        return preview

    async def read(self, blob: Blob, start: int, length: int) -> AsyncIterator[bytes]:
        return await self._blobs.read(blob, start, length)

    async def run(self) -> None:
        """Clear away what nothing refers to: at the start what an earlier server left, then now and then."""
        while True:
            try:
                await self._tidy()
            except WorkroomError as error:
                log.warning("files_not_cleared", reason=error.detail)
            self._wasted.clear()
            try:
                async with asyncio.timeout(_TIDY_SECONDS):
                    await self._wasted.wait()
            except TimeoutError:
                continue

    async def _keep(self, incoming: Incoming, attach: Callable[[Blob], Awaitable[T]]) -> T:
        """Reserve, write, check, attach: whatever goes wrong on the way, the bytes do not stay."""
        blob_id = secrets.token_hex(16)
        self._under_way.add(blob_id)
        try:
            await self._store.reserve(blob_id)
            blob = await self._blobs.write(blob_id, incoming.chunks)
            if incoming.sha256 is not None and incoming.sha256 != blob.sha256:
                raise DigestMismatch(sha256=blob.sha256)
        except BaseException:
            self._arrived(blob_id)
            raise
        attached = asyncio.ensure_future(attach(blob))
        attached.add_done_callback(lambda _: self._arrived(blob_id))
        return await asyncio.shield(attached)  # once asked for, it happens, whoever waits for it

    def _arrived(self, blob_id: str) -> None:
        """What was not attached is waste, and so is what made way."""
        self._under_way.discard(blob_id)
        self._wasted.set()

    async def _tidy(self) -> None:
        after = ""
        while found := await self._store.read(FindWaste(after, _BATCH)):
            after = found[-1]
            waste = [blob for blob in found if blob not in self._under_way]
            await self._blobs.delete(waste)
            if waste:
                await self._store.discard(waste)
