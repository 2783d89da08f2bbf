"""Socket events: connects clients, and passes each event to the handler of its subject."""

from __future__ import annotations

from typing import Any, Protocol

import orjson
import structlog
from pydantic import ValidationError
from socketio.exceptions import ConnectionRefusedError

from workroom.domain import events
from workroom.domain.identity import PEOPLE
from workroom.domain.worker import Session
from workroom.errors import Forbidden, NotFound, Unauthenticated, WorkroomError
from workroom.server.http import problems
from workroom.server.http.bodies.fields import MAX_TOKEN
from workroom.server.http.context import Services
from workroom.server.http.dependencies import read_cookie
from workroom.server.http.views.account import render_principal
from workroom.server.http.views.problem import render_problem
from workroom.server.sockets.client import Client, Handler, read_text
from workroom.server.sockets.socket_server import SocketServer
from workroom.services.identity.tokens import Tokens
from workroom.services.lifecycle.background import BackgroundTasks

log = structlog.get_logger()


class EventHandlers(Protocol):
    def handlers(self) -> dict[str, Handler]: ...


class SocketHandlers:
    def __init__(
        self,
        server: SocketServer,
        services: Services,
        tokens: Tokens,
        tasks: BackgroundTasks,
        *subjects: EventHandlers,
    ) -> None:
        self._server = server
        self._tokens = tokens
        self._tasks = tasks
        self._accounts = services.accounts
        self._connections = services.connections
        self._subscriptions = services.subscriptions
        self._presence = services.presence
        self._sessions = services.worker_sessions
        self._clock = services.clock
        self._cookie = services.settings.cookie
        self._clients: dict[str, Client] = {}
        self._handlers: dict[str, Handler] = {"token:renew": self._renew}
        for subject in subjects:
            self._handlers.update(subject.handlers())
        server.on_connect(self._connect)
        server.on_disconnect(self._disconnect)
        server.on_event(self._handle)

    async def _handle(self, sid: str, event: str, body: Any) -> bytes:
        """Every event gets a reply: its handler's, or a problem under `error`."""
        try:
            handler = self._handlers.get(event)
            if handler is None:
                raise NotFound(f"there is no event '{event[:100]}'")
            return orjson.dumps(await handler(await self._client(sid), body))
        except WorkroomError as error:
            return _encode_problem(error)
        except ValidationError as error:
            return _encode_problem(problems.from_validation(error))
        except Exception:
            log.exception("socket_event_failed", event_name=event[:100], **self._ids(sid))
            return _encode_problem(WorkroomError())

    def _ids(self, sid: str) -> dict[str, str | None]:
        """Who sent it. Its values are not logged."""
        client = self._clients.get(sid)
        if client is None:
            return {}
        who = client.principal
        return {"user": who.user, "worker": client.worker_id, "job": who.job.job_id if who.job else None}

    async def _client(self, sid: str) -> Client:
        """A job's token is valid for one attempt: check that it still runs."""
        client = self._clients.get(sid)
        if client is None:
            raise Unauthenticated()
        job = client.connection.principal.job
        if job is not None and not await self._accounts.is_running(job):
            self._close(sid)
            raise Unauthenticated("this job token is revoked: its attempt is not running")
        return client

    async def _connect(self, sid: str, environ: dict[str, Any], auth: Any) -> None:
        auth = auth if isinstance(auth, dict) else {}
        token = auth.get("token") or read_cookie(environ.get("HTTP_COOKIE", ""), self._cookie)
        try:
            principal = await self._accounts.read(token)
            connection = self._connections.add(principal, lambda: self._close(sid))
        except WorkroomError as error:
            raise ConnectionRefusedError(error.detail, render_problem(error)) from error
        client = self._clients[sid] = Client(sid, connection, auth.get("worker_id"), self._clock.monotonic())
        self._server.enter(sid, events.EVERYONE)
        if principal.role in PEOPLE and auth.get("user_events", True):
            self._server.enter(sid, events.user_audience(principal.user))
        if principal.job is not None:
            client.attempt = self._subscriptions.to_attempt(principal, lambda _: self._close(sid))
            if not await self._accounts.is_running(principal.job):  # it ended before the subscription
                self._close(sid)

    async def _disconnect(self, sid: str) -> None:
        client = self._clients.pop(sid, None)
        if client is None:
            return
        client.is_gone = True
        self._connections.remove(client.connection)
        client.cancel_waits()
        for subscription in client.subscriptions:
            self._subscriptions.remove(subscription)
            if subscription.room is not None:
                self._presence.leave(subscription.room, sid)
        if client.session is not None:
            await self._disconnect_worker(client.session)

    async def _disconnect_worker(self, session: Session) -> None:
        """Shorten the lease. Without the store it runs out by itself."""
        try:
            await self._sessions.disconnect(session)
        except WorkroomError as error:
            log.warning("disconnect_not_recorded", worker=session.worker, reason=error.detail)

    def _close(self, sid: str) -> None:
        """Close the transport. A client without access learns why when it reconnects."""
        self._tasks.start(self._server.disconnect(sid))

    async def _renew(self, client: Client, body: Any) -> Any:
        """Extend the socket's life to that of a newer token of the same principal."""
        before, renewed = client.principal, self._tokens.read(read_text(body, "token", MAX_TOKEN))
        if (renewed.user, renewed.role, renewed.room) != (before.user, before.role, before.room):
            raise Forbidden("this token belongs to another user")
        self._connections.renew(client.connection, renewed)
        return render_principal(renewed, await self._accounts.display_name(renewed.user))


def _encode_problem(error: WorkroomError) -> bytes:
    return orjson.dumps({"error": render_problem(error)}, default=str)
