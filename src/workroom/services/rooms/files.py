"""Files of rooms and jobs: stored whole or not at all, and deleted when nothing refers to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog
from uuid_utils import uuid7

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
from workroom.domain.identity import Principal
from workroom.domain.job import Fence
from workroom.domain.queries import (
    FindArtifact,
    FindArtifacts,
    FindJob,
    FindOrphanedBlobs,
    FindPreview,
    FindRunning,
)
from workroom.domain.quotas import Kind, in_room
from workroom.errors import (
    ArtifactNotFound,
    DigestMismatch,
    JobNotFound,
    PreviewNotFound,
    StaleAttempt,
    WorkroomError,
)
from workroom.ports import Blobs, FileIndex
from workroom.services.limits.quotas import QuotaKeeper, Reservation
from workroom.services.rooms.blob_names import BlobNames, ReservedNames
from workroom.services.steps import Steps

log = structlog.get_logger()

T = TypeVar("T")
_CLEANUP_SECONDS = 60.0
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Incoming:
    """A body that is being received. `sha256` and `size` are what the sender announced."""

    chunks: AsyncIterator[bytes]
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class _Upload:
    """A body that is being received, and its reservation. `allowance` is how many bytes are reserved."""

    incoming: Incoming
    user: str
    room: str
    reservation: Reservation
    allowance: int


class Files:
    """With `is_alone`, no other server uploads to the same store."""

    def __init__(
        self,
        store: FileIndex,
        steps: Steps,
        blobs: Blobs,
        limits: ArtifactLimits,
        quotas: QuotaKeeper,
        names: BlobNames,
        *,
        is_alone: bool,
    ) -> None:
        self._store = store
        self._steps = steps
        self._blobs = blobs
        self._limits = limits
        self._quotas = quotas
        self._names = names
        self._is_alone = is_alone
        self._uploading: set[str] = set()
        self._reserved = ReservedNames(store, names, self._uploading)
        self._ended: set[str] = set()  # uploads that ended since orphans were last looked for
        self._orphaned = asyncio.Event()

    async def save(
        self, fence: Fence, worker: str | None, name: str, media_type: str, incoming: Incoming
    ) -> Artifact:
        """Save a file of a running attempt. It becomes visible only if the attempt still runs at the end."""
        kept = await self._check(fence.job_id, name, incoming.size or 0)
        replaced = next((each.blob.size for each in kept if each.name == name), None)
        upload = await self._begin(*await self._submitter(fence), incoming, replaced)

        async def attach(blob: Blob) -> Artifact:
            await self._check(fence.job_id, name, blob.size)
            return await self._steps.attach(Saving(fence, worker, name, media_type, blob))

        return await self._keep(upload, attach)

    async def _check(self, job_id: str, name: str, size: int) -> list[Artifact]:
        """Called before the first byte and after the last, because the job may save other files meanwhile."""
        kept = await self._store.read(FindArtifacts(job_id))
        self._limits.check(kept, name, size)
        return kept

    async def show(self, fence: Fence, worker: str | None, kind: PreviewKind, incoming: Incoming) -> Preview:
        before = await self._store.read(FindPreview(fence.job_id))
        replaced = 0 if before is None else before.blob.size  # a preview counts as bytes, not as a file
        upload = await self._begin(*await self._submitter(fence), incoming, replaced)
        return await self._keep(upload, lambda blob: self._steps.show(Showing(fence, worker, kind, blob)))

    async def upload(
        self, who: Principal, room: str, name: str, media_type: str, incoming: Incoming
    ) -> RoomFile:
        file_id = str(uuid7())
        upload = await self._begin(who.user, room, incoming, None)

        async def attach(blob: Blob) -> RoomFile:
            return await self._steps.add_file(
                NewFile(file_id, room, who.user, name, media_type, blob, who.job, epoch_of(who))
            )

        return await self._keep(upload, attach)

    async def _submitter(self, fence: Fence) -> tuple[str, str]:
        """Who is charged for what a job saves, and in which room."""
        running = await self._store.read(FindRunning(fence))
        if running is not None:
            return running.user, running.room
        job = await self._store.read(FindJob(fence.job_id))
        if job is None:
            raise JobNotFound()
        raise StaleAttempt(
            f"this attempt no longer holds the job, which is {job.status}", job_status=job.status
        )

    async def _begin(self, user: str, room: str, incoming: Incoming, replaced: int | None) -> _Upload:
        """Reserve what is known to come. `replaced` is the size of what makes way for it, if there is any."""
        size, spared = incoming.size or 0, replaced or 0
        self._quotas.check_disk(size)
        reservation = await self._quotas.reserve_for_user(
            user,
            in_room(Kind.FILES, room, 1 if replaced is None else 0),
            in_room(Kind.BYTES, room, size - spared),
        )
        return _Upload(incoming, user, room, reservation, max(size, spared))

    async def _metered(self, upload: _Upload) -> AsyncIterator[bytes]:
        """The chunks. Bytes that were not announced are reserved before they are written."""
        left = upload.allowance
        async for chunk in upload.incoming.chunks:
            self._quotas.check_disk()
            left -= len(chunk)
            if left < 0:
                more = in_room(Kind.BYTES, upload.room, -left)
                upload.reservation.extend(await self._quotas.reserve_for_user(upload.user, more))
                left = 0
            yield chunk

    async def delete(self, file: RoomFile) -> None:
        await self._steps.delete_file(file.room, file.id)
        self._orphaned.set()

    async def artifact(self, job_id: str, name: str) -> Artifact:
        artifact = await self._store.read(FindArtifact(job_id, name))
        if artifact is None:
            raise ArtifactNotFound(f"this job has saved no '{name}'")
        return artifact

    async def preview(self, job_id: str) -> Preview:
        preview = await self.find_preview(job_id)
        if preview is None:
            raise PreviewNotFound()
        return preview

    async def find_preview(self, job_id: str) -> Preview | None:
        return await self._store.read(FindPreview(job_id))

    async def read(self, blob: Blob, start: int, length: int) -> AsyncIterator[bytes]:
        return await self._blobs.read(blob, start, length)

    async def run(self) -> None:
        """Delete orphaned blobs: at startup those of an earlier server, then at an interval."""
        while True:
            self._orphaned.clear()
            try:
                await self._delete_orphans()
            except WorkroomError as error:
                log.warning("files_not_cleared", reason=error.detail)
            try:
                async with asyncio.timeout(_CLEANUP_SECONDS):
                    await self._orphaned.wait()
            except TimeoutError:
                continue

    async def keep_whole(
        self,
        user: str,
        room: str,
        content: bytes | memoryview,
        attach: Callable[[Blob], Awaitable[T]],
    ) -> T:
        """Store bytes that are in memory, which count for the user and the room, but not as a file.

        The blob has no digest.
        """
        self._quotas.check_disk(len(content))
        reservation = await self._quotas.reserve_for_user(user, in_room(Kind.BYTES, room, len(content)))
        return await self._attach(
            reservation, lambda blob_id: self._blobs.write_whole(blob_id, content, ""), attach
        )

    async def _keep(self, upload: _Upload, attach: Callable[[Blob], Awaitable[T]]) -> T:
        async def write(blob_id: str) -> Blob:
            blob = await self._blobs.write(blob_id, self._metered(upload))
            if upload.incoming.sha256 not in (None, blob.sha256):
                raise DigestMismatch(sha256=blob.sha256)
            return blob

        return await self._attach(upload.reservation, write, attach)

    async def _attach(
        self,
        reservation: Reservation,
        write: Callable[[str], Awaitable[Blob]],
        attach: Callable[[Blob], Awaitable[T]],
    ) -> T:
        """Take a reserved name, write, check, attach. If a step fails, the blob is deleted."""
        try:
            blob_id = await self._reserved.take()
        except BaseException:
            reservation.give_back()
            raise
        try:
            blob = await write(blob_id)
        except BaseException:
            reservation.give_back()
            self._end_upload(blob_id)
            raise
        attached = asyncio.ensure_future(attach(blob))
        attached.add_done_callback(lambda done: self._attached(done, reservation, blob_id))
        return await asyncio.shield(attached)  # it completes even if the request is cancelled

    def _attached(self, done: asyncio.Future[Any], reservation: Reservation, blob_id: str) -> None:
        if done.cancelled() or done.exception() is not None:
            reservation.give_back()
        else:
            reservation.keep()
        self._end_upload(blob_id)

    def _end_upload(self, blob_id: str) -> None:
        """A blob that was not attached is orphaned, and so is one that was replaced."""
        self._uploading.discard(blob_id)
        self._ended.add(blob_id)
        self._orphaned.set()

    def _is_orphaned(self, blob_id: str) -> bool:
        """Whether a blob without a file can be deleted: nobody is uploading it."""
        is_elsewhere = not self._is_alone and self._names.may_be_in_use_elsewhere(blob_id)
        return not (blob_id in self._uploading or blob_id in self._ended or is_elsewhere)

    async def _delete_orphans(self) -> None:
        """A blob may get its row after it was found without one, so those of uploads that end are left."""
        after = ""
        self._ended.clear()
        while found := await self._store.read(FindOrphanedBlobs(after, _BATCH)):
            after = found[-1]
            orphaned = [blob for blob in found if self._is_orphaned(blob)]
            await self._blobs.delete(orphaned)
            if orphaned:
                await self._store.discard(orphaned)


def epoch_of(who: Principal) -> int | None:
    """The epoch of the caller's account; a job is fenced by its attempt instead."""
    return who.epoch if who.job is None else None
