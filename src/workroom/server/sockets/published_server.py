"""Sockets through python-socketio and uvicorn as published, with the limits in an ASGI middleware."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected
from websockets.frames import CloseCode

from workroom.errors import NotFound
from workroom.server.protocols.asgi_websocket import AsgiWebSocket
from workroom.server.protocols.websocket import WebSocket
from workroom.server.protocols.websocket_protocol import find_websocket
from workroom.server.sockets import packets
from workroom.server.sockets.client_socket import CONNECT, PONG, ClientSocket, SocketLimits
from workroom.server.sockets.packets import RefusedPacket
from workroom.server.sockets.socket_server import NAMESPACE, Acked, ConnectHandler, SocketServer

_EXTENSION = "workroom.socket"
_RESERVED = frozenset({"connect", "disconnect", "*"})  # python-socketio would call its own handlers
_MAX_UNACKED = 1000


class PublishedSocketServer(SocketServer):
    def __init__(self, limits: SocketLimits) -> None:
        super().__init__(limits)
        self._emits: deque[Coroutine[Any, Any, None]] = deque()
        self._emitting: asyncio.Task[None] | None = None
        self._sio.on("*", self._handle)

    def on_connect(self, handler: ConnectHandler) -> None:
        async def connect(sid: str, environ: dict[str, Any], auth: Any) -> None:
            await handler(sid, environ, auth)
            _guarded(environ).sid = sid

        super().on_connect(connect)

    def asgi(self, app: ASGIApp) -> ASGIApp:
        served = super().asgi(app)

        async def guard(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "websocket":
                await served(scope, receive, send)
                return
            websocket: WebSocket | None = find_websocket(scope)
            if websocket is None:  # under another server
                own = websocket = AsgiWebSocket(receive, send, self.limits.hello, self.limits.message)
                receive, send = own.receive, own.send
            await GuardedSocket(scope, receive, send, websocket, self).serve(served)

        return guard

    def is_connected(self, sid: str) -> bool:
        return bool(self._sio.manager.is_connected(sid, NAMESPACE))

    def publish(self, audiences: Iterable[str], event: str, body: bytes, *, volatile: bool = False) -> None:
        to = self._who_keep_up(audiences) if volatile else list(audiences)
        if to:  # an empty list would be everyone
            self._emit(self._sio.emit(event, orjson.loads(body), to=to))

    def _who_keep_up(self, audiences: Iterable[str]) -> list[str]:
        sockets = {
            sid: self._socket(sid)
            for sid, _ in self._sio.manager.get_participants(NAMESPACE, list(audiences))
        }
        return [sid for sid, socket in sockets.items() if socket is not None and not socket.is_behind]

    def request(self, sid: str, event: str, body: bytes, on_ack: Acked) -> None:
        socket = self._socket(sid)
        if socket is None:
            return
        socket.unacked += 1
        if socket.unacked > _MAX_UNACKED:
            socket.close(CloseCode.POLICY_VIOLATION, f"{_MAX_UNACKED} messages are not acknowledged")
            return

        def acked(*_: object) -> None:
            socket.unacked -= 1
            on_ack()

        self._emit(self._sio.emit(event, orjson.loads(body), to=sid, callback=acked))

    def _emit(self, emit: Coroutine[Any, Any, None]) -> None:
        """Emit in the order of the calls. No emit waits for a client: `GuardedSocket` queues."""
        self._emits.append(emit)
        if self._emitting is None:
            self._emitting = asyncio.get_running_loop().create_task(self._emit_all())

    async def _emit_all(self) -> None:
        while self._emits:
            await self._emits.popleft()
        self._emitting = None

    async def _handle(self, event: str, sid: str, body: Any = None) -> Any:
        socket = self._socket(sid)
        if self._handler is None or socket is None:
            return None
        with socket.handling():
            return orjson.loads(await self._handler(sid, event, body))

    def _socket(self, sid: str) -> GuardedSocket | None:
        environ = self._sio.get_environ(sid)
        return None if environ is None else _guarded(environ)


class GuardedSocket(ClientSocket):
    """Stands between uvicorn and python-engineio. Checks each packet before the library reads it, and queues
    what the library sends, so that the library's own unbounded queue stays empty.
    """

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        websocket: WebSocket,
        server: PublishedSocketServer,
    ) -> None:
        super().__init__(websocket, server.limits)
        self.sid: str | None = None
        self.unacked = 0
        self._scope = scope
        self._asgi_receive = receive
        self._asgi_send = send
        self._server = server
        self._sizes: deque[int] = deque()  # of requests whose handler has not begun
        self._is_admitted = False

    async def serve(self, app: ASGIApp) -> None:
        self._scope.setdefault("extensions", {})[_EXTENSION] = self
        self._start_timers()
        try:
            await app(self._scope, self._receive_message, self._send_message)
        finally:
            self._stop_timers()
            self.close(CloseCode.NORMAL_CLOSURE)

    @property
    def is_connected(self) -> bool:
        return self.sid is not None and self._server.is_connected(self.sid)

    def send(self, text: str) -> None:
        if not self._websocket.close_sent:
            self._enqueue(text)

    @contextmanager
    def handling(self) -> Iterator[None]:
        """A request is in flight from its arrival to the end of this context.

        Handlers begin in the order in which their requests arrived.
        """
        size = self._sizes.popleft()
        try:
            yield
        finally:
            self._end_request(size)

    async def _write(self, text: str) -> None:
        with suppress(ClientDisconnected):
            await self._asgi_send({"type": "websocket.send", "text": text})

    def _hold(self) -> None:
        """Nothing to do: `_receive_message` waits for capacity, and uvicorn stops reading meanwhile."""

    def _release(self) -> None:
        """Nothing to do: see `_hold`."""

    async def _send_message(self, message: Message) -> None:
        if message["type"] == "websocket.send":
            self.send(message["text"])
        elif message["type"] == "websocket.close" and self._websocket.handshake_complete:
            self.close(CloseCode.NORMAL_CLOSURE)
        else:
            await self._asgi_send(message)

    async def _receive_message(self) -> Message:
        while True:
            if not self._is_admitted and self.is_connected:
                self._is_admitted = True
                self._websocket.admit()
            await self._has_capacity.wait()
            message = await self._asgi_receive()
            if message["type"] != "websocket.receive":
                return message
            self._received_at = self._loop.time()
            if not self._websocket.close_sent and self._accepts(message.get("text")):
                return message

    def _accepts(self, text: str | None) -> bool:
        if text is None:
            self._refuse_binary()
            return False
        if text == PONG:
            return True
        packet = packets.read(text, self._limits.parts)
        if isinstance(packet, RefusedPacket):
            self._refuse(packet)
            return False
        if packet is None:
            return self._accepts_connect(text)
        return packet.is_ack or self._accepts_event(len(text), packet.ack_id, packet.items[0])

    def _accepts_connect(self, text: str) -> bool:
        if text.startswith(CONNECT) and self.is_connected:
            self._refuse_second_connect()
            return False
        return True

    def _accepts_event(self, size: int, ack_id: int | None, event: str) -> bool:
        if not self.is_connected:
            self._refuse_early_event()
            return False
        if event in _RESERVED:
            self._refuse(packets.refusal(ack_id, NotFound(f"there is no event '{event}'")))
            return False
        self._sizes.append(size)
        self._begin_request(size)
        return True


def _guarded(environ: dict[str, Any]) -> GuardedSocket:
    found: GuardedSocket = environ["asgi.scope"]["extensions"][_EXTENSION]
    return found
