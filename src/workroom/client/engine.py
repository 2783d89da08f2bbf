"""Socket.IO as the SDK speaks it: a message is written and heard at once, not handed from task to task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import aiohttp
import engineio
import orjson
import socketio
from engineio.base_client import connected_clients
from engineio.packet import MESSAGE, Packet
from socketio.exceptions import BadNamespaceError

from workroom.client import messages

log = logging.getLogger(__name__)

_NAMESPACE = "/"

Listener = Callable[[str, Any], None]  # of an event and its body
Acked = Callable[[Any], None]


class DirectClient(socketio.AsyncClient):  # type: ignore[misc]
    """`heard` is told of every event; it is acknowledged once that has returned."""

    def __init__(self, heard: Listener, **options: Any) -> None:
        super().__init__(**options)
        self._heard = heard
        self._numbers = count(1)
        self._asked: dict[int, Acked] = {}
        self.eio.hear = self._hear

    async def ask(self, event: str, body: Any, acked: Acked) -> None:
        number = next(self._numbers)
        self._asked[number] = acked
        await self._say(messages.event(event, orjson.dumps(body), number))

    async def tell(self, event: str, body: Any) -> None:
        await self._say(messages.event(event, orjson.dumps(body)))

    async def _say(self, text: str) -> None:
        if _NAMESPACE not in self.namespaces:
            raise BadNamespaceError("not connected")
        await self.eio.say(text)

    async def _hear(self, text: str) -> bool:
        """False for what is the library's to handle."""
        heard = messages.heard(text)
        if heard is None:
            return False
        is_answer, number, items = heard
        if is_answer:
            self._asked.pop(number or 0, _ignore)(items[0] if items else None)
            return True
        try:
            self._heard(items[0], items[1] if len(items) > 1 else None)
        except Exception:
            log.exception("an event was not understood: %s", text[:100])
        if number is not None:
            await asyncio.sleep(0)  # who was told may have something to say that is waited for
            await self.eio.say(messages.answer(number, b"true"))
        return True

    def _engineio_client_class(self) -> Any:
        return _Engine


class _Engine(engineio.AsyncClient):  # type: ignore[misc]
    """What keeps the connection alive still goes through the library's queue, which notices a lost one."""

    hear: Callable[[str], Awaitable[bool]]

    async def say(self, text: str) -> None:
        if self.state == "connected" and self.ws is not None:
            try:
                await self.ws.send_str(text)
            except (OSError, aiohttp.ClientError):
                await self._send_packet(Packet(MESSAGE, text[1:]))

    async def _read_loop_websocket(self) -> None:
        try:
            await self._listen(self.ping_interval + self.ping_timeout)
        except (OSError, aiohttp.ClientError, ValueError) as error:  # a timeout is an OSError
            log.debug("the socket is lost: %r", error)
        await self.queue.put(None)
        if self.write_loop_task:
            await self.write_loop_task
        if self.state == "connected":
            await self._trigger_event("disconnect", self.reason.TRANSPORT_ERROR, run_async=False)
            if self in connected_clients:
                connected_clients.remove(self)
            await self._reset()

    async def _listen(self, patience: float) -> None:
        """Until it is closed, says what nobody understands, or is silent for too long (within a tenth)."""
        loop = asyncio.get_running_loop()
        heard_at = loop.time()
        async with asyncio.timeout(patience) as limit:
            async for message in self.ws:
                if loop.time() > heard_at + patience / 10:
                    heard_at = loop.time()
                    limit.reschedule(heard_at + patience)
                if self.state != "connected" or not isinstance(message.data, str):
                    return
                if not await self.hear(message.data):
                    await self._receive_packet(Packet(encoded_packet=message.data))


def _ignore(_: Any) -> None:
    """An answer to what nobody waits for any more."""
