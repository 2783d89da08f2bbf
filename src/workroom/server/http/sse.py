"""Server-sent events: the frames, and a response that ends when its client stalls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress

import orjson
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workroom.domain.events import Event, JobLogged
from workroom.errors import WorkroomError
from workroom.server.http.views.event import render_event
from workroom.server.protocols import transport
from workroom.services.bounded_cache import bounded_cache
from workroom.services.json_codec import compact
from workroom.services.live.stream import StreamEvent

log = structlog.get_logger()

_PING = b": ping\n\n"
_RETRY = b"retry: 1000\n"  # sent with the first event: some clients take it for an event if it stands alone
_CLOSE_SECONDS = 1.0
_MAX_SHARED = 1_000_000  # bytes of encoded events, and of the events
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def encode_frame(event: StreamEvent) -> bytes:
    """Every line of the body is prefixed with `data:`, so that none can pass for a line of the protocol."""
    lines = [f"id: {event.id}".encode()] if event.id is not None else []
    lines.append(f"event: {event.name}".encode())
    lines += [b"data: " + line for line in _encode_body(event.body).splitlines()]
    return b"\n".join(lines) + b"\n\n"


def _encode_body(body: Event | Mapping[str, object]) -> bytes:
    if not isinstance(body, Event):
        return orjson.dumps(body)
    return _encode_event(body) if isinstance(body, JobLogged) else _encode_shared(body)


def _encode_event(event: Event) -> bytes:
    return compact(orjson.dumps(render_event(event)))


# An event of a thousand streams is encoded once.
_encode_shared = bounded_cache(_MAX_SHARED, lambda encoded, _: 2 * len(encoded))(_encode_event)


class EventStream(Response):
    """Sends batches of events until there are no more, the client disconnects or stalls, or it is closed."""

    media_type = "text/event-stream"

    def __init__(
        self,
        batches: Callable[[float], AsyncIterator[list[StreamEvent]]],
        *,
        ping: float,
        stall: float,
        on_close: Callable[[], None],
    ) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers(_HEADERS)
        self._batches = batches
        self._ping = ping
        self._stall = stall
        self._on_close = on_close
        self._sender: asyncio.Task[None] | None = None
        self._is_closed = False
        self._reason: str | None = None

    def close(self, reason: str | None = None) -> None:
        """End the stream now; the reason is the last event."""
        self._is_closed = True
        self._reason = reason or self._reason
        if self._sender is not None:
            self._sender.cancel()

    def close_soon(self) -> None:
        """The last events are on their way: close the stream if the client does not read them soon."""
        asyncio.get_running_loop().call_later(_CLOSE_SECONDS, self.close)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport.prepare_stream(scope, self._stall)
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        try:
            await send(start)
            async with asyncio.TaskGroup() as group:
                self._sender = group.create_task(self._send_batches(send))
                disconnect = group.create_task(self._wait_for_disconnect(receive))
                if self._is_closed:
                    self._sender.cancel()
                await asyncio.wait([self._sender])
                disconnect.cancel()
            await self._send_last(send)
        except* TimeoutError:
            transport.abort(scope)
            await _disconnected(receive)
        finally:
            self._on_close()

    async def _send_batches(self, send: Send) -> None:
        await self._send(send, _PING)
        before = _RETRY
        try:
            async for batch in self._batches(self._ping):
                if self._is_closed:  # a driver may have swallowed the cancellation
                    return
                await self._send(send, before + b"".join(map(encode_frame, batch)) if batch else _PING)
                before = b"" if batch else before
        except WorkroomError as error:  # the client reconnects with its last id
            log.warning("stream_broken_off", reason=error.detail)

    async def _send(self, send: Send, body: bytes) -> None:
        async with asyncio.timeout(self._stall):
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def _wait_for_disconnect(self, receive: Receive) -> None:
        await _disconnected(receive)
        assert self._sender is not None
        self._sender.cancel()

    async def _send_last(self, send: Send) -> None:
        async with asyncio.timeout(_CLOSE_SECONDS):
            last = (
                b"" if self._reason is None else encode_frame(StreamEvent("closed", {"reason": self._reason}))
            )
            await send({"type": "http.response.body", "body": last, "more_body": False})


async def _disconnected(receive: Receive) -> None:
    with suppress(OSError):
        while (await receive())["type"] != "http.disconnect":
            pass
