"""The bytes of pieces. Those in a remote store are read whole and kept for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from workroom.domain.files import Blob, BlobRange
from workroom.ports import Blobs
from workroom.services.room_data.frames.byte_cache import ByteCache


class PieceBytes:
    """Local blobs are in the memory of the system already; a request to a remote store takes long.

    Requests for one blob at the same time share one read.
    """

    def __init__(self, blobs: Blobs, cache_bytes: int) -> None:
        self._blobs = blobs
        self._whole = ByteCache[str, bytes](cache_bytes)
        self._reading: dict[str, asyncio.Future[bytes]] = {}

    async def read(self, ranges: Sequence[BlobRange]) -> Sequence[bytes | memoryview]:
        if not self._blobs.is_remote or not ranges:
            return await self._blobs.read_ranges(ranges)
        whole = [each for each in ranges if self._whole.keeps(each.blob.size)]
        found = {
            blob.id: await self._read_whole(blob)
            for blob in {each.blob.id: each.blob for each in whole}.values()
        }
        others = [each for each in ranges if each.blob.id not in found]
        read = iter(await self._blobs.read_ranges(others) if others else ())
        return [
            memoryview(found[each.blob.id])[each.start : each.start + each.length]
            if each.blob.id in found
            else memoryview(next(read))
            for each in ranges
        ]

    async def _read_whole(self, blob: Blob) -> bytes:
        known = self._whole.get(blob.id)
        if known is not None:
            return known
        reading = self._reading.get(blob.id)
        if reading is None:
            reading = asyncio.ensure_future(self._fetch(blob))
            self._reading[blob.id] = reading
            reading.add_done_callback(lambda _: self._reading.pop(blob.id))
        return await asyncio.shield(reading)

    async def _fetch(self, blob: Blob) -> bytes:
        (content,) = await self._blobs.read_ranges([BlobRange(blob, 0, blob.size)])
        self._whole.put(blob.id, content, len(content))
        return content
