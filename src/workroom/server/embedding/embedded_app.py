"""`workroom.create_app`: the server, to be mounted in another application."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from workroom.client.room import AsyncRoom
from workroom.client.sync_room import Room
from workroom.domain.identity import Role
from workroom.errors import NotStarted, Unauthenticated, WorkroomError
from workroom.server.embedding.identification import Identify, as_user, identify_user
from workroom.server.embedding.own_server import run_server
from workroom.server.embedding.running import Running
from workroom.server.http import problems
from workroom.server.http.mount import Mount, at_own_root
from workroom.services.identity.identified_users import User
from workroom.settings import Settings

log = logging.getLogger("workroom")

T = TypeVar("T")
_CALL_SECONDS = 30.0
_PAGES = frozenset({"/", "/fleet", "/join", "/docs", "/openapi.json", "/healthz", "/readyz", "/icon.svg"})
_FOLDERS = ("/rooms/", "/assets/", "/docs/")  # as _PAGES, the same for everybody
NOT_STARTED = (
    "Workroom is mounted but was not started: start it in the lifespan of your application, as in "
    "FastAPI(lifespan=jobs.lifespan), or with `async with jobs.lifespan(app):` in a lifespan of your own"
)


def create_app(
    settings: Settings | None = None,
    *,
    identify: Identify | None = None,
    login_url: str = "",
    logout_url: str = "",
) -> EmbeddedApp:
    """The server as an ASGI application to mount in another one.

    `identify` is called with each HTTP request and WebSocket, as a `starlette.requests.HTTPConnection`. It
    returns the `workroom.User` that has sent it, or None if nobody is logged in. Without it, people log in
    to Workroom itself. The page shows `login_url` to those who are not logged in, and `logout_url` to others.

    Start it in the application's lifespan: `FastAPI(lifespan=jobs.lifespan)`.
    """
    return EmbeddedApp(settings or Settings(), identify, login_url, logout_url)


class EmbeddedApp:
    def __init__(
        self, settings: Settings, identify: Identify | None, login_url: str, logout_url: str
    ) -> None:
        self._identify = identify
        self._mount = Mount("", identify is not None, login_url, logout_url)
        self._settings = settings
        if identify is not None:  # the application checks its host names, and knows its guests
            self._settings = settings.model_copy(update={"guests": False, "host": "", "hosts": []})
        self._running: Running | None = None
        self._has_warned = False

    @asynccontextmanager
    async def lifespan(self, app: object = None) -> AsyncIterator[None]:
        """Run the server until the end of the block. Raises StartRefused."""
        async with run_server(self._settings) as running:
            self._running = running
            try:
                yield
            finally:
                self._running = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._serve_lifespan(receive, send)
            return
        running = self._running
        if running is None:
            await self._refuse(self._not_started(), scope, receive, send)
            return
        try:
            own = await self._own_scope(scope, running)
        except WorkroomError as refusal:
            await self._refuse(refusal, scope, receive, send)
            return
        await running.app(own, receive, send)

    @property
    def url(self) -> str:
        """The server's address on the loopback interface, for other processes of this machine."""
        return self._started().url

    @asynccontextmanager
    async def room(
        self, name: str, who: User | HTTPConnection, *, create: bool = True
    ) -> AsyncIterator[AsyncRoom]:
        """A room for code of the application, which acts for a user, or for the user of a request."""
        token = await self._token(who)
        async with AsyncRoom(name, self.url, token=token, create=create) as room:
            yield room

    @contextmanager
    def sync_room(self, name: str, who: User | HTTPConnection, *, create: bool = True) -> Iterator[Room]:
        """The same for handlers that run in a thread: `def`, not `async def`."""
        with Room(name, self.url, token=self._wait(self._token(who)), create=create) as room:
            yield room

    async def worker_token(self, name: str, days: float | None = None) -> str:
        """A token for a worker on another machine, which it takes as WORKROOM_TOKEN. It has an account of its
        own, of this name, which admins can disable.
        """
        granted = await self._started().services.accounts.machine_token(name, Role.WORKER, days)
        return granted.token

    async def end_sessions(self, user: User) -> None:
        """Close the sockets and streams of this user now, as after a logout. Otherwise they end within ten
        minutes after `identify` no longer returns the user.
        """
        await self._started().services.identified_users.end_sessions(user)

    async def _own_scope(self, scope: Scope, running: Running) -> Scope:
        own = at_own_root(scope, self._mount)
        if self._identify is None or own["path"] in _PAGES or own["path"].startswith(_FOLDERS):
            return own
        return await as_user(own, scope, self._identify, running.services)

    async def _token(self, who: User | HTTPConnection) -> str:
        user = who if isinstance(who, User) else await self._user(who)
        if user is None:
            raise Unauthenticated("this request has no user: identify returned None")
        return await self._started().services.identified_users.lasting_token(user)

    async def _user(self, connection: HTTPConnection) -> User | None:
        if self._identify is None:
            raise TypeError("pass a workroom.User: this application has no identify function")
        return await identify_user(self._identify, connection)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        running = self._started()
        if threading.get_ident() == running.thread:
            work.close()
            raise RuntimeError("use `async with jobs.room(...)` in a coroutine")
        return asyncio.run_coroutine_threadsafe(work, running.loop).result(_CALL_SECONDS)

    def _started(self) -> Running:
        if self._running is None:
            raise NotStarted(NOT_STARTED)
        return self._running

    def _not_started(self) -> WorkroomError:
        """Logged once as an error: a response may be seen by nobody who can do something about it."""
        if not self._has_warned:
            self._has_warned = True
            log.error(NOT_STARTED)
        return NotStarted(NOT_STARTED)

    async def _refuse(self, refusal: WorkroomError, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.detail[:120]})
        else:
            await problems.response(refusal)(scope, receive, send)

    async def _serve_lifespan(self, receive: Receive, send: Send) -> None:
        """For an ASGI server that serves this application alone."""
        await receive()
        try:
            async with self.lifespan():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as error:
            failed = "startup" if self._running is None else "shutdown"
            await send({"type": f"lifespan.{failed}.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.shutdown.complete"})
