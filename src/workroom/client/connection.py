"""One process, one HTTP pool and one socket to the server, whatever number of rooms and jobs use them."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import aiohttp
import orjson
import socketio

from workroom.client.requests import Request, login
from workroom.client.socket_json import SocketJson
from workroom.errors import ServerUnreachable, WorkroomError, from_code

T = TypeVar("T")
DEFAULT_URL = "http://127.0.0.1:8000"
_CALL_SECONDS = 10.0
_RETRY_SECONDS = (0.3, 0.6, 1.2)
_REQUEST_SECONDS = 330.0

Listener = Callable[[Any], None]
Greeting = Callable[[], Coroutine[Any, Any, None]]


class Connection:
    """Lives on one event loop; its coroutines may be awaited from any other."""

    def __init__(self, url: str | None, *, user: str | None, password: str | None, token: str | None) -> None:
        self.url = (url or os.environ.get("WORKROOM_URL") or DEFAULT_URL).rstrip("/")
        self.user = user or os.environ.get("WORKROOM_USER") or _login_name()
        self._password = password
        self._token = token or os.environ.get("WORKROOM_TOKEN")
        self._loop = asyncio.get_running_loop()
        self._http = aiohttp.ClientSession(
            json_serialize=lambda value: orjson.dumps(value).decode(),
            timeout=aiohttp.ClientTimeout(total=_REQUEST_SECONDS, sock_connect=10),
        )
        self._socket: socketio.AsyncClient | None = None
        self._opening = asyncio.Lock()
        self._listeners: dict[str, list[Listener]] = {}
        self._greetings: list[Greeting] = []
        self._farewells: list[Callable[[], None]] = []
        self._greeting: set[asyncio.Task[None]] = set()
        self._unacked: set[asyncio.Future[Any]] = set()

    def elsewhere(self) -> bool:
        return asyncio.get_running_loop() is not self._loop

    async def send(self, request: Request) -> Any:
        """Send a request; the answer's document, or the exception it stands for."""
        return await self._here(self._send(request))

    async def call(self, event: str, body: Any, seconds: float = _CALL_SECONDS) -> Any:
        """Emit an event over the socket and wait for its ack."""
        return await self._here(self._call(event, body, seconds))

    async def tell(self, event: str, body: Any) -> None:
        """Emit an event that needs no answer; without a connection it is not needed at all."""
        await self._here(self._tell(event, body))

    async def _tell(self, event: str, body: Any) -> None:
        if self._socket is not None:
            with contextlib.suppress(socketio.exceptions.SocketIOError):
                await self._socket.emit(event, body)

    async def open_socket(self) -> bool:
        """Connect the one socket; false if it was there. From then on it reconnects by itself."""
        return await self._here(self._open_socket())

    def on(self, event: str, listener: Listener) -> None:
        """Hear an event. Events carry lists: the listener gets each item."""
        self._listeners.setdefault(event, []).append(listener)

    def on_connect(self, greeting: Greeting) -> None:
        """Do this on each connect, the first and every one after a lost connection."""
        self._greetings.append(greeting)

    def on_disconnect(self, farewell: Callable[[], None]) -> None:
        self._farewells.append(farewell)

    def environment(self) -> dict[str, str]:
        """What a process needs to open a connection like this one."""
        return {"WORKROOM_URL": self.url, "WORKROOM_USER": self.user, "WORKROOM_TOKEN": self._token or ""}

    async def aclose(self) -> None:
        if self._socket is not None:
            await self._socket.shutdown()
        await self._http.close()

    async def token(self) -> str:
        if self._token is None:
            answer = await self._exchange(login(self.user, self._password), {})
            self._token = str(answer["token"])
            self.user = answer["user"]
        return self._token

    async def _here(self, work: Coroutine[Any, Any, T]) -> T:
        if not self.elsewhere():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _send(self, request: Request) -> Any:
        headers = {"Authorization": f"Bearer {await self.token()}", **request.headers}
        for delay in _RETRY_SECONDS if request.is_repeatable else ():
            try:
                return await self._exchange(request, headers)
            except ServerUnreachable:
                await asyncio.sleep(delay)
        return await self._exchange(request, headers)

    async def _exchange(self, request: Request, headers: dict[str, str]) -> Any:
        try:
            async with self._http.request(
                request.method,
                self.url + request.path,
                json=request.body,
                params=request.params,
                headers=headers,
            ) as response:
                content = await response.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ServerUnreachable(unreachable(self.url, error)) from error
        document = _parsed(content)
        if response.status >= 400:
            raise problem(document, response.status)
        return document

    async def _call(self, event: str, body: Any, seconds: float) -> Any:
        await self._open_socket()
        assert self._socket is not None
        acked: asyncio.Future[Any] = self._loop.create_future()
        self._unacked.add(acked)
        try:
            await self._socket.emit(event, body, callback=lambda *answer: _resolve(acked, *answer))
            answer = await asyncio.wait_for(acked, seconds)
        except (socketio.exceptions.SocketIOError, TimeoutError) as error:
            raise ServerUnreachable(f"the connection to {self.url} was lost") from error
        finally:
            self._unacked.discard(acked)
        if isinstance(answer, dict) and "error" in answer:
            raise problem(answer["error"], 500)
        return answer

    async def _open_socket(self) -> bool:
        async with self._opening:
            if self._socket is not None:
                return False
            socket = socketio.AsyncClient(
                json=SocketJson,
                http_session=self._http,
                reconnection_delay=0.2,
                reconnection_delay_max=3,
                handle_sigint=False,
            )
            socket.on("connect", self._connected)
            socket.on("disconnect", self._disconnected)
            socket.on("*", self._dispatch)
            auth = {"token": await self.token()}
            try:
                await socket.connect(self.url, auth=auth, transports=["websocket"], wait_timeout=10)
            except socketio.exceptions.ConnectionError as error:
                with contextlib.suppress(Exception):
                    await socket.shutdown()
                raise ServerUnreachable(f"Cannot open a socket to {self.url}: {error}") from error
            self._socket = socket
            return True

    async def _connected(self) -> None:
        """Greet in the background: the handler must return before the socket counts as connected."""
        for greeting in self._greetings:
            task = self._loop.create_task(greeting())
            self._greeting.add(task)
            task.add_done_callback(self._greeting.discard)

    async def _disconnected(self, *_: object) -> None:
        """Acks that were under way will not come: whoever waits for one may try again."""
        for farewell in self._farewells:
            farewell()
        for acked in self._unacked:
            if not acked.done():
                acked.set_exception(ServerUnreachable(f"the connection to {self.url} was lost"))

    async def _dispatch(self, event: str, items: Any) -> bool:
        for listener in self._listeners.get(event, ()):
            for item in items:
                listener(item)
        return True


def problem(document: Any, status: int) -> WorkroomError:
    """The exception that a problem document stands for."""
    if not isinstance(document, dict) or "code" not in document:
        return WorkroomError(f"the server answered {status}")
    told = {"type", "title", "status", "code", "detail"}
    fields = {name: value for name, value in document.items() if name not in told}
    return from_code(document["code"], document.get("detail"), **fields)


def unreachable(url: str, error: Exception) -> str:
    """Why there is no answer, and what to do about it."""
    match error:
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return f"'{url}' is not the address of a server: write it like {DEFAULT_URL}"
        case aiohttp.ClientSSLError():
            return f"Cannot reach {url}: no secure connection could be made. Is it http, not https?"
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return f"Cannot reach {url}: is the server running? Start one with `workroom serve`."
        case TimeoutError():
            return f"No answer from {url} in time."
    return f"The connection to {url} was lost: {error or type(error).__name__}"


def _resolve(acked: asyncio.Future[Any], *answer: Any) -> None:
    if not acked.done():
        acked.set_result(answer[0] if answer else None)


def _parsed(content: bytes) -> Any:
    try:
        return orjson.loads(content) if content else None
    except orjson.JSONDecodeError:
        return None


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "guest"
