"""The index of a room's frames: the current one, those of versions, and the segments that they list."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from workroom.domain.queries import FindContents, FindDocument, FindSegments
from workroom.domain.room_data.documents import FRAMES, DocumentInfo
from workroom.domain.room_data.frame_index import (
    EMPTY,
    FrameIndex,
    Needed,
    Runs,
    decode_index,
    decode_segment,
)
from workroom.domain.rules.refusals import version_not_found
from workroom.errors import DocumentNotFound, StoreUnavailable
from workroom.ports import ReadableStore
from workroom.services.room_data.frames.byte_cache import ByteCache
from workroom.services.room_data.versions import Versions

T = TypeVar("T")
_RUN_BYTES = 250
"""Bytes of memory for a run or for a segment's entry in an index, about."""
_BATCH = 64
_MANY_ROOMS = 10_000


@dataclass(frozen=True, slots=True)
class IndexedFrames:
    """The frames of a room in one version. Without `info`, there never were any, or the version is old."""

    version: int
    index: FrameIndex
    info: DocumentInfo | None = None


NO_FRAMES = IndexedFrames(0, EMPTY)


class FrameIndexes:
    """With `is_alone`, no other server changes rooms, so the current index of a room is known here."""

    def __init__(
        self, store: ReadableStore, versions: Versions, cache_bytes: int, *, is_alone: bool = False
    ) -> None:
        self._store = store
        self._versions = versions
        self._is_alone = is_alone
        self._segments = ByteCache[tuple[str, str], Runs](cache_bytes)
        self._old = ByteCache[tuple[str, int], IndexedFrames](cache_bytes)
        self._current: dict[str, IndexedFrames] = {}
        self._changes = 0

    async def current(self, room: str) -> IndexedFrames:
        known = self._current.get(room)
        return await self._read(room) if known is None else known

    def changed(self, room: str) -> None:
        """Something may have changed the frames of a room, or the room itself."""
        self._changes += 1
        self._current.pop(room, None)

    async def at(self, room: str, version: int) -> IndexedFrames:
        """The frames as they were in a version. Raises VersionNotFound if it is not kept."""
        known = self._old.get((room, version))
        if known is not None:
            return known
        current = await self.current(room)
        if current.version == version:
            return current
        return self._keep(room, IndexedFrames(version, decode_index(await self._content(room, version))))

    async def run(self, room: str, needed: Needed[T]) -> T:
        """Complete a function of `domain/room_data/frame_index.py` with the segments that it needs."""
        try:
            ids = next(needed)
            while True:
                ids = needed.send(await self._load(room, ids))
        except StopIteration as end:
            result: T = end.value
            return result

    async def _read(self, room: str) -> IndexedFrames:
        changes = self._changes
        document = await self._store.read(FindDocument(room, FRAMES))
        if document is None:
            found = NO_FRAMES
        else:
            version = document.info.version
            known = self._old.get((room, version))
            index = decode_index(document.content) if known is None else known.index
            found = self._keep(room, IndexedFrames(version, index, document.info))
        if self._is_alone and changes == self._changes:  # else it may be older than the change
            if len(self._current) >= _MANY_ROOMS:
                self._current.clear()
            self._current[room] = found
        return found

    def _keep(self, room: str, found: IndexedFrames) -> IndexedFrames:
        """Readers who read a long sequence in parts ask for the same version again, also if it is amended."""
        self._old.put((room, found.version), found, len(found.index.ids) * _RUN_BYTES)
        return found

    async def _content(self, room: str, version: int) -> bytes:
        (content,) = await self._store.read(FindContents(room, ((FRAMES, version),)))
        if content is not None:
            return content
        try:
            return await self._versions.content_of(room, FRAMES, version)
        except DocumentNotFound:
            raise version_not_found(version) from None

    async def _load(self, room: str, ids: Sequence[str]) -> dict[str, Runs]:
        found, missing = {}, []
        for each in ids:
            known = self._segments.get((room, each))
            if known is None:
                missing.append(each)
            else:
                found[each] = known
        for start in range(0, len(missing), _BATCH):
            found |= await self._load_batch(room, missing[start : start + _BATCH])
            await asyncio.sleep(0)
        return found

    async def _load_batch(self, room: str, ids: Sequence[str]) -> dict[str, Runs]:
        contents = await self._store.read(FindSegments(room, tuple(ids)))
        loaded = {}
        for each, content in zip(ids, contents, strict=True):
            if content is None:
                raise StoreUnavailable("a part of the index of frames is missing")
            loaded[each] = decode_segment(content)
            self._segments.put((room, each), loaded[each], len(loaded[each].runs) * _RUN_BYTES)
        return loaded
