"""uvicorn's WebSocket protocol, with a limit on everything that a peer can make grow."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from starlette.types import Scope
from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request

from workroom.server.protocols.admission import Release
from workroom.server.protocols.transport import TransportLimits, discard_unsent, limit_send_buffer, reset

_EXTENSION = "workroom.websocket"
_FRAGMENT_BYTES = 128  # memory that a fragment takes besides its payload
_EARLY_MESSAGES = 16  # messages that may be queued before `admit`
_PARSE_BYTES = 4096  # parsed at a time: a read of 64 kB may hold 10,000 messages
_SEND_BUFFER = 262_144
CLOSING_BYTES = 4096  # read from a peer that is being closed: its close frame, and little more
_CLOSE_SECONDS = 5.0  # for the peer to read the reason of the close


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """Takes small and few messages until the peer is known (`admit`), then messages of full size."""

    def __init__(self, *arguments: Any, limits: TransportLimits, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.on_lost: Release | None = None
        self._limits = limits
        self._max_size = self.conn.max_message_size = limits.hello
        self._is_admitted = False
        self._unparsed = b""
        self._fragment_bytes = 0
        self._abort_timer: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._abort_timer is not None:
            self._abort_timer.cancel()
        discard_unsent(self.transport)
        if self.on_lost is not None:
            self.on_lost()
        super().connection_lost(exc)

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            extensions: dict[str, Any] = self.scope["extensions"]
            extensions[_EXTENSION] = self
            limit_send_buffer(self.transport, _SEND_BUFFER)

    def admit(self) -> None:
        """Accept messages of full size: the peer is authenticated."""
        self._max_size = self.conn.max_message_size = self._limits.message
        self._is_admitted = True

    def close(self, code: int, reason: str) -> None:
        """Send a close frame, and reset the connection if the peer does not read it in time."""
        if self.disconnected or self.close_sent or not self.handshake_complete:
            return
        try:
            self.conn.send_close(code, reason[:120])
        except InvalidState:  # the peer closed first
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.frames = []
        self._unparsed = b""
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self._reset_later()
        self.close_timer = self._abort_timer

    def data_received(self, data: bytes) -> None:
        if self.close_sent and len(data) > CLOSING_BYTES:
            reset(self.transport)  # the peer keeps sending after a close frame
        elif self.handshake_initiated:
            self._unparsed += data
            self._parse()
        else:
            super().data_received(data)
            if not self.handshake_initiated:
                self._refuse_handshake()

    async def receive(self) -> ASGIReceiveEvent:
        message = await super().receive()
        self._parse()
        return message

    def handle_ping(self) -> None:
        """Drop pongs for a peer that does not read."""
        pong = b"".join(self.conn.data_to_send())
        if self.writable.is_set():
            self.transport.write(pong)

    def handle_cont(self, event: Frame) -> None:
        """Count empty fragments too: they take memory."""
        self._fragment_bytes += _FRAGMENT_BYTES + len(event.data)
        if self._fragment_bytes > self._max_size:
            reason = f"a message may have {self._max_size} bytes, in few fragments"
            self.close(CloseCode.MESSAGE_TOO_BIG, reason)
        if self.close_sent:
            return
        super().handle_cont(event)
        if event.fin:
            self._fragment_bytes = 0

    def send_receive_event_to_app(self) -> None:
        """Queue a complete message. uvicorn would log a traceback for each that is not UTF-8."""
        if not self._is_admitted and self.queue.qsize() > _EARLY_MESSAGES:
            self.close(CloseCode.POLICY_VIOLATION, "too many messages at once")
        elif self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.close(CloseCode.INVALID_DATA, "a text message is not UTF-8")
        super().send_receive_event_to_app()

    def handle_close(self, event: Frame) -> None:
        super().handle_close(event)
        self._reset_later()

    def handle_parser_exception(self) -> None:
        super().handle_parser_exception()
        self._reset_later()

    def _parse(self) -> None:
        """Parse what was read, and pause while enough messages are queued."""
        while self._unparsed and (self.queue.qsize() < self._limits.requests or self.close_sent):
            data, self._unparsed = self._unparsed[:_PARSE_BYTES], self._unparsed[_PARSE_BYTES:]
            super().data_received(data)
            if self.transport.is_closing():
                self._unparsed = b""

    def _reset_later(self) -> None:
        """Reset the connection if the peer does not read what is left to send: closing waits for that."""
        if self._abort_timer is not None:
            self._abort_timer.cancel()
        if not self.disconnected:
            self._abort_timer = self.loop.call_later(_CLOSE_SECONDS, reset, self.transport)

    def _refuse_handshake(self) -> None:
        """websockets accepts shorter headers than the HTTP protocol, and drops longer ones silently."""
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()
        self._reset_later()


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def find_websocket(scope: Scope) -> WebSocketProtocol | None:
    """None under another server."""
    found: WebSocketProtocol | None = scope.get("extensions", {}).get(_EXTENSION)
    return found


def websocket_of(scope: Scope) -> WebSocketProtocol:
    found: WebSocketProtocol = scope["extensions"][_EXTENSION]
    return found
