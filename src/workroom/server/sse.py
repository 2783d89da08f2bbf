"""Server-sent events: how they are written, and how long a reader may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import lru_cache

import orjson
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workroom.domain.events import Event, JobLogged
from workroom.errors import WorkroomError
from workroom.server import transport
from workroom.server.bus import payload
from workroom.services.streaming import Told

log = structlog.get_logger()

_PING = b": ping\n\n"
_RETRY = b"retry: 1000\n"  # goes with the first event: some clients take it for one if it stands alone
_GOODBYE_SECONDS = 1.0
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def frame(told: Told) -> bytes:
    """No line of what is told can pass for a line of the protocol: each is marked as data."""
    lines = [f"id: {told.id}".encode()] if told.id is not None else []
    lines.append(f"event: {told.name}".encode())
    lines += [b"data: " + line for line in _data(told).splitlines()]
    return b"\n".join(lines) + b"\n\n"


def _data(told: Told) -> bytes:
    if not isinstance(told.body, Event):
        return orjson.dumps(told.body)
    return _encoded(told.body) if isinstance(told.body, JobLogged) else _shared(told.body)


def _encoded(event: Event) -> bytes:
    return orjson.dumps(payload(event))


_shared = lru_cache(maxsize=256)(_encoded)  # what a thousand streams tell is encoded once


class EventStream(Response):
    """Tells batches as they come, until there are no more, the reader leaves or stalls, or it is cut."""

    media_type = "text/event-stream"

    def __init__(
        self,
        batches: Callable[[float], AsyncIterator[list[Told]]],
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
        self._telling: asyncio.Task[None] | None = None
        self._is_cut = False

    def cut(self) -> None:
        self._is_cut = True
        if self._telling is not None:
            self._telling.cancel()

    def hurry(self) -> None:
        """There is little left to tell: who does not take it soon is cut."""
        asyncio.get_running_loop().call_later(_GOODBYE_SECONDS, self.cut)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport.prepare(scope, self._stall)
        try:
            async with asyncio.TaskGroup() as group:
                self._telling = group.create_task(self._tell(send))
                listening = group.create_task(self._listen(receive))
                if self._is_cut:
                    self._telling.cancel()
                await asyncio.wait([self._telling])
                listening.cancel()
            await self._say_goodbye(send)
        except* TimeoutError:
            transport.cut(scope)
            await _until_gone(receive)
        finally:
            self._on_close()

    async def _tell(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        await send(start)
        await self._send(send, _PING)
        before = _RETRY
        try:
            async for batch in self._batches(self._ping):
                await self._send(send, before + b"".join(map(frame, batch)) if batch else _PING)
                before = b"" if batch else before
        except WorkroomError as error:  # the reader will come back to where it was
            log.warning("stream_broken_off", reason=error.detail)

    async def _send(self, send: Send, body: bytes) -> None:
        async with asyncio.timeout(self._stall):
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def _listen(self, receive: Receive) -> None:
        await _until_gone(receive)
        assert self._telling is not None
        self._telling.cancel()

    async def _say_goodbye(self, send: Send) -> None:
        async with asyncio.timeout(_GOODBYE_SECONDS):
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _until_gone(receive: Receive) -> None:
    with suppress(OSError):
        while (await receive())["type"] != "http.disconnect":
            pass
