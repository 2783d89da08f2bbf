"""Raw connections to a server: HTTP without a client library, WebSockets frame by frame."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SECONDS = 30.0  # for a reply or the end of the connection
TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_HANDSHAKE = (
    b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: %b\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n\r\n"
)


class Unanswered(AssertionError):
    """The server neither replied nor closed the connection."""


class Closed(Exception):
    """The server closed the connection."""


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, what: str) -> None:
        self.reader = reader
        self.writer = writer
        self.what = what

    async def send(self, data: bytes) -> None:
        """A server that refuses early may close before all is sent."""
        try:
            async with asyncio.timeout(SECONDS):
                self.writer.write(data)
                await self.writer.drain()
        except (ConnectionError, OSError):
            raise Closed from None
        except TimeoutError:
            raise Unanswered(f"nobody read {self.what}") from None

    async def receive(self, size: int) -> bytes:
        try:
            async with asyncio.timeout(SECONDS):
                return await self.reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            raise Closed from None
        except TimeoutError:
            raise Unanswered(f"neither an answer nor an end after {self.what}") from None

    async def answer(self) -> tuple[int, bytes]:
        """The status and the body of the next HTTP response."""
        try:
            async with asyncio.timeout(SECONDS):
                head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, OSError):
            raise Closed from None
        except TimeoutError:
            raise Unanswered(f"neither an answer nor an end after {self.what}") from None
        length = _LENGTH.search(head)
        body = await self.receive(int(length[1])) if length else b""
        return int(head.split(b" ", 2)[1]), body

    async def handshake(self, host: str) -> None:
        await self.send(_HANDSHAKE % host.encode())
        status, _ = await self.answer()
        if status != 101:
            raise Closed

    async def send_frame(self, payload: bytes, opcode: int = TEXT, first: int = 0x80) -> None:
        await self.send(frame(payload, opcode, first))

    async def receive_frame(self) -> tuple[int, bytes]:
        first, second = await self.receive(2)
        size = second & 0x7F
        if size >= 126:
            size = int.from_bytes(await self.receive(2 if size == 126 else 8))
        return first & 0xF, await self.receive(size)

    async def receive_text(self) -> str:
        """The next message; replies to pings of both protocols."""
        while True:
            opcode, payload = await self.receive_frame()
            if opcode == CLOSE:
                raise Closed
            if opcode == PING:
                await self.send_frame(payload, PONG)
            elif payload == b"2":
                await self.send_frame(b"3")
            elif opcode == TEXT:
                return payload.decode()


def frame(payload: bytes, opcode: int = TEXT, first: int = 0x80) -> bytes:
    """A masked frame; `first` has the flags of its first byte."""
    size = len(payload)
    if size < 126:
        head = bytes((first | opcode, 0x80 | size))
    elif size < 1 << 16:
        head = bytes((first | opcode, 0xFE)) + size.to_bytes(2)
    else:
        head = bytes((first | opcode, 0xFF)) + size.to_bytes(8)
    mask = os.urandom(4)
    masked = int.from_bytes(payload) ^ int.from_bytes((mask * (size // 4 + 1))[:size])
    return head + mask + masked.to_bytes(size)


@asynccontextmanager
async def connected(port: int, what: str) -> AsyncIterator[Connection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    try:
        yield Connection(reader, writer, what)
    finally:
        writer.transport.abort()
        with contextlib.suppress(ConnectionError, OSError):
            await writer.wait_closed()
