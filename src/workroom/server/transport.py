"""What a connection tells the application beyond ASGI: how to cut it, and whether its peer keeps up."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any, cast

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from workroom.server.frames import Frames, text_frame

_EXTENSION = "workroom.transport"
_ANSWER = "workroom.answer"
_CHANNEL = "workroom.channel"
_SEND_BUFFER = 65_536


class HttpProtocol(HttpToolsProtocol):
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._whole = _Whole(transport, self.loop)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope["extensions"] = {_EXTENSION: self.transport, _ANSWER: self._answer}

    def on_response_complete(self) -> None:
        self._whole.flush()
        super().on_response_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._whole.begin()
        cycle.transport = cast(asyncio.Transport, self._whole)
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _answer(self, status: int, headers: bytes, body: bytes) -> bool:
        """Write an answer of which every header is known to be well; false if it must go the usual way."""
        cycle = self._answered
        is_usual = cycle.response_started or cycle.access_log or not cycle.keep_alive
        if is_usual or cycle.disconnected or cycle.flow.write_paused:
            return False
        cycle.response_started = cycle.response_complete = True
        length = (b"content-length", str(len(body)).encode())
        head = STATUS_LINE[status] + encode_headers((*cycle.default_headers, length)) + headers
        self._whole.write_all(head + b"\r\n" + body)
        cycle.message_event.set()
        cycle.on_response()
        return True


class _Whole:
    """Writes the head of an answer together with what follows it, if that comes in this turn of the loop."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def begin(self) -> None:
        self._is_head = True

    def write(self, data: bytes) -> None:
        if self._is_head:
            self._is_head = False
            self._head = data
            self._loop.call_soon(self.flush)
        else:
            head, self._head = self._head, b""
            self._transport.write(head + data)

    def write_all(self, data: bytes) -> None:
        self._is_head = False
        self._transport.write(data)

    def flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self._transport.is_closing():
            self._transport.write(head)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()


def encode_headers(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join([name + b": " + value + b"\r\n" for name, value in headers])


def answer(scope: Scope, status: int, headers: bytes, body: bytes) -> bool:
    """Answer at once, without ASGI, if that can be done here."""
    found: Callable[[int, bytes, bytes], bool] | None = scope.get("extensions", {}).get(_ANSWER)
    return found is not None and found(status, headers, body)


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Texts that come in one piece can be heard at once, and others be said at once. The rest is ASGI."""

    _frames: Frames | None = None
    _is_early = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._said: list[bytes] = []

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            extensions: dict[str, Any] = self.scope["extensions"]
            extensions[_CHANNEL] = self

    def listen(self, hear: Callable[[str], bool]) -> None:
        """`hear` says whether it took the text. Who sends before being asked to is heard by ASGI alone."""
        self._hear = hear
        if not self._is_early:
            self._frames = Frames(self._text_received, super().data_received, self.config.ws_max_size)

    def say(self, text: str) -> None:
        """What is said in one turn of the loop leaves together."""
        if not self._said:
            self.loop.call_soon(self._write_said)
        self._said.append(text_frame(text))

    async def send(self, message: Any) -> None:
        self._write_said()
        await super().send(message)

    def data_received(self, data: bytes) -> None:
        if self._frames is None:
            self._is_early = self.handshake_initiated
            super().data_received(data)
        else:
            self._frames.feed(data)

    def _write_said(self) -> None:
        said, self._said = self._said, []
        if said and not (self.disconnected or self.close_sent):
            self.transport.write(b"".join(said))

    def _text_received(self, payload: bytes) -> bool:
        """Nothing overtakes what still waits to be received."""
        if self.close_sent or not self.queue.empty():
            return False
        try:
            return self._hear(payload.decode())
        except UnicodeDecodeError:
            return False


def channel(scope: Scope) -> WebSocketProtocol:
    found: WebSocketProtocol = scope["extensions"][_CHANNEL]
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
