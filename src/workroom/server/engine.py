"""Engine.IO over a WebSocket, without the tasks, timers and queue that the library takes for each message."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

import socketio
from engineio.async_socket import AsyncSocket
from engineio.exceptions import EngineIOError, SocketIsClosedError
from engineio.packet import Packet

from workroom.server.transport import writable


def use_direct_sockets(sio: socketio.AsyncServer) -> None:
    """What is said to a client goes out at once if it keeps up, and waits in line if it does not."""
    sio.eio._async = {**sio.eio._async, "websocket": DirectSocket}


class DirectSocket:
    """One client: stands between the library's socket, which it speaks for, and the WebSocket."""

    def __init__(self, handler: Any, server: Any) -> None:
        self._socket: AsyncSocket = handler.__self__
        self._server = server
        self._patience = server.ping_interval + server.ping_timeout
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._loop.time()
        self._line: deque[Packet] = deque()
        self._sending: asyncio.Task[None] | None = None

    async def __call__(self, environ: dict[str, Any]) -> str:
        self._receive, self._send = environ["asgi.receive"], environ["asgi.send"]
        self._writable = writable(environ["asgi.scope"])
        await self._send({"type": "websocket.accept"})
        self._socket.connected = self._socket.upgraded = True
        self._socket.send, self._socket.hang_up = self.put, self.hang_up
        await self._put_what_waits()
        self._watch()
        try:
            await self._listen()
        finally:
            self._timer.cancel()
            await self.hang_up()
            await self._socket.close(wait=False, abort=True, reason=self._server.reason.TRANSPORT_CLOSE)
        return ""

    async def put(self, packet: Packet) -> None:
        """Never waits for the client."""
        if self._socket.closed:
            raise SocketIsClosedError()
        if self._sending is None and self._writable.is_set():
            await self._write(packet)
        else:
            self._line.append(packet)
            self._sending = self._sending or self._loop.create_task(self._send_line())

    async def hang_up(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
        with contextlib.suppress(OSError, RuntimeError):  # it is closed already
            await self._send({"type": "websocket.close"})

    async def _put_what_waits(self) -> None:
        queue = self._socket.queue
        while not queue.empty():
            await self.put(queue.get_nowait())
            queue.task_done()

    async def _listen(self) -> None:
        while (event := await self._receive())["type"] == "websocket.receive":
            self._heard_at = self._loop.time()
            try:
                await self._socket.receive(Packet(encoded_packet=event.get("text") or event.get("bytes")))
            except (EngineIOError, ValueError):  # it is closed, or this is not Engine.IO
                return

    async def _send_line(self) -> None:
        while self._line:
            await self._write(self._line.popleft())
        self._sending = None

    async def _write(self, packet: Packet) -> None:
        """Who is gone is noticed by who listens."""
        with contextlib.suppress(OSError, RuntimeError):
            await self._send({"type": "websocket.send", "text": packet.encode()})

    def _watch(self) -> None:
        """Who neither speaks nor answers pings is not there."""
        left = self._heard_at + self._patience - self._loop.time()
        self._timer = self._loop.call_later(max(left, 0.1), self._watch)
        if left <= 0:
            self._hanging_up = self._loop.create_task(self.hang_up())
