"""Reads and writes events and acks directly on the WebSocket.

python-engineio runs every message through a queue, and starts a task and a timer for each; python-socketio
builds a packet object on top. Connecting, disconnecting and heartbeats stay with the libraries.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import aiohttp
from engineio.base_client import connected_clients
from engineio.packet import MESSAGE, Packet
from socketio.exceptions import BadNamespaceError

from workroom.client.fast import messages
from workroom.client.transport.socket_client import (
    CloseReason,
    EngineClient,
    EventHandler,
    ReplyHandler,
    SocketClient,
)

log = logging.getLogger(__name__)

_NAMESPACE = "/"
_ENDS = (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSING, aiohttp.WSMsgType.CLOSED)


class FastSocketClient(SocketClient):
    def __init__(self, on_event: EventHandler, **options: Any) -> None:
        super().__init__(on_event, **options)
        self._ack_ids = count(1)
        self._reply_handlers: dict[int, ReplyHandler] = {}
        self.eio.on_text = self._receive

    async def emit_json(self, event: str, body: bytes) -> None:
        await self._write(messages.encode_event(event, body))

    async def request(self, event: str, body: bytes, on_reply: ReplyHandler) -> None:
        ack_id = next(self._ack_ids)
        self._reply_handlers[ack_id] = on_reply
        await self._write(messages.encode_event(event, body, ack_id))

    @property
    def close_reason(self) -> CloseReason | None:
        reason: CloseReason | None = self.eio.close_reason
        return reason

    async def _write(self, text: str) -> None:
        if _NAMESPACE not in self.namespaces:
            raise BadNamespaceError("not connected")
        await self.eio.write(text)

    async def _receive(self, text: str) -> bool:
        """Return False for a packet that the library has to handle."""
        message = messages.decode(text)
        if message is None:
            return False
        is_ack, ack_id, items = message
        if is_ack:
            self._reply_handlers.pop(ack_id or 0, _ignore)(items[0] if items else None)
            return True
        try:
            self._on_event(items[0], items[1] if len(items) > 1 else None)
        except Exception:
            log.exception("cannot handle event: %s", text[:100])
        if ack_id is not None:
            await asyncio.sleep(0)  # lets a request that the handler triggered leave before the ack
            await self.eio.write(messages.encode_ack(ack_id, b"true"))
        return True

    def _engineio_client_class(self) -> Any:
        return _EngineClient


class _EngineClient(EngineClient):
    """Heartbeats still go through the library's queue, which detects a lost connection."""

    on_text: Callable[[str], Awaitable[bool]]
    close_reason: CloseReason | None = None

    async def write(self, text: str) -> None:
        if self.state == "connected" and self.ws is not None:
            try:
                await self.ws.send_str(text)
            except (OSError, aiohttp.ClientError):
                await self._send_packet(Packet(MESSAGE, text[1:]))

    async def _read_loop_websocket(self) -> None:
        try:
            await self._read_until_closed(self.ping_interval + self.ping_timeout)
        except (OSError, aiohttp.ClientError, ValueError) as error:  # TimeoutError is an OSError
            log.debug("lost the socket: %r", error)
        await self.queue.put(None)
        if self.write_loop_task:
            await self.write_loop_task
        if self.state == "connected":
            await self._trigger_event("disconnect", self.reason.TRANSPORT_ERROR, run_async=False)
            if self in connected_clients:
                connected_clients.remove(self)
            await self._reset()

    async def _read_until_closed(self, timeout: float) -> None:  # noqa: ASYNC109
        """Read until the connection closes, receives binary data or is silent for too long.

        One timer serves all messages: it moves only after a tenth of the timeout.
        """
        loop = asyncio.get_running_loop()
        received_at = loop.time()
        async with asyncio.timeout(timeout) as limit:
            while (message := await self.ws.receive()).type not in _ENDS:
                if loop.time() > received_at + timeout / 10:
                    received_at = loop.time()
                    limit.reschedule(received_at + timeout)
                if self.state != "connected" or not isinstance(message.data, str):
                    return
                if not await self.on_text(message.data):
                    await self._receive_packet(Packet(encoded_packet=message.data))
        if message.type is aiohttp.WSMsgType.CLOSE:
            self.close_reason = CloseReason(message.data or 0, message.extra or "")


def _ignore(_: Any) -> None:
    """Drop the ack of a request that has timed out."""
