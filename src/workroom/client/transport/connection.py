"""The connection of a process to the server: one HTTP pool and one socket, shared by all rooms and jobs."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from workroom.client.requests import Request
from workroom.client.transport.addresses import Addresses
from workroom.client.transport.http import Http
from workroom.client.transport.retries import OVERLOADED
from workroom.client.transport.server_socket import (
    CALL_SECONDS,
    CONNECT_SECONDS,
    ConnectHandler,
    Listener,
    ServerSocket,
)
from workroom.client.transport.sse import StreamEvent
from workroom.errors import ServerUnreachable, Unauthenticated, WorkroomError
from workroom.runtime.content import Content

T = TypeVar("T")
_MIN_RENEWAL_SECONDS = 1.0


class Connection:
    """Lives on one event loop; its coroutines may be awaited from any other."""

    def __init__(self, url: str | None, *, user: str | None, password: str | None, token: str | None) -> None:
        self._addresses = Addresses.of(url)
        self._http = Http(
            self._addresses,
            user or os.environ.get("WORKROOM_USER") or ("admin" if password else login_name()),
            password,
            token or os.environ.get("WORKROOM_TOKEN"),
        )
        self._identity = self._http.identity
        self._loop = asyncio.get_running_loop()
        self._socket = ServerSocket(self._addresses, self._identity, self._http.session)
        self._renewing: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[None] | None = None
        self._submits = 0

    @property
    def url(self) -> str:
        """The server in use."""
        return self._addresses.current

    @property
    def urls(self) -> str:
        """All servers, as another process takes them in WORKROOM_URL."""
        return str(self._addresses)

    @property
    def user(self) -> str:
        return self._identity.user

    def limit_message(self, size: int) -> None:
        """Set how many bytes the server accepts in one message."""
        self._socket.max_message = size

    async def send(self, request: Request, token: str | None = None) -> Any:
        """Send a request and return the document of the response, or raise the error that it reports.

        `token` replaces the process's own.
        """
        return await self._here(self._send(request, token))

    async def _send(self, request: Request, token: str | None) -> Any:
        """Use the socket where it is open and the request has an event: that is faster."""
        if request.event and token is None:
            if self._socket.is_connected:
                try:
                    return (await self._socket.call(*request.event, CALL_SECONDS))["job"]
                except (ServerUnreachable, Unauthenticated):
                    pass
                except OVERLOADED:
                    if not self._addresses.are_several:
                        raise
            self._open_after_second_submit()
        return await self._http.send(request, token)

    def _open_after_second_submit(self) -> None:
        """A process that submits once needs no socket; one that submits twice is likely to go on."""
        self._submits += 1
        if self._submits == 2 and not self._socket.was_opened:
            self._opening = self._loop.create_task(self._try_open_socket())

    async def _try_open_socket(self) -> None:
        with contextlib.suppress(WorkroomError):
            await self._open_socket()

    async def stream(self, request: Request, token: str | None = None) -> AsyncIterator[StreamEvent]:
        """Yield the server-sent events of a response."""
        events = self._http.stream(request, token)
        try:
            await self._here(self._start_renewing())
            while (event := await self._here(_next_of(events))) is not None:
                yield event
        finally:
            await self._here(events.aclose())

    async def upload(
        self, request: Request, content: Content, media_type: str | None, token: str | None = None
    ) -> Any:
        """Send a file. Content that can be read twice is sent again after a lost connection."""
        return await self._here(self._http.upload(request, content, media_type, token))

    async def download(self, request: Request, target: Path, token: str | None = None) -> Path:
        """Save a file as `target`, or under its own name if `target` is a folder."""
        return await self._here(self._http.download(request, target, token))

    async def call(self, event: str, body: Any, seconds: float = CALL_SECONDS) -> Any:
        """Emit an event over the socket and wait for its ack."""
        return await self._here(self._call(event, body, seconds))

    async def emit(self, event: str, body: Any) -> None:
        """Emit an event without an ack. Without a connection it is dropped."""
        await self._here(self._socket.emit(event, body))

    async def open_socket(self) -> bool:
        """Connect the socket, unless that was done before. Return whether this call did it."""
        return await self._here(self._open_socket())

    def switch_server(self) -> None:
        """Reconnect the socket to another server, if there is one."""
        self._socket.switch_server()

    def on(self, event: str, listener: Listener) -> None:
        """Call the listener with each item of the event: events carry lists."""
        self._socket.on(event, listener)

    def on_connect(self, handler: ConnectHandler) -> None:
        """Run the handler after each connect, including reconnects."""
        self._socket.on_connect(handler)

    def on_disconnect(self, handler: Callable[[], None]) -> None:
        self._socket.on_disconnect(handler)

    def on_refused(self, handler: Callable[[WorkroomError], None]) -> None:
        """Call the handler when the server no longer accepts this process's token."""
        self._socket.on_refused(handler)

    async def aclose(self) -> None:
        if self._opening is not None:
            await asyncio.wait([self._opening], timeout=CONNECT_SECONDS)
        if self._renewing is not None:
            self._renewing.cancel()
        await self._socket.aclose()
        await self._http.aclose()

    async def _here(self, work: Coroutine[Any, Any, T]) -> T:
        if asyncio.get_running_loop() is self._loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _call(self, event: str, body: Any, seconds: float) -> Any:
        if not self._socket.was_opened:
            await self._open_socket()
        return await self._socket.call(event, body, seconds)

    async def _open_socket(self) -> bool:
        is_new = await self._socket.open()
        await self._start_renewing()
        return is_new

    async def _start_renewing(self) -> None:
        if self._renewing is None or self._renewing.done():
            self._renewing = self._loop.create_task(self._keep_renewed())

    async def _keep_renewed(self) -> None:
        """Renew the token before it expires, for as long as this process runs."""
        while (seconds := self._identity.renewal_in()) is not None:
            await asyncio.sleep(max(seconds, _MIN_RENEWAL_SECONDS))
            with contextlib.suppress(WorkroomError):
                await self._socket.renew(await self._identity.renew())


async def _next_of(events: AsyncIterator[T]) -> T | None:
    return await anext(events, None)


def login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "guest"
