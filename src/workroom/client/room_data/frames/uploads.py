"""Uploads of pieces: several at a time, reported in their order, in bounded memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from workroom.client.room_data.frames import frame_requests as requests
from workroom.client.room_data.held_locks import Send
from workroom.errors import ArrayNotFound
from workroom.runtime.frames.encoder import Message, MessageBuilder
from workroom.runtime.frames.known_arrays import KnownArrays

_IN_FLIGHT = 3  # pieces of 4 MB each
_TRIES = 3
_MAX_REPORTED = 100  # pieces at once

SendMessage = Callable[[Message], Awaitable[Any]]


class MessageSender:
    """Sends messages to one room. Remembers which arrays the server has."""

    def __init__(self, room: str, send: Send) -> None:
        self._room = room
        self._send = send
        self._known = KnownArrays()

    async def upload(self, builder: MessageBuilder) -> str:
        """Upload a piece and return its name, which the server computes."""

        async def post(message: Message) -> str:
            return str((await self._send(requests.post_piece(self._room, message)))["piece"])

        return str(await self.send(builder, post))

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

    name: str
    count: int


OnPieces = Callable[[Sequence[Uploaded]], Awaitable[None]]


class PieceQueue:
    """Frames on their way to the server.

    `on_pieces` is awaited for the pieces in order, one call after the other: each with all that were uploaded
    meanwhile, and within `pace` seconds after the call before. The first one is due `pace` seconds after the
    queue was made, so a short upload has one call.
    """

    def __init__(self, sender: MessageSender, on_pieces: OnPieces, pace: float = 0.0) -> None:
        self._sender = sender
        self._reports = _Reports(on_pieces, pace)
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
        """Send the rest and wait until all is done. What was uploaded is reported even if the rest fails."""
        try:
            await self.send()
            if self._tasks:
                await asyncio.wait(self._tasks)
                self._raise_failure()
        finally:
            await self._reports.finish()

    async def abort(self) -> None:
        """Send nothing more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._reports.abort()

    async def _process(
        self, builder: MessageBuilder, before: asyncio.Future[None] | None, in_order: asyncio.Future[None]
    ) -> None:
        try:
            piece = Uploaded(await self._sender.upload(builder), builder.count)
            if before is not None:
                await asyncio.shield(before)
            self._reports.add(piece)
            in_order.set_result(None)
        finally:
            in_order.cancel()
            self._free.release()

    def _raise_failure(self) -> None:
        for task in self._tasks:
            if task.done() and not task.cancelled() and (error := task.exception()):
                raise error
        self._reports.raise_failure()


class _Reports:
    """Reports pieces as they become ready, not more often than `pace` allows: each report is a commit."""

    def __init__(self, on_pieces: OnPieces, pace: float) -> None:
        self._on_pieces = on_pieces
        self._pace = pace
        self._due = asyncio.get_running_loop().time() + pace
        self._ready: list[Uploaded] = []
        self._finishing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def add(self, piece: Uploaded) -> None:
        self._ready.append(piece)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._report())
            self._task.add_done_callback(self._reported)

    def _reported(self, task: asyncio.Task[None]) -> None:
        """A task that failed stays, so that nothing is reported after a gap."""
        if not task.cancelled() and task.exception() is None:
            self._task = None

    async def _report(self) -> None:
        loop = asyncio.get_running_loop()
        while self._ready:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._due):
                    await self._finishing.wait()
            ready, self._ready = self._ready[:_MAX_REPORTED], self._ready[_MAX_REPORTED:]
            await self._on_pieces(ready)
            self._due = loop.time() + self._pace

    async def finish(self) -> None:
        self._finishing.set()
        while self._task is not None:
            await asyncio.shield(self._task)
            await asyncio.sleep(0)  # the callback of the task comes after this

    async def abort(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def raise_failure(self) -> None:
        if self._task is not None and self._task.done():
            self._task.result()
