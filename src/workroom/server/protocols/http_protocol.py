"""uvicorn's HTTP protocol, with limits on the size of requests and on the time they take."""

from __future__ import annotations

import asyncio
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from workroom.errors import HeadTooLarge, MalformedRequest, RequestTimeout, TooManyRequests, WorkroomError
from workroom.server.http import problems
from workroom.server.protocols.admission import ConnectionLimit, Release
from workroom.server.protocols.transport import EXTENSION, TransportLimits, encode_headers, reset

_CHUNK_OVERHEAD = 8  # bytes on the wire per byte of a body, at most: b"1\r\nx\r\n" has 6


class HttpProtocol(HttpToolsProtocol):
    """Refuses oversized requests before they are buffered, and closes connections that are too slow."""

    def __init__(
        self, *arguments: Any, limits: TransportLimits, connection_limit: ConnectionLimit, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.access_log = self.access_log and self.config.access_log
        self._limits = limits
        self._connection_limit = connection_limit
        self._release: Release | None = None
        self._extensions: dict[str, Any] = {EXTENSION: self}
        self._deadline: asyncio.TimerHandle | None = None
        self._read_check: asyncio.TimerHandle | None = None
        self._refusal: WorkroomError | None = None
        self._current: RequestResponseCycle | None = None  # the request whose response is due
        self._is_head = True  # the next bytes belong to the head of a request
        self._is_incomplete = False  # a request has begun and not ended
        self._is_first_read = False  # the request began in the bytes just received
        self._is_file = False
        self._read_size = 0  # bytes just received
        self._received = 0  # bytes of this request after the read in which it began
        self._body_size = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        try:
            self._release = self._connection_limit.admit(self.client, len(self.connections))
        except WorkroomError as refusal:
            self._refuse(refusal)
            return
        self._deadline = self.loop.call_later(self._limits.head_seconds, self._on_deadline)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        if self._release is not None:
            self._release()
        if self._current is not None:  # uvicorn disconnects the last pipelined request only
            self._current.disconnected = True
            self._current.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._read_size = len(data)
        self._is_first_read = False
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
            return
        except httptools.HttpParserError:
            self._refuse(self._refusal or MalformedRequest())
            return
        if self._is_incomplete:
            self._check_progress()
        elif self._deadline is None and self._is_idle:
            self._set_deadline(self._limits.head_seconds)  # empty lines are not a request

    def handle_websocket_upgrade(self) -> None:
        self._stop_timers()
        super().handle_websocket_upgrade()
        protocol: Any = self.transport.get_protocol()
        protocol.on_lost, self._release = self._release, None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_incomplete = self._is_first_read = True
        self._is_file = False
        self._received = self._body_size = 0
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope["extensions"] = self._extensions

    def on_headers_complete(self) -> None:
        if self._deadline is not None:
            self._clear_deadline()
        limits = self._limits
        is_long = self._received + self._read_size > limits.head and self._head_size() > limits.head
        if is_long or len(self.headers) > limits.headers:
            self._refusal = _head_too_large(limits)
            raise self._refusal
        if len(self.pipeline) >= limits.pipelined:
            self._refusal = _too_many_pipelined(limits)
            raise self._refusal
        self._is_head = False
        super().on_headers_complete()
        if not self.parser.should_upgrade():
            self.headers = []  # trailers must not be taken for headers

    def on_body(self, body: bytes) -> None:
        self._body_size += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_incomplete = False
        self._is_head = True
        if self._deadline is not None:
            self._clear_deadline()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._close()

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._read_check is not None:
            self._read_check.cancel()

    def expect_file(self) -> None:
        """Give the body as long as it needs, provided that it keeps coming."""
        self._is_file = True

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._current = cycle
        super()._start_asgi_task(cycle, app)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    @property
    def _can_respond(self) -> bool:
        if self._is_head or self.cycle is None:
            return self._is_idle
        return self.cycle is self._current and not self.cycle.response_started

    def _head_size(self) -> int:
        fields = sum([len(name) + len(value) + 4 for name, value in self.headers])
        return len(self.parser.get_method()) + len(self.url) + len(b"  HTTP/1.1\r\n") + fields + 2

    def _check_progress(self) -> None:
        """Limit the size and the time of a request of which a part has arrived."""
        if not self._is_first_read:
            self._received += self._read_size
        if self._received - self._body_size * _CHUNK_OVERHEAD > self._limits.head:
            self._refuse(_head_too_large(self._limits))
        elif self._deadline is None:
            self._set_deadline(self._limits.head_seconds if self._is_head else self._body_timeout)

    @property
    def _body_timeout(self) -> float:
        return self._limits.stall if self._is_file else self._limits.body_seconds

    def _set_deadline(self, seconds: float) -> None:
        self._body_size_before = self._body_size
        self._deadline = self.loop.call_later(seconds, self._on_deadline)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _on_deadline(self) -> None:
        self._deadline = None
        is_paused = self.flow.read_paused  # the application is slow, not the peer
        is_progressing = self._is_file and self._body_size > self._body_size_before
        if not self._is_head and (is_paused or is_progressing):
            self._set_deadline(self._body_timeout)
        elif self._is_head and not self._is_incomplete:
            self._close()  # there is no request to respond to
        else:
            seconds = self._limits.head_seconds if self._is_head else self._body_timeout
            part = "head" if self._is_head else "body"
            self._refuse(RequestTimeout(f"the {part} of a request may take {seconds:g} s"))

    def _refuse(self, refusal: WorkroomError) -> None:
        """Send the problem, unless another response is under way, and close the connection."""
        if not self._can_respond:
            reset(self.transport)
        else:
            response = problems.response(refusal)
            headers = encode_headers((*response.raw_headers, (b"connection", b"close")))
            self.transport.write(STATUS_LINE[response.status_code] + headers + b"\r\n" + bytes(response.body))
            self._close()

    def _close(self) -> None:
        """Close the connection once everything is sent, or the peer stops reading."""
        if self.transport.get_write_buffer_size():
            self._watch_reader(self.transport.get_write_buffer_size())
        self.transport.close()

    def _watch_reader(self, unsent: int) -> None:
        """Reset the connection if the peer reads nothing for `stall` seconds."""
        if self._read_check is not None:
            self._read_check.cancel()
        self._read_check = self.loop.call_later(self._limits.stall, self._check_reader, unsent)

    def _check_reader(self, unsent: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left >= unsent:
            reset(self.transport)
        else:
            self._watch_reader(left)

    def _stop_timers(self) -> None:
        self._clear_deadline()
        if self._read_check is not None:
            self._read_check.cancel()


def _head_too_large(limits: TransportLimits) -> HeadTooLarge:
    return HeadTooLarge(
        f"the request line and headers may have {limits.head} bytes, in at most {limits.headers} headers",
        max_head=limits.head,
        max_headers=limits.headers,
    )


def _too_many_pipelined(limits: TransportLimits) -> TooManyRequests:
    return TooManyRequests(
        f"a connection may send {limits.pipelined} requests ahead of the first response",
        max_pipelined=limits.pipelined,
        retry_after_ms=1000,
    )
