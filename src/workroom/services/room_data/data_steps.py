"""The verbs of room data with their events: the only way for a service to change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workroom.domain.events import Event, FramesChanged, LockChanged, StateChanged
from workroom.domain.queries import FindDocument
from workroom.domain.room_data.documents import FRAMES, Edit, Written
from workroom.domain.room_data.frame_index import decode_index
from workroom.domain.room_data.frames import FramesEdit
from workroom.domain.room_data.locks import Acquired, Lock, LockRequest
from workroom.domain.room_data.versions import Revert, Version
from workroom.ports import RoomData

MAX_EVENT_CONTENT = 2000
"""Bytes of a document that its event carries; a larger one is fetched."""


class DataSteps:
    def __init__(self, store: RoomData, publish: Callable[[Sequence[Event]], None]) -> None:
        self._store = store
        self._publish = publish
        self._on_free: Callable[[str, str], None] = lambda room, target: None
        self._on_frames: Callable[[str], None] = lambda room: None

    def on_free(self, act: Callable[[str, str], None]) -> None:
        """Call this with the room and target of a lock that this server freed."""
        self._on_free = act

    def on_frames(self, act: Callable[[str], None]) -> None:
        """Call this with a room whose frames this server changed."""
        self._on_frames = act

    async def acquire(self, request: LockRequest) -> Acquired:
        acquired = await self._store.acquire_lock(request)
        if acquired.is_new and acquired.lock is not None:
            self._publish([_held(acquired.lock)])
        return acquired

    async def refresh(
        self, room: str, target: str, digest: str, ttl_us: int | None, message: str | None
    ) -> Lock:
        """A lock that lives on is published too: otherwise others would see it expire."""
        lock = await self._store.refresh_lock(room, target, digest, ttl_us, message)
        self._publish([_held(lock)])
        return lock

    async def release(self, room: str, target: str, digest: str) -> bool:
        was_held = await self._store.release_lock(room, target, digest)
        self._freed([(room, target)] if was_held else [])
        if not was_held:
            self._on_free(room, target)  # it may have left the queue: the next one may be first
        return was_held

    async def break_lock(self, room: str, target: str) -> Lock | None:
        lock = await self._store.break_lock(room, target)
        self._freed([(room, target)] if lock is not None else [])
        return lock

    async def expire(self, locks: Sequence[tuple[str, str]]) -> None:
        self._freed(await self._store.expire_locks(locks))

    def _freed(self, locks: Sequence[tuple[str, str]]) -> None:
        self._publish([LockChanged(room, target) for room, target in locks])
        for room, target in locks:
            self._on_free(room, target)

    async def edit(self, edit: Edit) -> Written:
        written = await self._store.edit_document(edit)
        if written.is_new:
            content = edit.content or b""
            self._publish(
                [
                    StateChanged(
                        edit.room,
                        edit.key,
                        written.version,
                        edit.writer.user,
                        edit.writer.job_id,
                        edit.content is None,
                        content if len(content) <= MAX_EVENT_CONTENT else b"",
                    )
                ]
            )
        return written

    async def edit_frames(
        self, edit: FramesEdit, describe: Callable[[Written], FramesChanged]
    ) -> Written | None:
        """Return None if somebody else changed the frames meanwhile."""
        written = await self._store.edit_frames(edit)
        if written is not None and written.is_new:
            self._on_frames(edit.room)
            self._publish([describe(written)])
        return written

    async def revert(self, revert: Revert) -> Version:
        version = await self._store.revert(revert)
        await self.reverted(version)
        return version

    async def reverted(self, version: Version) -> None:
        """Publish what an undo, a redo or a restore changed."""
        keys = [each for each in version.changes if each.key != FRAMES]
        events: list[Event] = [
            StateChanged(
                version.room, each.key, version.number, version.user, version.job_id, each.after is None
            )
            for each in keys
        ]
        if len(keys) < len(version.changes):
            self._on_frames(version.room)
            events.append(await self._frames_reverted(version))
        self._publish(events)

    async def _frames_reverted(self, version: Version) -> FramesChanged:
        """What the frames are by now: a reader gets them in this version or a later one."""
        document = await self._store.read(FindDocument(version.room, FRAMES))
        length = 0 if document is None else decode_index(document.content).length
        return FramesChanged(
            version.room, version.number, length, version.user, version.job_id, version.kind, 0, length
        )


def _held(lock: Lock) -> LockChanged:
    return LockChanged(
        lock.room,
        lock.target,
        lock.user,
        lock.job_id,
        lock.message,
        lock.fence,
        lock.acquired_us,
        lock.expires_us,
    )
