"""python-socketio's client, with the calls that the SDK makes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import engineio
import orjson
import socketio

EventHandler = Callable[[str, Any], None]  # takes an event's name and body
ReplyHandler = Callable[[Any], None]
_REFUSALS = (1002, 1003, 1007, 1008, 1009)


class CloseReason(NamedTuple):
    """Code and text of the WebSocket frame with which the server closed the connection."""

    code: int
    text: str = ""

    @property
    def is_refusal(self) -> bool:
        """Whether the server objects to something this client sent, so that repeating it fails again."""
        return self.code in _REFUSALS


class EngineClient(engineio.AsyncClient):  # type: ignore[misc]
    """Leaves the HTTP session open, which others use too.

    The library closes it, in whichever thread a lost connection happens to be collected.
    """

    def __del__(self) -> None:
        pass


class SocketClient(socketio.AsyncClient):  # type: ignore[misc]
    """Passes every event to one handler, and acks it once the handler has returned."""

    def __init__(self, on_event: EventHandler, **options: Any) -> None:
        super().__init__(**options)
        self._on_event = on_event
        self.on("*", self._received)

    async def emit_json(self, event: str, body: bytes) -> None:
        await self.emit(event, orjson.loads(body))

    async def request(self, event: str, body: bytes, on_reply: ReplyHandler) -> None:
        """Emit an event; `on_reply` gets the body of its ack."""
        await self.emit(event, orjson.loads(body), callback=lambda *items: on_reply(*items[:1] or (None,)))

    @property
    def close_reason(self) -> CloseReason | None:
        code = getattr(self.eio.ws, "close_code", None)
        return None if code is None else CloseReason(code)

    async def abort(self) -> None:
        """Disconnect at once, without waiting for the server."""
        await self.eio.disconnect(abort=True)

    def _engineio_client_class(self) -> Any:
        return EngineClient

    def _received(self, event: str, body: Any = None) -> bool:
        self._on_event(event, body)
        return True


def client_class() -> type[SocketClient]:
    """The client of `workroom.client.fast`, or with WORKROOM_FAST=0 python-socketio's as published."""
    if os.environ.get("WORKROOM_FAST") == "0":
        return SocketClient
    from workroom.client.fast.socket_client import FastSocketClient  # noqa: PLC0415 - a subclass of the above

    return FastSocketClient
