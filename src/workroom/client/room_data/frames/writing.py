"""The steps in which many frames are written: synchronous code and asyncio take them alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from uuid_utils import uuid7

from workroom.client.room_data.frames.frame_requests import Source
from workroom.client.room_data.frames.progress import FramesBar
from workroom.client.room_data.frames.uploads import MessageSender, PieceQueue, Uploaded
from workroom.runtime.frames.encoder import MessageBuilder

SMALL_BYTES = 2**20  # what is uploaded and edited in one request
_MAX_SOURCES = 1000  # of one edit
_EDIT_SECONDS = 0.2  # between the edits of an `extend`: each is a commit


class Appending:
    """Appends frames piece by piece, as soon as they are uploaded. Use it in a `with` block."""

    def __init__(
        self,
        sender: MessageSender,
        append: Callable[[list[Source], str, int], Awaitable[None]],
        append_rest: Callable[[MessageBuilder], Awaitable[None]],
        total: int | None,
    ) -> None:
        self._append = append
        self._append_rest = append_rest
        self._group = str(uuid7())
        self._count = 0  # frames that were appended, or are about to be
        self._queue = PieceQueue(sender, self._appended, _EDIT_SECONDS)
        self._bar = FramesBar("Uploading frames", total)
        self.add = self._queue.add
        self.send = self._queue.send
        self.abort = self._queue.abort

    def __enter__(self) -> Appending:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    async def finish(self) -> None:
        rest = self._queue.rest
        if not self._queue.pieces and rest.count and rest.size <= SMALL_BYTES:
            await self._append_rest(rest)
        else:
            await self._queue.finish()

    async def _appended(self, pieces: Sequence[Uploaded]) -> None:
        count = sum(each.count for each in pieces)
        self._count += count
        await self._append([{"piece": each.name} for each in pieces], self._group, self._count)
        self._bar.advance(count)


class Collecting:
    """Uploads frames for one edit."""

    def __init__(self, sender: MessageSender) -> None:
        self._sources: list[Source] = []
        self._queue = PieceQueue(sender, self._uploaded)
        self.add = self._queue.add
        self.send = self._queue.send
        self.abort = self._queue.abort

    async def finish(self) -> list[Source]:
        await self._queue.finish()
        return self._sources

    async def _uploaded(self, pieces: Sequence[Uploaded]) -> None:
        if len(self._sources) + len(pieces) > _MAX_SOURCES:
            raise ValueError(
                f"too much for one assignment: it takes {_MAX_SOURCES:,} pieces of about 4 MB. "
                "Use clear() and extend()"
            )
        self._sources += [{"piece": each.name} for each in pieces]
