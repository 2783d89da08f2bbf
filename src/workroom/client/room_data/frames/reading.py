"""Reads of many frames, in chunks as the server sends them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workroom.client.room_data.frames import frame_requests as requests
from workroom.client.room_data.held_locks import Send
from workroom.client.transport.retries import retry
from workroom.errors import VersionNotFound

_TRIES = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """Which frames of a room, and what of them. `where` is a list of indices or a slice, as parameters."""

    where: dict[str, str]
    keys: Sequence[str] | None = None
    dtype: str | None = None
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some of the selected frames, in one message. `end` counts those before and in it."""

    message: bytes
    end: int
    selected: int
    version: int


class FrameReader:
    def __init__(self, room: str, send: Send) -> None:
        self._room = room
        self._send = send

    async def read(self, selection: Selection, after: int = 0) -> Chunk:
        request = requests.data(
            self._room,
            selection.where,
            keys=selection.keys,
            dtype=selection.dtype,
            after=after,
            version=selection.version,
        )
        message, headers = await self._send(request)
        end = after + int(headers["Frames-Count"])
        version = int(headers["ETag"].strip('"'))
        return Chunk(message, end, int(headers["Frames-Selected"]), version)

    async def chunks(self, selection: Selection) -> AsyncGenerator[Chunk, None]:
        """Yield the selected frames as they were at the beginning. The next chunk is read meanwhile.

        If that version is not kept any more, continue at the same index of the current one.
        """
        chunk = await self.read(selection)
        while True:
            following = self._read_ahead(selection, chunk)
            try:
                yield chunk
                if following is None:
                    return
                chunk = await following
            finally:
                if following is not None:
                    following.cancel()

    def _read_ahead(self, selection: Selection, chunk: Chunk) -> asyncio.Task[Chunk] | None:
        if chunk.end >= chunk.selected:
            return None
        return asyncio.get_running_loop().create_task(self._read_next(selection, chunk))

    async def _read_next(self, selection: Selection, chunk: Chunk) -> Chunk:
        pinned = replace(selection, version=chunk.version)
        try:
            return await retry(partial(self.read, pinned, chunk.end))
        except VersionNotFound:
            return await retry(partial(self.read, selection, chunk.end))

    async def read_all(self, selection: Selection) -> list[bytes]:
        """The messages with all the selected frames, of one version."""
        for tries_left in reversed(range(_TRIES)):
            try:
                return await self._read_pinned(selection)
            except VersionNotFound:
                if selection.version is not None or not tries_left:
                    raise
        raise AssertionError("unreachable")

    async def _read_pinned(self, selection: Selection) -> list[bytes]:
        chunk = await self.read(selection)
        pinned = replace(selection, version=chunk.version)
        messages = [chunk.message]
        while chunk.end < chunk.selected:
            chunk = await self.read(pinned, chunk.end)
            messages.append(chunk.message)
        return messages
