"""What a connection tells the application beyond ASGI: how to cut it, and whether its peer keeps up."""

from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus
from typing import Any

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

_EXTENSION = "workroom.transport"
_WRITABLE = "workroom.writable"
_SEND_BUFFER = 65_536


class HttpProtocol(HttpToolsProtocol):
    def on_message_begin(self) -> None:
        super().on_message_begin()
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope["extensions"] = {_EXTENSION: self.transport}


class WebSocketProtocol(WebSocketsSansIOProtocol):
    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            extensions: dict[str, Any] = self.scope["extensions"]
            extensions[_WRITABLE] = self.writable


def writable(scope: Scope) -> asyncio.Event:
    """Set while what is written to a WebSocket does not pile up."""
    found: asyncio.Event = scope["extensions"][_WRITABLE]
    return found


def prepare(scope: Scope, seconds: float) -> None:
    """For an answer without an end: little waits in the kernel, and a peer that is gone is noticed."""
    transport = _transport(scope)
    sock = None if transport is None else transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))


def cut(scope: Scope) -> None:
    """End the connection now; what was not sent is not sent."""
    transport = _transport(scope)
    if transport is not None:
        transport.abort()


def _transport(scope: Scope) -> asyncio.Transport | None:
    found: asyncio.Transport | None = scope.get("extensions", {}).get(_EXTENSION)
    return found
