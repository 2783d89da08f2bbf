"""A WebSocket of another server, which is reached through ASGI alone."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive, Send
from websockets.frames import CloseCode

_CLOSE_SECONDS = 5.0  # for a peer that reads nothing


class AsgiWebSocket:
    """Takes small messages until the peer is known (`admit`), then messages of full size.

    The server has received a message completely before it is seen here: its own limit comes first.
    """

    def __init__(self, receive: Receive, send: Send, max_hello: int, max_message: int) -> None:
        self.writable = asyncio.Event()
        self.writable.set()  # `send` itself waits for the peer
        self.handshake_complete = False
        self.close_sent = False
        self._receive = receive
        self._send = send
        self._max_bytes = max_hello
        self._max_message = max_message
        self._closed = asyncio.Event()
        self._receiving: asyncio.Task[Message] | None = None
        self._closing: asyncio.Task[None] | None = None

    def admit(self) -> None:
        self._max_bytes = self._max_message

    def close(self, code: int, reason: str) -> None:
        if self.close_sent or not self.handshake_complete:
            return
        self.close_sent = True
        self._closed.set()
        message = {"type": "websocket.close", "code": code, "reason": reason[:120]}
        self._closing = asyncio.create_task(self._send_close(message))

    async def send(self, message: Message) -> None:
        if self.close_sent:
            return
        try:
            await self._send(message)
        except OSError:  # as ASGI servers raise it: the peer is gone
            self.close_sent = True
            self._closed.set()
        if message["type"] == "websocket.accept":
            self.handshake_complete = True

    async def receive(self) -> Message:
        """The next message; the end as soon as `close` was called."""
        while not self.close_sent:
            message = await self._next()
            if message is None:
                break
            if message["type"] == "websocket.disconnect":
                self.close_sent = True
            if message["type"] != "websocket.receive" or self._is_small(message):
                return message
        await self._finish()
        return {"type": "websocket.disconnect", "code": CloseCode.NORMAL_CLOSURE, "reason": ""}

    def _is_small(self, message: Message) -> bool:
        size = len((message.get("text") or "").encode()) + len(message.get("bytes") or b"")
        if size > self._max_bytes:
            self.close(CloseCode.MESSAGE_TOO_BIG, f"a message may have {self._max_bytes} bytes")
        return size <= self._max_bytes

    async def _next(self) -> Message | None:
        """None once the WebSocket was closed from this side."""
        if self._receiving is None:
            self._receiving = asyncio.ensure_future(self._receive())
        closed = asyncio.create_task(self._closed.wait())
        try:
            await asyncio.wait((self._receiving, closed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            closed.cancel()
        if not self._receiving.done():
            return None
        received, self._receiving = self._receiving, None
        return received.result()

    async def _finish(self) -> None:
        """Let the close frame leave, and stop receiving."""
        if self._receiving is not None:
            self._receiving.cancel()
        if self._closing is not None:
            await self._closing

    async def _send_close(self, message: Message) -> None:
        with suppress(Exception):  # the peer is gone, or reads nothing
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._send(message)
