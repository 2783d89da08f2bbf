"""One process, one HTTP pool and one socket to the server, whatever number of rooms and jobs use them."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import socketio

from workroom.client.addresses import Addresses
from workroom.client.engine import DirectClient
from workroom.client.events import StreamEvent
from workroom.client.http import Http, problem
from workroom.client.requests import Request
from workroom.client.socket_json import SocketJson, TextPacket
from workroom.errors import ServerUnreachable, Unauthenticated, WorkroomError
from workroom.runtime.content import Content

T = TypeVar("T")
_CALL_SECONDS = 10.0
_RENEW_PAUSE = 1.0
_DIAL_SECONDS = 10.0
_REDIAL_SECONDS = 0.2
_LONGEST_REDIAL_SECONDS = 3.0

Listener = Callable[[Any], None]
Greeting = Callable[[], Coroutine[Any, Any, None]]


class Connection:
    """Lives on one event loop; its coroutines may be awaited from any other."""

    def __init__(self, url: str | None, *, user: str | None, password: str | None, token: str | None) -> None:
        self._addresses = Addresses.of(url)
        self._http = Http(
            self._addresses,
            user or os.environ.get("WORKROOM_USER") or ("admin" if password else _login_name()),
            password,
            token or os.environ.get("WORKROOM_TOKEN"),
        )
        self._identity = self._http.identity
        self._loop = asyncio.get_running_loop()
        self._socket: DirectClient | None = None
        self._opening = asyncio.Lock()
        self._listeners: dict[str, list[Listener]] = {}
        self._greetings: list[Greeting] = []
        self._farewells: list[Callable[[], None]] = []
        self._refusals: list[Callable[[WorkroomError], None]] = []
        self._renewing: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._unacked: set[asyncio.Future[Any]] = set()
        self._shown = ""
        self._refusal: WorkroomError | None = None
        self._redialling: asyncio.Task[None] | None = None
        self._dialling: asyncio.Task[None] | None = None
        self._spoken = 0
        self._is_closing = False

    def elsewhere(self) -> bool:
        return asyncio.get_running_loop() is not self._loop

    @property
    def url(self) -> str:
        """The server that is believed to answer."""
        return self._addresses.current

    @property
    def urls(self) -> str:
        """All servers, as they are given to other processes."""
        return str(self._addresses)

    @property
    def user(self) -> str:
        return self._identity.user

    async def send(self, request: Request, token: str | None = None) -> Any:
        """Send a request, with another token than one's own if one is given.

        Gives the answer's document, or raises the exception it stands for.
        """
        return await self._here(self._send(request, token))

    async def _send(self, request: Request, token: str | None) -> Any:
        """What can be said over the socket is said there if it is open: that is the shorter way."""
        if request.spoken and token is None:
            if self._socket is not None and self._socket.connected:
                with contextlib.suppress(ServerUnreachable, Unauthenticated):
                    return (await self._call(*request.spoken, _CALL_SECONDS))["job"]
            self._open_for_the_next()
        return await self._http.send(request, token)

    def _open_for_the_next(self) -> None:
        """Who says one thing may say no more; who says a second thing gets a socket for the others."""
        self._spoken += 1
        if self._spoken == 2 and self._socket is None:
            self._dialling = self._loop.create_task(self._open_if_possible())

    async def _open_if_possible(self) -> None:
        with contextlib.suppress(WorkroomError):
            await self._open_socket()

    async def stream(self, request: Request, token: str | None = None) -> AsyncIterator[StreamEvent]:
        """The events that a request is answered with; none if there is nothing left to tell."""
        events = self._http.stream(request, token)
        try:
            await self._here(self._renew_from_now_on())
            while (event := await self._here(_following(events))) is not None:
                yield event
        finally:
            await self._here(events.aclose())

    async def upload(
        self, request: Request, content: Content, media_type: str | None, token: str | None = None
    ) -> Any:
        """Send a file. What can be read twice is sent again if the connection was lost."""
        return await self._here(self._http.upload(request, content, media_type, token))

    async def download(self, request: Request, target: Path, token: str | None = None) -> Path:
        """Bring a file here: as `target`, or into that folder under its own name."""
        return await self._here(self._http.download(request, target, token))

    async def call(self, event: str, body: Any, seconds: float = _CALL_SECONDS) -> Any:
        """Emit an event over the socket and wait for its ack."""
        return await self._here(self._call(event, body, seconds))

    async def tell(self, event: str, body: Any) -> None:
        """Emit an event that needs no answer; without a connection it is not needed at all."""
        await self._here(self._tell(event, body))

    async def _tell(self, event: str, body: Any) -> None:
        if self._socket is not None:
            with contextlib.suppress(socketio.exceptions.SocketIOError):
                await self._socket.tell(event, body)

    async def open_socket(self) -> bool:
        """Connect the one socket; false if it was there. From then on it reconnects by itself."""
        return await self._here(self._open_socket())

    def move_on(self) -> None:
        """The server is there but of no help: take the socket to another, if there is one."""
        if self._addresses.are_several and self._socket is not None and self._socket.connected:
            self._start(_hang_up(self._socket))

    def on(self, event: str, listener: Listener) -> None:
        """Hear an event. Events carry lists: the listener gets each item."""
        self._listeners.setdefault(event, []).append(listener)

    def on_connect(self, greeting: Greeting) -> None:
        """Do this on each connect, the first and every one after a lost connection."""
        self._greetings.append(greeting)

    def on_disconnect(self, farewell: Callable[[], None]) -> None:
        self._farewells.append(farewell)

    def on_refused(self, listener: Callable[[WorkroomError], None]) -> None:
        """Hear that the server does not let this process in any more."""
        self._refusals.append(listener)

    async def aclose(self) -> None:
        self._is_closing = True
        if self._dialling is not None:
            await asyncio.wait([self._dialling], timeout=_DIAL_SECONDS)
        for task in (self._renewing, self._redialling):
            if task is not None:
                task.cancel()
        if self._socket is not None:
            await self._socket.shutdown()
        await self._http.aclose()

    async def _here(self, work: Coroutine[Any, Any, T]) -> T:
        if not self.elsewhere():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _call(self, event: str, body: Any, seconds: float) -> Any:
        if self._socket is None:
            await self._open_socket()
        assert self._socket is not None
        acked: asyncio.Future[Any] = self._loop.create_future()
        self._unacked.add(acked)
        try:
            await self._socket.ask(event, body, partial(_resolve, acked))
            answer = await self._within(seconds, acked)
        except (socketio.exceptions.SocketIOError, TimeoutError) as error:
            raise ServerUnreachable(f"the connection to {self.url} was lost") from error
        finally:
            self._unacked.discard(acked)
        if isinstance(answer, dict) and "error" in answer:
            raise problem(answer["error"], 500)
        return answer

    async def _within(self, seconds: float, acked: asyncio.Future[T]) -> T:
        limit = self._loop.call_later(seconds, _give_up, acked)
        try:
            return await acked
        finally:
            limit.cancel()

    async def _open_socket(self) -> bool:
        async with self._opening:
            if self._socket is not None:
                return False
            self._socket = await self._dial()
            self._greet()
            await self._renew_from_now_on()
            return True

    async def _dial(self) -> DirectClient:
        """At the server that answered last; where it does not, at each other one."""
        failure: WorkroomError = ServerUnreachable()
        for url in self._addresses.round():
            try:
                return await self._dial_at(url)
            except ServerUnreachable as error:
                self._addresses.leave(url)
                failure = error
        raise failure

    async def _dial_at(self, url: str) -> DirectClient:
        socket = DirectClient(
            self._dispatch,
            json=SocketJson,
            serializer=TextPacket,
            http_session=self._http.session,
            reconnection=False,
            handle_sigint=False,
        )
        socket.on("disconnect", partial(self._disconnected, socket, url))
        socket.on("connect_error", self._turned_away)
        try:
            async with asyncio.timeout(_DIAL_SECONDS):
                await socket.connect(
                    url, auth=self._auth, transports=["websocket"], wait_timeout=_DIAL_SECONDS
                )
            if socket.eio.state != "connected":
                raise socketio.exceptions.ConnectionError("it was cut at once")
        except Exception as error:  # a server that goes in mid-greeting trips the driver in many ways
            self._start(_hang_up(socket))
            raise self._refusal or ServerUnreachable(f"Cannot open a socket to {url}: {error}") from error
        return socket

    async def _redial(self) -> None:
        pause = _REDIAL_SECONDS
        while self._refusal is None:
            await asyncio.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter
            try:
                self._socket = await self._dial()
            except WorkroomError:
                pause = min(2 * pause, _LONGEST_REDIAL_SECONDS)
            else:
                self._greet()
                return

    async def _auth(self) -> dict[str, Any]:
        """Asked for at each connect, so that a reconnect shows the token of that day."""
        self._shown = await self._identity.token()
        return {"token": self._shown, "user_events": False}

    async def _turned_away(self, answer: Any = None) -> None:
        """The server does not take the token: show another next time, or give up."""
        document = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(document, dict) or document.get("code") != Unauthenticated.code:
            return
        try:
            await self._identity.refused(self._shown)
        except Unauthenticated as error:
            self._refusal = error
            for listener in self._refusals:
                listener(error)

    async def _renew_from_now_on(self) -> None:
        if self._renewing is None or self._renewing.done():
            self._renewing = self._loop.create_task(self._keep_renewed())

    async def _keep_renewed(self) -> None:
        """A worker never dies of an expired token."""
        while (seconds := self._identity.renewal_in()) is not None:
            await asyncio.sleep(max(seconds, _RENEW_PAUSE))
            with contextlib.suppress(WorkroomError):
                self._shown = await self._identity.renew()
                if self._socket is not None:
                    await self._call("token:renew", {"token": self._shown}, _CALL_SECONDS)

    def _greet(self) -> None:
        for greeting in self._greetings:
            self._start(greeting())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _disconnected(self, socket: DirectClient, url: str, reason: str = "") -> None:
        """Acks that were under way will not come: whoever waits for one may try again."""
        if socket is not self._socket:
            return
        if not self._is_closing:
            self._addresses.leave(url)
            self._redialling = self._loop.create_task(self._redial())
        for farewell in self._farewells:
            farewell()
        for acked in self._unacked:
            if not acked.done():
                acked.set_exception(ServerUnreachable(f"the connection to {url} was lost"))

    def _dispatch(self, event: str, items: Any) -> None:
        for listener in self._listeners.get(event, ()):
            for item in items:
                listener(item)


async def _following(events: AsyncIterator[T]) -> T | None:
    return await anext(events, None)


async def _hang_up(socket: DirectClient) -> None:
    """Whoever waits for it is told at once; the goodbye itself may take a while."""
    with contextlib.suppress(Exception):
        await socket.eio.disconnect(abort=True)


def _resolve(acked: asyncio.Future[Any], answer: Any) -> None:
    if not acked.done():
        acked.set_result(answer)


def _give_up(acked: asyncio.Future[Any]) -> None:
    if not acked.done():
        acked.set_exception(TimeoutError())


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "guest"
