"""Raw TCP and WebSocket connections: bytes in, bytes out."""

from __future__ import annotations

import os
import select
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import orjson

from workroom.testing.processes import ServerProcess, eventually

WHOLE, FIRST, MORE, LAST = 0x81, 0x01, 0x00, 0x80  # text in one frame, and in several
PING = 0x89
_MASK = b"\x00\x00\x00\x00"


class Closed(NamedTuple):
    code: int
    reason: str


def dial(url: str, source: str | None = None, receive_buffer: int | None = None) -> socket.socket:
    address = urlsplit(url)
    wire = socket.socket()
    wire.settimeout(20)
    if receive_buffer is not None:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    if source is not None:
        wire.bind((source, 0))
    wire.connect((address.hostname or "", address.port or 0))
    return wire


def push(wire: socket.socket, data: bytes, total: int) -> int:
    """Send `data` repeatedly until the server disconnects or `total` bytes are sent; return the count."""
    sent = 0
    with suppress(OSError):
        while sent < total:
            sent += wire.send(data)
    return sent


def rest(wire: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    found = b""
    with suppress(ConnectionError):
        while piece := wire.recv(65_536):
            found += piece
    return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def code(answer: bytes) -> str:
    """The code of the problem document in the body."""
    return str(orjson.loads(answer.partition(b"\r\n\r\n")[2])["code"])


def is_gone(wire: socket.socket) -> bool:
    """Whether the peer has closed the connection, even if unread bytes remain."""
    poll = select.poll()
    poll.register(wire, select.POLLRDHUP)
    return bool(poll.poll(0))


def until_gone(wire: socket.socket, seconds: float = 20) -> None:
    eventually(lambda: is_gone(wire), seconds, "the connection to be closed")


def frame(first: int, payload: bytes, declared: int | None = None) -> bytes:
    """A client's frame; `declared` overrides its length."""
    size = len(payload) if declared is None else declared
    if size < 126:
        head = struct.pack("!BB", first, size | 0x80)
    elif size < 1 << 16:
        head = struct.pack("!BBH", first, 126 | 0x80, size)
    else:
        head = struct.pack("!BBQ", first, 127 | 0x80, size)
    return head + _MASK + payload


class RawWebSocket:
    """A WebSocket that does nothing by itself."""

    def __init__(self, url: str, receive_buffer: int | None = None, **headers: str) -> None:
        self.wire = dial(url, receive_buffer=receive_buffer)
        host = urlsplit(url).netloc
        lines = [
            "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
            f"Host: {host}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        self.wire.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self._left = b""
        self.answer = self._head()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def connect(self, token: str | None) -> Any:
        """Send CONNECT; return the reply."""
        assert str(self.next()).startswith("0")
        self.say("40" if token is None else "40" + orjson.dumps({"token": token}).decode())
        return self.next()

    def say(self, text: str, first: int = WHOLE) -> None:
        self.wire.sendall(frame(first, text.encode()))

    def send(self, data: bytes) -> None:
        with suppress(OSError):
            self.wire.sendall(data)

    def call(self, number: int, event: str, body: Any) -> Any:
        self.say(f'42{number}["{event}",{orjson.dumps(body).decode()}]')
        return self.reply(number)

    def reply(self, number: int) -> Any:
        head = f"43{number}"
        while not isinstance(found := self.next(), Closed):
            if found.startswith(head + "["):
                return orjson.loads(found[len(head) :])[0]
        return found

    def next(self) -> str | Closed:
        """The next text, or how the connection ended; replies to pings."""
        while True:
            found = self._frame()
            if found is None:
                return Closed(0, "")
            kind, payload = found
            if kind == 0x88:
                return Closed(int.from_bytes(payload[:2]), payload[2:].decode())
            if payload == b"2":
                self.say("3")
            elif kind == WHOLE:
                return payload.decode()

    def closed(self) -> Closed:
        while not isinstance(found := self.next(), Closed):
            pass
        return found

    def close(self) -> None:
        self.wire.close()

    def _head(self) -> bytes:
        while b"\r\n\r\n" not in self._left:
            piece = self.wire.recv(65_536)
            if not piece:
                return self._left
            self._left += piece
        head, _, self._left = self._left.partition(b"\r\n\r\n")
        return head

    def _frame(self) -> tuple[int, bytes] | None:
        head = self._exactly(2)
        if head is None:
            return None
        size = head[1] & 0x7F
        if size > 125:
            size = int.from_bytes(self._exactly(2 if size == 126 else 8) or b"")
        payload = self._exactly(size)
        return None if payload is None else (head[0], payload)

    def _exactly(self, size: int) -> bytes | None:
        with suppress(ConnectionError):
            while len(self._left) < size:
                piece = self.wire.recv(65_536)
                if not piece:
                    return None
                self._left += piece
        if len(self._left) < size:
            return None
        found, self._left = self._left[:size], self._left[size:]
        return found


def memory_of(server: ServerProcess) -> int:
    """The resident memory of the server, in bytes."""
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
