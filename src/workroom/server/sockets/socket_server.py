"""The Socket.IO server as the rest of Workroom sees it: events in, events out, audiences."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any

import socketio
from engineio.async_socket import AsyncSocket
from starlette.types import ASGIApp
from websockets.frames import CloseCode

from workroom.server.sockets.client_socket import PING_SECONDS, PONG_SECONDS, ClientSocket, SocketLimits
from workroom.server.sockets.packets import PacketJson

NAMESPACE = "/"

EventHandler = Callable[[str, str, Any], Coroutine[Any, Any, bytes]]  # sid, event and body to a JSON reply
ConnectHandler = Callable[[str, dict[str, Any], Any], Awaitable[None]]  # sid, environ and auth
DisconnectHandler = Callable[[str], Awaitable[None]]
Acked = Callable[[], None]


class SocketServer(ABC):
    """python-socketio keeps the connected clients and the members of each audience.

    Subclasses decide how packets travel: `fast` past the library, `published_server` through it.
    """

    def __init__(self, limits: SocketLimits) -> None:
        self.limits = limits
        self._sio = socketio.AsyncServer(
            async_mode="asgi",
            json=PacketJson,
            cors_allowed_origins=[],
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
            max_http_buffer_size=limits.message,
            transports=["websocket"],
        )
        self._pings: dict[str, asyncio.Task[None]] = {}  # by Engine.IO sid
        self._sio.eio.start_background_task = self._start_task
        self._sio.eio.on("message", self._receive)
        self._sio.eio.on("disconnect", self._end)
        self._handler: EventHandler | None = None

    async def _receive(self, transport: str, data: Any) -> None:
        """Drop a message whose connection closed meanwhile; the library raises KeyError for a CONNECT."""
        if transport in self._sio.environ:
            await self._sio._handle_eio_message(transport, data)

    def _start_task(self, target: Callable[..., Any], *args: Any, **options: Any) -> asyncio.Task[Any]:
        """Start a task of the library. A socket's next ping waits in one, which refers to the socket."""
        task = asyncio.get_running_loop().create_task(target(*args, **options))
        owner = getattr(target, "__self__", None)
        if isinstance(owner, AsyncSocket):
            self._pings[owner.sid] = task
        return task

    async def _end(self, transport: str, reason: str) -> None:
        """Forget a closed socket now, not when its next ping would be due."""
        ping = self._pings.pop(transport, None)
        if ping is not None:
            ping.cancel()
        await self._sio._handle_eio_disconnect(transport, reason)

    def on_connect(self, handler: ConnectHandler) -> None:
        async def connect(sid: str, environ: dict[str, Any], auth: Any = None) -> None:
            await handler(sid, environ, auth)

        self._sio.on("connect", connect)

    def on_disconnect(self, handler: DisconnectHandler) -> None:
        async def disconnect(sid: str, *_: object) -> None:
            await handler(sid)

        self._sio.on("disconnect", disconnect)

    def on_event(self, handler: EventHandler) -> None:
        self._handler = handler

    def asgi(self, app: ASGIApp) -> ASGIApp:
        """Serve sockets, and everything else through `app`."""
        served: ASGIApp = socketio.ASGIApp(self._sio, app)
        return served

    def count(self) -> int:
        """How many sockets are open."""
        return len(self._sio.eio.sockets)

    @abstractmethod
    def publish(self, audiences: Iterable[str], event: str, body: bytes, *, volatile: bool = False) -> None:
        """Send an event to everyone in one of the audiences, once; if volatile, to those who keep up."""

    @abstractmethod
    def request(self, sid: str, event: str, body: bytes, on_ack: Acked) -> None:
        """Send an event that the client acknowledges."""

    @abstractmethod
    def _socket(self, sid: str) -> ClientSocket | None: ...

    def is_congested(self, sid: str) -> bool:
        socket = self._socket(sid)
        return socket is not None and socket.is_congested

    async def disconnect(self, sid: str) -> None:
        """Close the transport, without DISCONNECT: Python's client would not reconnect after that."""
        socket = self._socket(sid)
        transport = self._sio.eio.sockets.get(self._sio.manager.eio_sid_from_sid(sid, NAMESPACE))
        if transport is not None:
            await transport.close(wait=False, abort=True)
        if socket is not None:
            socket.close(CloseCode.NORMAL_CLOSURE)

    def audiences(self) -> Mapping[str | None, Any]:
        """Every audience that has a member; None is everyone."""
        found: Mapping[str | None, Any] = self._sio.manager.rooms.get(NAMESPACE, {})
        return found

    def enter(self, sid: str, audience: str) -> None:
        self._sio.manager.basic_enter_room(sid, NAMESPACE, audience)

    def leave(self, sid: str, audience: str) -> None:
        self._sio.manager.basic_leave_room(sid, NAMESPACE, audience)

    def empty(self, audience: str) -> None:
        self._sio.manager.basic_close_room(audience, NAMESPACE)
