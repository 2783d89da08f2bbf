"""The frames of a room, for asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Sequence, Sized
from typing import Any, SupportsIndex, TypeAlias

from uuid_utils import uuid7

from workroom.client.room_data.frames import frame_requests as requests
from workroom.client.room_data.frames.columns import joined, pages
from workroom.client.room_data.frames.frame_requests import Source
from workroom.client.room_data.frames.indices import index_of, indices_of, is_index, slice_of
from workroom.client.room_data.frames.reading import Chunk, FrameReader, Selection
from workroom.client.room_data.frames.uploads import MessageSender
from workroom.client.room_data.frames.writing import SMALL_BYTES, Appending, Collecting
from workroom.client.room_data.held_locks import HeldLocks, Send
from workroom.client.room_data.writer import JobWriter
from workroom.errors import FrameNotFound, LengthMismatch, VersionConflict
from workroom.runtime.frames.decoder import Frame, decode_columns, decode_frames
from workroom.runtime.frames.encoder import Message, MessageBuilder

Frames: TypeAlias = "Iterable[Any] | AsyncIterable[Any]"
Where: TypeAlias = "SupportsIndex | slice | Sequence[SupportsIndex]"
_TRIES = 20
_INDICES = 500  # of one request
_LOCK_SECONDS = 60.0


class AsyncFrames:
    """The trajectory of a room: `await room.frames.append({"positions": positions})`.

    A frame is a mapping from keys to NumPy arrays and plain values. Nothing is cached.
    """

    def __init__(self, room: str, send: Send, locks: HeldLocks, writer: JobWriter | None) -> None:
        self._room = room
        self._send = send
        self._locks = locks
        self._writer = writer
        self._summary = "" if writer is None else writer.name  # the version of a job is named after it
        self._reader = FrameReader(room, send)
        self._sender = MessageSender(room, send)
        self._holds_lock = False

    async def length(self) -> int:
        return int((await self.info())["length"])

    async def info(self) -> dict[str, Any]:
        """The length, the version, the size in bytes, the keys, and who changed the frames when."""
        return dict(await self._send(requests.info(self._room)))

    async def get(
        self,
        where: Where,
        *,
        keys: Sequence[str] | None = None,
        dtype: str | None = None,
        version: int | None = None,
    ) -> Any:
        """One frame for an index, a list of frames for a slice or several indices.

        `keys` are those to read. With `dtype="f32"`, float64 arrays are sent as float32. With `version`,
        frames are those after that version of the room. Raises IndexError.
        """
        if isinstance(where, slice):
            selection = Selection(requests.slice_params(slice_of(where)), keys, dtype, version)
            return _frames(await self._reader.read_all(selection))
        if is_index(where):
            assert isinstance(where, SupportsIndex)
            selection = Selection({"index": str(index_of(where))}, keys, dtype, version)
            return (await self._get(selection))[0]
        found: list[Frame] = []
        wanted = indices_of(where)  # type: ignore[arg-type] # it is no index
        for start in range(0, len(wanted), _INDICES):
            some = ",".join(map(str, wanted[start : start + _INDICES]))
            found += await self._get(Selection({"index": some}, keys, dtype, version))
        return found

    async def _get(self, selection: Selection) -> list[Frame]:
        try:
            return _frames(await self._reader.read_all(selection))
        except FrameNotFound as error:
            raise IndexError("frame index out of range") from error

    async def columns(self, *keys: str, at: slice = slice(None)) -> dict[str, Any]:
        """Plain values of many frames: an array of numbers for each key, or a list of other values.

        Missing numbers are NaN, other missing values None.
        """
        info = await self.info()
        found = []
        for page in pages(at.indices(info["length"]), len(keys)):
            message, _ = await self._send(requests.columns(self._room, keys, page, info["version"]))
            found.append(decode_columns(message))
        return joined(keys, found)

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self.iterate()

    async def iterate(
        self, at: slice = slice(None), *, keys: Sequence[str] | None = None, dtype: str | None = None
    ) -> AsyncGenerator[Frame, None]:
        """Yield frames as they are at the beginning. The next ones are read meanwhile."""
        async for chunk in self.chunks(at, keys=keys, dtype=dtype):
            for frame in decode_frames(chunk.message):
                yield frame

    def chunks(
        self, at: slice = slice(None), *, keys: Sequence[str] | None = None, dtype: str | None = None
    ) -> AsyncGenerator[Chunk, None]:
        """Yield frames in the form of messages of a few megabytes."""
        return self._reader.chunks(Selection(requests.slice_params(slice_of(at)), keys, dtype))

    async def append(self, frame: Any) -> None:
        await self._put("append", None, frame)

    async def insert(self, index: SupportsIndex, frame: Any) -> None:
        """Insert a frame before an index, clamped as in a list."""
        await self._put("insert", index_of(index), frame)

    async def set(self, index: SupportsIndex, frame: Any) -> None:
        """Replace a frame. Raises IndexError."""
        try:
            await self._put("set", index_of(index), frame)
        except FrameNotFound as error:
            raise IndexError("frame assignment index out of range") from error

    async def extend(self, frames: Frames) -> None:
        """Append frames from any iterator, in bounded memory. Together they are one version.

        What was read from the iterator is kept if it raises.
        """
        if frames is self:
            await self._edit({"op": "append", "sources": [copied()]})
            return
        with self.appending(length_of(frames)) as appending:
            try:
                async for frame in each(frames):
                    if appending.add(frame):
                        await appending.send()
            except Exception:
                await appending.finish()
                raise
            except BaseException:
                await appending.abort()
                raise
            await appending.finish()

    def appending(self, total: int | None = None) -> Appending:
        """The steps of `extend`."""
        return Appending(self._sender, self._append_pieces, self._append_rest, total)

    async def assign(self, at: slice, frames: Frames) -> None:
        """Replace the frames of a slice by others, all at once. Raises ValueError as a list does."""
        where = slice_of(at)
        collecting = self.collecting()
        try:
            async for frame in each(frames):
                if collecting.add(frame):
                    await collecting.send()
            sources = await collecting.finish()
        except BaseException:
            await collecting.abort()
            raise
        await self.assign_sources(where, sources)

    def collecting(self) -> Collecting:
        """The steps of `assign`."""
        return Collecting(self._sender)

    async def assign_sources(self, where: requests.Slice, sources: list[Source]) -> None:
        try:
            await self._edit({"op": "assign", **where, "sources": sources})
        except LengthMismatch as error:
            raise ValueError(error.detail) from error

    async def replace(self, frames: Frames) -> None:
        """Replace all frames by others, all at once."""
        if frames is not self:
            await self.assign(slice(None), frames)

    async def delete(self, where: SupportsIndex | slice) -> None:
        """Delete one frame or a slice. Raises IndexError."""
        if isinstance(where, slice):
            await self._edit({"op": "delete", **slice_of(where)})
            return
        try:
            await self._edit({"op": "delete", "at": index_of(where)})
        except FrameNotFound as error:
            raise IndexError("frame assignment index out of range") from error

    async def pop(self, index: SupportsIndex = -1) -> Frame:
        """Delete a frame and return it. Raises IndexError."""
        at = index_of(index)
        for tries_left in reversed(range(_TRIES)):
            chunk = await self._chunk_to_pop(at)
            try:
                await self._edit({"op": "delete", "at": at}, version=chunk.etag)
            except VersionConflict:
                if not tries_left:
                    raise
            else:
                return next(decode_frames(chunk.message))
        raise AssertionError("unreachable")

    async def _chunk_to_pop(self, at: int) -> Chunk:
        try:
            return await self._reader.read(Selection({"index": str(at)}))
        except FrameNotFound as error:
            raise IndexError("pop index out of range") from error

    async def reverse(self) -> None:
        """Reverse the frames in the server: nothing is sent."""
        await self.assign_sources(slice_of(slice(None)), [copied(step=-1)])

    async def clear(self) -> None:
        await self.delete(slice(None))

    async def _append_pieces(self, sources: list[Source], group: str, total: int) -> None:
        """The edits of a group make one version, which has the summary of the last one: the total so far."""
        summary = self._summary or f"append frames, {total:+,}"
        await self._edit({"op": "append", "sources": sources}, group=group, summary=summary)

    async def _append_rest(self, builder: MessageBuilder) -> None:
        await self._put_builder("append", None, builder)

    async def _put(self, op: str, at: int | None, frame: Any) -> None:
        builder = MessageBuilder()
        builder.add(frame)
        if builder.size <= SMALL_BYTES:
            await self._put_builder(op, at, builder)
            return
        sources = [{"piece": await self._sender.upload(builder)}]
        await self._edit({"op": op, "sources": sources, **({} if at is None else {"at": at})})

    async def _put_builder(self, op: str, at: int | None, builder: MessageBuilder) -> None:
        """One key for all tries: a message that is sent whole the second time is the same edit."""
        key, headers = str(uuid7()), await self._headers(op)

        async def put(message: Message) -> None:
            await self._send(requests.put_frames(self._room, op, at, message, key, headers, self._summary))

        await self._sender.send(builder, put)

    async def _edit(
        self, body: dict[str, Any], *, group: str = "", version: int | None = None, summary: str = ""
    ) -> None:
        headers, summary = await self._headers(body["op"]), summary or self._summary
        await self._send(requests.edit(self._room, body, headers, summary, group=group, version=version))

    async def _headers(self, op: str) -> dict[str, str]:
        """A job takes the lock before its first edit that is not an append. The server frees it."""
        if self._writer is not None and op != "append" and not self._holds_lock:
            await self._locks.enter("frames", self._writer.name, _LOCK_SECONDS, _LOCK_SECONDS)
            self._holds_lock = True
        return self._locks.header("frames")


def copied(start: int | None = None, stop: int | None = None, step: int | None = None) -> Source:
    """Frames that the room has."""
    return {"frames": [start, stop, step]}


async def each(frames: Frames) -> AsyncIterator[Any]:
    """Raises TypeError for what is not iterable."""
    if isinstance(frames, AsyncIterable):
        async for frame in frames:
            yield frame
    else:
        for frame in frames:
            yield frame


def length_of(frames: object) -> int | None:
    return len(frames) if isinstance(frames, Sized) else None


def _frames(messages: list[bytes]) -> list[Frame]:
    return [frame for message in messages for frame in decode_frames(message)]
