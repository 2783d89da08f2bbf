"""Uploads of pieces: several at a time, reported in their order, in bounded memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workroom.client.room_data.frames import frame_requests as requests
from workroom.client.room_data.held_locks import Send
from workroom.errors import ArrayNotFound
from workroom.runtime.frames.encoder import KnownArrays, Message, MessageBuilder

_IN_FLIGHT = 3  # pieces of 4 MB each
_TRIES = 3

SendMessage = Callable[[Message], Awaitable[Any]]


class MessageSender:
    """Sends messages to one room. Remembers which arrays the server has."""

    def __init__(self, room: str, send: Send) -> None:
        self._room = room
        self._send = send
        self._known = KnownArrays()

    async def upload(self, builder: MessageBuilder) -> str:
        """Upload a piece and return its name."""

        async def put(message: Message) -> str:
            sha256 = await asyncio.to_thread(message.sha256)
            await self._send(requests.put_piece(self._room, sha256, message))
            return sha256

        return str(await self.send(builder, put))

    async def send(self, builder: MessageBuilder, send: SendMessage) -> Any:
        """Send a message; again and whole if the server does not have an array that it refers to."""
        for tries_left in reversed(range(_TRIES)):
            message = builder.message(self._known)
            try:
                result = await send(message)
            except ArrayNotFound as error:
                self._known.discard(error.fields.get("digests", ()))
                if not tries_left:
                    raise
            else:
                self._known.add(message.shared)
                return result
        raise AssertionError("unreachable")


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A piece that the server has."""

    sha256: str
    count: int


OnPieces = Callable[[Sequence[Uploaded]], Awaitable[None]]


class PieceQueue:
    """Frames on their way to the server.

    `on_pieces` is awaited for the pieces in order, one call after the other: each with all that were uploaded
    meanwhile.
    """

    def __init__(self, sender: MessageSender, on_pieces: OnPieces) -> None:
        self._sender = sender
        self._on_pieces = on_pieces
        self._ready: list[Uploaded] = []
        self._turn = asyncio.Lock()
        self._failure: BaseException | None = None
        self._last: asyncio.Future[None] | None = None  # done when this piece and all before it are ready
        self._builder = MessageBuilder()
        self._free = asyncio.Semaphore(_IN_FLIGHT)
        self._tasks: list[asyncio.Task[None]] = []
        self.pieces = 0

    @property
    def rest(self) -> MessageBuilder:
        """The frames that no piece has yet."""
        return self._builder

    def add(self, frame: Any) -> bool:
        """Copy a frame. Return whether a piece is complete, to be sent with `send`."""
        self._builder.add(frame)
        return self._builder.is_full

    async def send(self) -> None:
        """Begin to send what was added; wait while too much is on its way. Raises what went wrong earlier."""
        builder, self._builder = self._builder, MessageBuilder()
        if not builder.count:
            return
        await self._free.acquire()
        self._raise_failure()
        loop = asyncio.get_running_loop()
        before, self._last = self._last, loop.create_future()
        task = loop.create_task(self._process(builder, before, self._last))
        self._tasks = [each for each in self._tasks if not each.done()] + [task]
        self.pieces += 1

    async def finish(self) -> None:
        """Send the rest and wait until all is done."""
        await self.send()
        if self._tasks:
            await asyncio.wait(self._tasks)
            self._raise_failure()

    async def abort(self) -> None:
        """Send nothing more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _process(
        self, builder: MessageBuilder, before: asyncio.Future[None] | None, in_order: asyncio.Future[None]
    ) -> None:
        try:
            piece = Uploaded(await self._sender.upload(builder), builder.count)
            if before is not None:
                await asyncio.shield(before)
            self._ready.append(piece)
            in_order.set_result(None)
            await self._report()
        finally:
            in_order.cancel()
            self._free.release()

    async def _report(self) -> None:
        """Report what is ready, unless that happened while this waited for its turn."""
        async with self._turn:
            if self._failure is not None:
                raise self._failure
            ready, self._ready = self._ready, []
            try:
                await (self._on_pieces(ready) if ready else asyncio.sleep(0))
            except BaseException as error:
                self._failure = error
                raise

    def _raise_failure(self) -> None:
        for task in self._tasks:
            if task.done() and not task.cancelled() and (error := task.exception()):
                raise error
