"""The one Socket.IO connection of a process: opened on first use, reconnected when lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import orjson
import socketio

from workroom.client.transport.addresses import Addresses
from workroom.client.transport.identity import Identity
from workroom.client.transport.problems import problem
from workroom.client.transport.socket_client import CloseReason, SocketClient, client_class
from workroom.errors import BodyTooLarge, InvalidRequest, ServerUnreachable, Unauthenticated, WorkroomError

log = logging.getLogger(__name__)

T = TypeVar("T")
CALL_SECONDS = 10.0
CONNECT_SECONDS = 10.0
_MESSAGE_BYTES = 4_000_000  # until the server sends its own limit
_ENVELOPE_BYTES = 100  # of a message, besides its body
_RECONNECT_SECONDS = 0.2
_MAX_RECONNECT_SECONDS = 3.0
_REFUSED_SECONDS = 1.0
_MAX_REFUSED_SECONDS = 30.0

Listener = Callable[[Any], None]
ConnectHandler = Callable[[], Coroutine[Any, Any, None]]


class ServerSocket:
    """Lives on one event loop. Listeners and handlers stay registered across reconnects."""

    def __init__(self, addresses: Addresses, identity: Identity, session: aiohttp.ClientSession) -> None:
        self._addresses = addresses
        self._identity = identity
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._client_class = client_class()
        self._client: SocketClient | None = None
        self._opening = asyncio.Lock()
        self._listeners: dict[str, list[Listener]] = {}
        self._connect_handlers: list[ConnectHandler] = []
        self._disconnect_handlers: list[Callable[[], None]] = []
        self._refusal_handlers: list[Callable[[WorkroomError], None]] = []
        self._background: set[asyncio.Task[None]] = set()
        self._reconnecting: asyncio.Task[None] | None = None
        self._pending: set[asyncio.Future[Any]] = set()
        self._token = ""
        self._refusal: WorkroomError | None = None
        self._pause = _RECONNECT_SECONDS
        self._is_closing = False
        self.max_message = _MESSAGE_BYTES

    @property
    def was_opened(self) -> bool:
        return self._client is not None

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.connected

    def on(self, event: str, listener: Listener) -> None:
        """Call the listener with each item of the event: events carry lists."""
        self._listeners.setdefault(event, []).append(listener)

    def on_connect(self, handler: ConnectHandler) -> None:
        """Run the handler after each connect, including reconnects."""
        self._connect_handlers.append(handler)

    def on_disconnect(self, handler: Callable[[], None]) -> None:
        self._disconnect_handlers.append(handler)

    def on_refused(self, handler: Callable[[WorkroomError], None]) -> None:
        """Call the handler when the server no longer accepts this process's token."""
        self._refusal_handlers.append(handler)

    async def open(self) -> bool:
        """Connect, unless that was done before. Return whether this call did it."""
        async with self._opening:
            if self._client is not None:
                return False
            self._client = await self._connect()
            self._run_connect_handlers()
            return True

    async def call(self, event: str, body: Any, seconds: float) -> Any:
        """Emit an event and wait for its ack."""
        assert self._client is not None, "open() first"
        encoded = self._encode(body)
        reply: asyncio.Future[Any] = self._loop.create_future()
        self._pending.add(reply)
        try:
            await self._client.request(event, encoded, partial(_resolve, reply))
            document = await self._within(seconds, reply)
        except (socketio.exceptions.SocketIOError, TimeoutError) as error:
            raise ServerUnreachable(f"lost the connection to {self._addresses.current}") from error
        finally:
            self._pending.discard(reply)
        if isinstance(document, dict) and "error" in document:
            raise problem(document["error"], 500)
        return document

    async def emit(self, event: str, body: Any) -> None:
        """Emit an event without an ack. Without a connection it is dropped."""
        if self._client is not None:
            with contextlib.suppress(socketio.exceptions.SocketIOError):
                await self._client.emit_json(event, orjson.dumps(body))

    async def renew(self, token: str) -> None:
        """Use a renewed token for this connection and the next."""
        self._token = token
        if self._client is not None:
            await self.call("token:renew", {"token": token}, CALL_SECONDS)

    def switch_server(self) -> None:
        """Reconnect to another server, if there is one: the current one replies but cannot help."""
        if self._addresses.are_several and self._client is not None and self._client.connected:
            self._start(_abort(self._client))

    async def aclose(self) -> None:
        self._is_closing = True
        if self._reconnecting is not None:
            self._reconnecting.cancel()
        if self._client is not None:
            await self._client.shutdown()

    def _encode(self, body: Any) -> bytes:
        """Refuse messages for which the server would close the connection."""
        try:
            encoded = orjson.dumps(body)
        except TypeError as error:
            raise InvalidRequest(f"the message cannot be encoded as JSON: {error}") from error
        size = len(encoded) + _ENVELOPE_BYTES
        if size > self.max_message:
            raise BodyTooLarge(f"the message has {size:,} bytes; the limit is {self.max_message:,}")
        return encoded

    async def _within(self, seconds: float, reply: asyncio.Future[T]) -> T:
        timer = self._loop.call_later(seconds, _time_out, reply)
        try:
            return await reply
        finally:
            timer.cancel()

    async def _connect(self) -> SocketClient:
        """Try the server that replied last, then each of the others."""
        failure: WorkroomError = ServerUnreachable()
        for url in self._addresses.round():
            try:
                return await self._connect_to(url)
            except ServerUnreachable as error:
                self._addresses.leave(url)
                failure = error
        raise failure

    async def _connect_to(self, url: str) -> SocketClient:
        client = self._client_class(
            self._dispatch, http_session=self._session, reconnection=False, handle_sigint=False
        )
        client.on("disconnect", partial(self._disconnected, client, url))
        client.on("connect_error", self._connect_failed)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await client.connect(
                    url,
                    auth=self._auth,
                    transports=["websocket"],
                    socketio_path=f"{urlsplit(url).path}/socket.io",
                    wait_timeout=CONNECT_SECONDS,
                )
            if client.eio.state != "connected":
                raise socketio.exceptions.ConnectionError("the server closed the connection at once")
        except Exception as error:  # python-socketio raises many kinds when a server stops during connect
            self._start(_abort(client))
            raise self._refusal or ServerUnreachable(f"Cannot open a socket to {url}: {error}") from error
        return client

    async def _reconnect(self) -> None:
        pause = self._pause
        while self._refusal is None:
            await asyncio.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter
            try:
                self._client = await self._connect()
            except WorkroomError:
                pause = max(pause, min(2 * pause, _MAX_RECONNECT_SECONDS))
            else:
                self._run_connect_handlers()
                return

    def _pause_after(self, reason: CloseReason | None) -> float:
        """Back off after each refusal; after any other loss reconnect at once."""
        if reason is None or not reason.is_refusal:
            return _RECONNECT_SECONDS
        log.warning(
            "%s closed the connection: %s (%s)",
            self._addresses.current,
            reason.text or "refused",
            reason.code,
        )
        return min(max(2 * self._pause, _REFUSED_SECONDS), _MAX_REFUSED_SECONDS)

    async def _auth(self) -> dict[str, Any]:
        """Called for each connect, so that a reconnect uses the newest token."""
        self._token = await self._identity.token()
        return {"token": self._token, "user_events": False}

    async def _connect_failed(self, reply: Any = None) -> None:
        """Forget a token that the server rejects; if there can be no other, stop reconnecting."""
        document = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(document, dict) or document.get("code") != Unauthenticated.code:
            return
        try:
            await self._identity.reject(self._token)
        except Unauthenticated as error:
            self._refusal = error
            for handler in self._refusal_handlers:
                handler(error)

    async def _disconnected(self, client: SocketClient, url: str, reason: str = "") -> None:
        """Reconnect, and fail pending calls: their acks will not come, and the caller may retry."""
        if client is not self._client:
            return
        if not self._is_closing:
            self._addresses.leave(url)
            self._pause = self._pause_after(client.close_reason)
            self._reconnecting = self._loop.create_task(self._reconnect())
        for handler in self._disconnect_handlers:
            handler()
        for reply in self._pending:
            if not reply.done():
                reply.set_exception(ServerUnreachable(f"lost the connection to {url}"))

    def _run_connect_handlers(self) -> None:
        for handler in self._connect_handlers:
            self._start(handler())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _dispatch(self, event: str, items: Any) -> None:
        for listener in self._listeners.get(event, ()):
            for item in items:
                listener(item)


async def _abort(client: SocketClient) -> None:
    with contextlib.suppress(Exception):
        await client.abort()


def _resolve(reply: asyncio.Future[Any], document: Any) -> None:
    if not reply.done():
        reply.set_result(document)


def _time_out(reply: asyncio.Future[Any]) -> None:
    if not reply.done():
        reply.set_exception(TimeoutError())
