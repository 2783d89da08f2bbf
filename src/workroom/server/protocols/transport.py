"""The connection below a request: its limits, and what routes may do with it."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl
from typing import Any, Protocol

from starlette.types import Scope

from workroom.settings import Settings

EXTENSION = "workroom.connection"  # the key in scope["extensions"]
RECEIVE = "workroom.receive"
_STREAM_BUFFER = 65_536
_SIOCOUTQNSD = 0x894B  # Linux: bytes in the send queue that were not sent
_NO_LINGER = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class TransportLimits:
    head: int
    headers: int
    pipelined: int
    hello: int
    message: int
    requests: int
    head_seconds: float
    body_seconds: float
    stall: float

    @classmethod
    def of(cls, settings: Settings) -> TransportLimits:
        return cls(
            head=settings.max_head,
            headers=settings.max_headers,
            pipelined=settings.max_pipelined,
            hello=settings.max_hello,
            message=settings.max_message,
            requests=settings.max_requests,
            head_seconds=settings.head_timeout,
            body_seconds=settings.body_timeout,
            stall=settings.stall,
        )


class HttpConnection(Protocol):
    transport: asyncio.Transport

    def expect_file(self) -> None: ...


def expect_file(scope: Scope) -> None:
    """Allow the body of this request to be large and slow."""
    connection = _connection(scope)
    if connection is not None:
        connection.expect_file()


def receive_into(scope: Scope, buffer: memoryview) -> asyncio.Future[None] | None:
    """Receive a body, of which nothing was read, into a buffer of its declared size, without copies.

    None, with nothing received, where that is not possible. Raises ClientDisconnect.
    """
    receive: Callable[[memoryview], asyncio.Future[None] | None] | None
    receive = scope.get("extensions", {}).get(RECEIVE)
    return None if receive is None else receive(buffer)


def prepare_stream(scope: Scope, seconds: float) -> None:
    """Keep little of an endless response in the kernel, and detect a peer that is gone within `seconds`."""
    connection = _connection(scope)
    sock = None if connection is None else limit_send_buffer(connection.transport, _STREAM_BUFFER)
    if sock is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def abort(scope: Scope) -> None:
    """Close the connection of this request at once and discard unsent data."""
    connection = _connection(scope)
    if connection is not None:
        reset(connection.transport)


def reset(transport: asyncio.Transport) -> None:
    """Close a connection at once and discard unsent data, the kernel's too."""
    sock = transport.get_extra_info("socket")
    is_open = not transport.is_closing() or transport.get_write_buffer_size() > 0
    if sock is not None and is_open:
        with suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()


def discard_unsent(transport: asyncio.Transport) -> None:
    """Let the close of this connection discard what the kernel cannot send, because the peer does not read.

    Otherwise the kernel keeps it for minutes, and the peer is not informed of the close.
    """
    sock = transport.get_extra_info("socket")
    if sock is not None:
        with suppress(OSError, ValueError):  # not on every system, and not once it is closed
            (unsent,) = struct.unpack("i", ioctl(sock.fileno(), _SIOCOUTQNSD, bytes(4)))
            if unsent:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)


def limit_send_buffer(transport: asyncio.Transport, size: int) -> Any:
    """Limit what the kernel buffers for the peer. Returns the socket if it is a TCP one."""
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
    return sock


def encode_headers(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join([name + b": " + value + b"\r\n" for name, value in headers])


def _connection(scope: Scope) -> HttpConnection | None:
    found: HttpConnection | None = scope.get("extensions", {}).get(EXTENSION)
    return found
