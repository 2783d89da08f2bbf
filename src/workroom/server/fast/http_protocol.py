"""Past ASGI: a large body into one buffer, and the whole response of a submit in one write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httptools
from starlette.requests import ClientDisconnect
from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from workroom.server.fast.body_receiver import BodyReceiver
from workroom.server.protocols.http_protocol import HttpProtocol
from workroom.server.protocols.transport import RECEIVE, encode_headers

_RESPOND = "workroom.respond"


class FastHttpProtocol(HttpProtocol):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._extensions[_RESPOND] = self._respond
        self._extensions[RECEIVE] = self._receive
        self._receiving: asyncio.Future[None] | None = None  # done when the body is complete

    def connection_lost(self, exc: Exception | None) -> None:
        if self._receiving is not None and not self._receiving.done():
            self._receiving.set_exception(ClientDisconnect())
        super().connection_lost(exc)

    def _respond(self, status: int, headers: bytes, body: bytes) -> bool:
        cycle = self._current
        assert cycle is not None
        is_unusual = cycle.response_started or cycle.access_log or not cycle.keep_alive
        if is_unusual or cycle.disconnected or cycle.flow.write_paused:
            return False
        cycle.response_started = cycle.response_complete = True
        length = (b"content-length", str(len(body)).encode())
        head = STATUS_LINE[status] + encode_headers((*cycle.default_headers, length)) + headers
        if not self.transport.is_closing():
            self.transport.write(head + b"\r\n" + body)
        cycle.message_event.set()
        cycle.on_response()
        return True

    def _receive(self, buffer: memoryview) -> asyncio.Future[None] | None:
        """The parser has seen the beginning of the body; the rest is received without it."""
        cycle = self._current
        assert cycle is not None
        begun = len(cycle.body)
        if not self._can_receive(cycle) or not begun < len(buffer) == _content_length(cycle.scope):
            return None
        buffer[:begun] = cycle.body
        cycle.body = bytearray()
        self._receiving = self.loop.create_future()
        self._receiving.add_done_callback(self._on_received)
        self.transport.set_protocol(BodyReceiver(self, buffer[begun:], self._on_bytes))
        self.flow.resume_reading()
        return self._receiving

    def _can_receive(self, cycle: RequestResponseCycle) -> bool:
        is_unread = cycle is self.cycle and cycle.more_body and len(cycle.body) == self._body_size
        is_usual = not (cycle.waiting_for_100_continue or cycle.response_started or cycle.disconnected)
        return is_unread and is_usual and not self.transport.is_closing()

    def _on_bytes(self, size: int, is_last: bool) -> None:
        self._body_size += size
        if not is_last:
            return
        self.on_message_complete()
        self.parser = httptools.HttpRequestParser(self)  # the other one waits for the rest of the body
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self.transport.set_protocol(self)
        if self._receiving is not None and not self._receiving.done():
            self._receiving.set_result(None)

    def _on_received(self, received: asyncio.Future[None]) -> None:
        """Close the connection after the response if nobody waits for the rest of the body."""
        is_incomplete = received.cancelled() and self.transport.get_protocol() is not self
        if is_incomplete and self._current is not None and not self.transport.is_closing():
            self._current.keep_alive = False
            self.flow.pause_reading()


def _content_length(scope: Any) -> int:
    """-1 if it is not given, or does not count."""
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"")
    return int(length) if length.isdigit() and b"transfer-encoding" not in headers else -1


def respond(scope: Scope, status: int, headers: bytes, body: bytes) -> bool:
    """Write a response past ASGI. Returns False, with nothing written, where that is not possible.

    The caller vouches for the headers: they are not checked again.
    """
    write: Callable[[int, bytes, bytes], bool] | None = scope.get("extensions", {}).get(_RESPOND)
    return write is not None and write(status, headers, body)
