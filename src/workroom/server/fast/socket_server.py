"""Socket.IO over WebSockets without the tasks, timers and queues that python-engineio takes per message."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from functools import partial
from itertools import count
from typing import Any

import structlog
from engineio.async_socket import AsyncSocket
from engineio.exceptions import EngineIOError, SocketIsClosedError
from engineio.packet import Packet
from websockets.frames import CloseCode

from workroom.client.fast import messages
from workroom.server.fast.websocket_protocol import FastWebSocketProtocol
from workroom.server.protocols.websocket_protocol import websocket_of
from workroom.server.sockets import packets
from workroom.server.sockets.client_socket import CONNECT, PONG, ClientSocket, SocketLimits
from workroom.server.sockets.packets import RefusedPacket
from workroom.server.sockets.socket_server import NAMESPACE, Acked, SocketServer

log = structlog.get_logger()

_MAX_UNACKED = 1000  # older acks are not waited for


class FastSocketServer(SocketServer):
    """Encodes an event once for all its receivers, and writes it to their WebSockets."""

    def __init__(self, limits: SocketLimits) -> None:
        super().__init__(limits)
        self._sockets: dict[str, FastSocket] = {}  # by Engine.IO sid
        self._sio.eio._async = {**self._sio.eio._async, "websocket": self._websocket_handler}

    def publish(self, audiences: Iterable[str], event: str, body: bytes, *, volatile: bool = False) -> None:
        text = messages.encode_event(event, body)
        for _, eio_sid in self._sio.manager.get_participants(NAMESPACE, list(audiences)):
            socket = self._sockets.get(eio_sid)
            if socket is not None and not (volatile and socket.is_behind):
                socket.send(text)

    def request(self, sid: str, event: str, body: bytes, on_ack: Acked) -> None:
        socket = self._socket(sid)
        if socket is not None:
            socket.request(event, body, on_ack)

    def is_connected(self, eio_sid: str) -> bool:
        sid = self._sio.manager.sid_from_eio_sid(eio_sid, NAMESPACE)
        return bool(self._sio.manager.is_connected(sid, NAMESPACE))

    def handle(self, eio_sid: str, event: str, body: Any) -> Coroutine[Any, Any, bytes] | None:
        """The handler's coroutine. None before CONNECT."""
        sid = self._sio.manager.sid_from_eio_sid(eio_sid, NAMESPACE)
        if self._handler is None or not self._sio.manager.is_connected(sid, NAMESPACE):
            return None
        return self._handler(sid, event, body)

    def _socket(self, sid: str) -> FastSocket | None:
        return self._sockets.get(self._sio.manager.eio_sid_from_sid(sid, NAMESPACE))

    def _websocket_handler(self, handler: Any, _: object) -> partial[Coroutine[Any, Any, str]]:
        """Takes the place of engineio's WebSocket class, which is called with the environ."""
        return partial(self._serve, handler.__self__)

    async def _serve(self, eio_socket: AsyncSocket, environ: dict[str, Any]) -> str:
        websocket = websocket_of(environ["asgi.scope"])
        assert isinstance(websocket, FastWebSocketProtocol)
        await environ["asgi.send"]({"type": "websocket.accept"})
        socket = self._sockets[eio_socket.sid] = FastSocket(websocket, eio_socket, self)
        try:
            await socket.serve(environ["asgi.receive"])
        finally:
            del self._sockets[eio_socket.sid]
            await eio_socket.close(wait=False, abort=True, reason=self._sio.eio.reason.TRANSPORT_CLOSE)
        return ""


