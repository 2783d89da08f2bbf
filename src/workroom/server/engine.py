"""Socket.IO over WebSockets, without the tasks, timers and queues that the libraries take for each message.

Who comes, who goes and who is in which room is theirs; events and answers to them are written and read here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from itertools import count
from typing import Any

import orjson
import socketio
from engineio.async_socket import AsyncSocket
from engineio.exceptions import EngineIOError, SocketIsClosedError
from engineio.packet import Packet

from workroom.client import messages
from workroom.server.transport import channel

NAMESPACE = "/"
_PONG = "3"
Handler = Callable[[str, str, Any], Coroutine[Any, Any, Any]]  # of sid, event and body
Acked = Callable[[], None]


class Lines:
    """One to each client that is connected."""

    def __init__(self, sio: socketio.AsyncServer) -> None:
        self._sio = sio
        self._lines: dict[str, Line] = {}
        self._handler: Handler | None = None
        sio.eio._async = {**sio.eio._async, "websocket": self._line}

    def on_event(self, handler: Handler) -> None:
        self._handler = handler

    def tell(self, audiences: Iterable[str], event: str, body: bytes) -> None:
        text = messages.event(event, body)
        for _, engine in self._sio.manager.get_participants(NAMESPACE, list(audiences)):
            if (line := self._lines.get(engine)) is not None:
                line.say(text)

    def ask(self, sid: str, event: str, body: bytes, acked: Acked) -> None:
        """Say something that is to be acknowledged."""
        line = self._lines.get(self._sio.manager.eio_sid_from_sid(sid, NAMESPACE))
        if line is not None:
            line.ask(event, body, acked)

    def audiences(self) -> Mapping[str | None, Any]:
        """All that somebody is in; None is everybody."""
        found: Mapping[str | None, Any] = self._sio.manager.rooms.get(NAMESPACE, {})
        return found

    def handling(self, engine: str, event: str, body: Any) -> Coroutine[Any, Any, Any] | None:
        """Nobody answers a client that has not been let in."""
        sid = self._sio.manager.sid_from_eio_sid(engine, NAMESPACE)
        if self._handler is None or not self._sio.manager.is_connected(sid, NAMESPACE):
            return None
        return self._handler(sid, event, body)

    def open(self, engine: str, line: Line) -> None:
        self._lines[engine] = line

    def close(self, engine: str) -> None:
        self._lines.pop(engine, None)

    def _line(self, handler: Any, server: Any) -> Line:
        return Line(handler.__self__, server, self)


class Line:
    """To one client: stands between the library's socket, which it speaks for, and the WebSocket."""

    def __init__(self, socket: AsyncSocket, server: Any, lines: Lines) -> None:
        self._socket = socket
        self._server = server
        self._lines = lines
        self._patience = server.ping_interval + server.ping_timeout
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._loop.time()
        self._waiting: deque[str] = deque()
        self._sending: asyncio.Task[None] | None = None
        self._answering: set[asyncio.Task[None]] = set()
        self._numbers = count(1)
        self._asked: dict[int, Acked] = {}

    async def __call__(self, environ: dict[str, Any]) -> str:
        self._receive, self._send = environ["asgi.receive"], environ["asgi.send"]
        self._channel = channel(environ["asgi.scope"])
        await self._send({"type": "websocket.accept"})
        self._channel.listen(self.hear)
        self._socket.connected = self._socket.upgraded = True
        self._socket.send, self._socket.hang_up = self.put, self.hang_up
        self._lines.open(self._socket.sid, self)
        await self._put_what_waits()
        self._watch()
        try:
            await self._listen()
        finally:
            self._lines.close(self._socket.sid)
            self._timer.cancel()
            await self.hang_up()
            await self._socket.close(wait=False, abort=True, reason=self._server.reason.TRANSPORT_CLOSE)
        return ""

    def say(self, text: str) -> None:
        """At once if the client keeps up. Never waits for it."""
        if self._sending is None and self._channel.writable.is_set():
            self._channel.say(text)
        else:
            self._waiting.append(text)
            self._sending = self._sending or self._loop.create_task(self._say_what_waits())

    def ask(self, event: str, body: bytes, acked: Acked) -> None:
        number = next(self._numbers)
        self._asked[number] = acked
        self.say(messages.event(event, body, number))

    def hear(self, text: str) -> bool:
        """False for what is the library's to handle."""
        self._heard_at = self._loop.time()
        if text == _PONG:
            self._socket.schedule_ping()
            return True
        heard = messages.heard(text)
        if heard is None:
            return False
        is_answer, number, items = heard
        if is_answer:
            self._asked.pop(number or 0, _ignore)()
            return True
        return self._handle(number, *items)

    async def put(self, packet: Packet) -> None:
        if self._socket.closed:
            raise SocketIsClosedError()
        self.say(packet.encode())

    async def hang_up(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
        with contextlib.suppress(OSError, RuntimeError):  # it is closed already
            await self._send({"type": "websocket.close"})

    def _handle(self, number: int | None, event: Any = None, body: Any = None, *_: Any) -> bool:
        handling = self._lines.handling(self._socket.sid, event, body) if isinstance(event, str) else None
        if handling is None:
            return False
        task = self._loop.create_task(self._answer(number, handling))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)
        return True

    async def _answer(self, number: int | None, handling: Coroutine[Any, Any, Any]) -> None:
        answer = await handling
        if number is not None:
            self.say(messages.answer(number, orjson.dumps(answer)))

    async def _put_what_waits(self) -> None:
        queue = self._socket.queue
        while not queue.empty():
            await self.put(queue.get_nowait())
            queue.task_done()

    async def _listen(self) -> None:
        while (event := await self._receive())["type"] == "websocket.receive":
            text = event.get("text")
            if text is not None and self.hear(text):
                continue
            try:
                await self._socket.receive(Packet(encoded_packet=text or event.get("bytes")))
            except (EngineIOError, ValueError):  # it is closed, or this is not Engine.IO
                return

    async def _say_what_waits(self) -> None:
        while self._waiting:
            await self._channel.writable.wait()
            self._channel.say(self._waiting.popleft())
        self._sending = None

    def _watch(self) -> None:
        """Who neither speaks nor answers pings is not there."""
        left = self._heard_at + self._patience - self._loop.time()
        self._timer = self._loop.call_later(max(left, 0.1), self._watch)
        if left <= 0:
            self._hanging_up = self._loop.create_task(self.hang_up())


def _ignore() -> None:
    """An answer to what nobody asked."""
