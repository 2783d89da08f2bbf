"""The limits of one client's socket. They are the same for both socket servers."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass

from websockets.frames import CloseCode

from workroom.server.protocols.websocket import WebSocket
from workroom.server.sockets.packets import RefusedPacket
from workroom.settings import Settings

PING_SECONDS = 15
PONG_SECONDS = 10  # together less than a lease: a worker reconnects before it is considered lost
PONG, CONNECT = "3", "40"
_SILENCE_SECONDS = PING_SECONDS + PONG_SECONDS
_MIN_CHECK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class SocketLimits:
    connect_seconds: float
    hello: int
    stall: float
    message: int
    parts: int
    queued: int
    requests: int

    @classmethod
    def of(cls, settings: Settings) -> SocketLimits:
        return cls(
            connect_seconds=settings.head_timeout,
            hello=settings.max_hello,
            stall=settings.stall,
            message=settings.max_message,
            parts=settings.max_json_parts,
            queued=settings.max_queued,
            requests=settings.max_requests,
        )


class ClientSocket(ABC):
    """Bounds what is queued for a client, how many of its requests are in flight, and how long it may be
    silent, read nothing, or stay without CONNECT.
    """

    def __init__(self, websocket: WebSocket, limits: SocketLimits) -> None:
        self._websocket = websocket
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._received_at = self._sent_at = self._loop.time()
        self._queue: deque[str] = deque()
        self._queued_bytes = 0
        self._sending: asyncio.Task[None] | None = None
        self._requests = 0
        self._request_bytes = 0
        self._has_capacity = asyncio.Event()
        self._has_capacity.set()
        self._attachments = 0  # binary frames of refused packets that are still to come

    @property
    @abstractmethod
    def is_connected(self) -> bool:
        """Whether the client's CONNECT was accepted."""

    @property
    def is_behind(self) -> bool:
        """Whether the client has yet to read something that was sent before."""
        return self._sending is not None or not self._websocket.writable.is_set()

    @property
    def is_congested(self) -> bool:
        """Whether so much is queued for the client that it is better sent less."""
        return self._queued_bytes > self._limits.queued // 2

    def close(self, code: CloseCode, reason: str = "") -> None:
        """Close the socket and discard what is queued."""
        self._queue.clear()
        self._queued_bytes = 0
        if self._sending is not None:
            self._sending.cancel()
        self._has_capacity.set()
        self._websocket.close(code, reason)

    @abstractmethod
    def send(self, text: str) -> None:
        """Send or queue a packet. Never waits for the client."""

    @abstractmethod
    async def _write(self, text: str) -> None: ...

    @abstractmethod
    def _hold(self) -> None:
        """Stop reading: too many requests are in flight."""

    @abstractmethod
    def _release(self) -> None:
        """Read again."""

    def _start_timers(self) -> None:
        self._connect_timer = self._loop.call_later(self._limits.connect_seconds, self._check_connected)
        self._watch_timer = self._loop.call_later(_SILENCE_SECONDS, self._watch)

    def _stop_timers(self) -> None:
        self._connect_timer.cancel()
        self._watch_timer.cancel()

    def _enqueue(self, text: str) -> None:
        if self._sending is None:
            self._sent_at = self._loop.time()
            self._sending = self._loop.create_task(self._send_queued())
        self._queue.append(text)
        self._queued_bytes += len(text)
        if self._queued_bytes > self._limits.queued:
            reason = f"more than {self._limits.queued} bytes wait to be read: read faster"
            self.close(CloseCode.POLICY_VIOLATION, reason)

    async def _send_queued(self) -> None:
        while self._queue:
            await self._websocket.writable.wait()
            text = self._queue.popleft()
            self._queued_bytes -= len(text)
            self._sent_at = self._loop.time()
            await self._write(text)
        self._sending = None

    def _begin_request(self, size: int) -> None:
        self._requests += 1
        self._request_bytes += size
        is_full = self._requests >= self._limits.requests or self._request_bytes > self._limits.message
        if is_full and self._has_capacity.is_set():
            self._has_capacity.clear()
            self._hold()

    def _end_request(self, size: int) -> None:
        self._requests -= 1
        self._request_bytes -= size
        if self._has_capacity.is_set():
            return
        if self._requests < self._limits.requests and self._request_bytes <= self._limits.message:
            self._has_capacity.set()
            self._release()

    def _refuse(self, packet: RefusedPacket) -> None:
        self._attachments += packet.attachments
        if packet.reply is None:
            self.close(CloseCode.UNSUPPORTED_DATA, packet.reason)
        else:
            self.send(packet.reply)

    def _refuse_binary(self) -> None:
        """Skip a frame that belongs to a refused packet. Any other binary frame closes the socket."""
        if self._attachments:
            self._attachments -= 1
        else:
            self.close(CloseCode.UNSUPPORTED_DATA, "binary messages are not supported: send JSON")

    def _refuse_second_connect(self) -> None:
        self.close(CloseCode.POLICY_VIOLATION, "this socket is already connected")

    def _refuse_early_event(self) -> None:
        self.close(CloseCode.POLICY_VIOLATION, "connect to the namespace '/' first")

    def _check_connected(self) -> None:
        if not self.is_connected:
            seconds = self._limits.connect_seconds
            self.close(CloseCode.POLICY_VIOLATION, f"no CONNECT with a token within {seconds:g} s")

    def _watch(self) -> None:
        """Close a socket whose client is silent or does not read."""
        now = self._loop.time()
        left = self._received_at + _SILENCE_SECONDS - now
        self._watch_timer = self._loop.call_later(max(left, _MIN_CHECK_SECONDS), self._watch)
        if left <= 0:
            self.close(CloseCode.GOING_AWAY, f"nothing was received for {_SILENCE_SECONDS} s")
        elif self._sending is not None and now > self._sent_at + self._limits.stall:
            self.close(CloseCode.POLICY_VIOLATION, f"nothing was read for {self._limits.stall:g} s")
        else:
            self._check_connected()