class FastSocket(ClientSocket):
    """Reads and writes events on the WebSocket itself. CONNECT and DISCONNECT go through engineio."""

    _websocket: FastWebSocketProtocol

    def __init__(
        self, websocket: FastWebSocketProtocol, eio_socket: AsyncSocket, server: FastSocketServer
    ) -> None:
        super().__init__(websocket, server.limits)
        self._eio_socket = eio_socket
        self._server = server
        self._handling: set[asyncio.Task[None]] = set()
        self._numbers = count(1)
        self._unacked: dict[int, Acked] = {}

    async def serve(self, receive: Any) -> None:
        self._websocket.on_text(self.receive)
        self._eio_socket.connected = self._eio_socket.upgraded = True
        self._eio_socket.send = self._send_packet
        self._start_timers()
        try:
            await self._send_early_packets()
            await self._receive_others(receive)
        finally:
            self._stop_timers()
            self.close(CloseCode.NORMAL_CLOSURE)

    @property
    def is_connected(self) -> bool:
        return self._server.is_connected(self._eio_socket.sid)

    def send(self, text: str) -> None:
        if self._sending is None and self._websocket.writable.is_set():
            self._websocket.send_text(text)
        elif not self._websocket.close_sent:
            self._enqueue(text)

    def request(self, event: str, body: bytes, on_ack: Acked) -> None:
        number = next(self._numbers)
        self._unacked[number] = on_ack
        if len(self._unacked) > _MAX_UNACKED:
            del self._unacked[next(iter(self._unacked))]
        self.send(messages.encode_event(event, body, number))

    def receive(self, text: str) -> bool:
        """Handle a text. Returns False if it is for engineio: CONNECT and DISCONNECT."""
        self._received_at = self._loop.time()
        if text == PONG:
            self._eio_socket.schedule_ping()
            return True
        packet = packets.read(text, self._limits.parts)
        if packet is None:
            return False
        if isinstance(packet, RefusedPacket):
            self._refuse(packet)
        elif packet.is_ack:
            self._unacked.pop(packet.ack_id or 0, _ignore)()
        else:
            self._handle(len(text), packet.ack_id, *packet.items)
        return True

    async def _write(self, text: str) -> None:
        self._websocket.send_text(text)

    def _hold(self) -> None:
        self._websocket.hold()

    def _release(self) -> None:
        self._websocket.release()

    async def _send_packet(self, packet: Packet) -> None:
        if self._eio_socket.closed:
            raise SocketIsClosedError()
        self.send(packet.encode())

    async def _send_early_packets(self) -> None:
        """Send what engineio queued before this socket took over."""
        queue = self._eio_socket.queue
        while not queue.empty():
            await self._send_packet(queue.get_nowait())
            queue.task_done()

    def _handle(self, size: int, ack_id: int | None, event: str, body: Any = None) -> None:
        handling = self._server.handle(self._eio_socket.sid, event, body)
        if handling is None:
            self._refuse_early_event()
            return
        task = self._loop.create_task(self._reply(size, ack_id, handling))
        self._handling.add(task)
        task.add_done_callback(self._handling.discard)
        self._begin_request(size)

    async def _reply(self, size: int, ack_id: int | None, handling: Coroutine[Any, Any, bytes]) -> None:
        try:
            reply = await handling
            if ack_id is not None:
                self.send(messages.encode_ack(ack_id, reply))
        finally:
            self._end_request(size)

    async def _receive_others(self, receive: Any) -> None:
        """Receive what comes through ASGI: fragments, binary frames, CONNECT and the end."""
        while (message := await receive())["type"] == "websocket.receive":
            try:
                await self._receive_other(message.get("text"))
            except EngineIOError:  # the socket is closed
                return
            except Exception:
                log.exception("socket_failed")
                self.close(CloseCode.INTERNAL_ERROR, "internal error")
            await self._has_capacity.wait()

    async def _receive_other(self, text: str | None) -> None:
        if self._websocket.close_sent:
            return
        if text is None:
            self._refuse_binary()
        elif not self.receive(text):
            await self._receive_control(text)

    async def _receive_control(self, text: str) -> None:
        is_connect = text.startswith(CONNECT)
        if is_connect and self.is_connected:
            self._refuse_second_connect()
            return
        await self._eio_socket.receive(Packet(encoded_packet=text))
        if is_connect and self.is_connected:
            self._websocket.admit()


def _ignore() -> None:
    """For an ack that nothing waits for."""
