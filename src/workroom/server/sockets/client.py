"""A connected client, and what its handlers share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from workroom.domain.identity import Principal
from workroom.domain.job import Fence
from workroom.domain.worker import Session
from workroom.errors import InvalidRequest, NoSession
from workroom.server.http.bodies.fields import MAX_NAME
from workroom.server.sockets.connections import Connection
from workroom.services.live.subscriptions import Subscription


@dataclass(slots=True)
class Client:
    """The client of one socket: its principal, its worker session, and what it waits for and watches."""

    sid: str
    connection: Connection
    worker_id: str | None  # from the auth of CONNECT
    connected_at: float  # by the monotonic clock
    session: Session | None = None
    watched: dict[str, dict[Fence | None, Subscription]] = field(default_factory=dict)  # by audience
    waits: set[asyncio.Future[None]] = field(default_factory=set)
    attempt: Subscription | None = None  # if the socket was opened with the token of a running job
    is_gone: bool = False

    @property
    def principal(self) -> Principal:
        return self.connection.principal

    @property
    def subscriptions(self) -> list[Subscription]:
        watched = [each for found in self.watched.values() for each in found.values()]
        return watched if self.attempt is None else [*watched, self.attempt]

    def cancel_waits(self) -> None:
        for ended in self.waits:
            ended.cancel()

    def check_open(self) -> None:
        """Raises `NoSession` if the socket was closed during the request: nobody gets the reply."""
        if self.is_gone:
            raise NoSession("the socket was closed")

    def worker(self) -> str:
        """The worker of this socket. Raises `NoSession` before `worker:hello`."""
        if self.session is None:
            raise NoSession()
        return self.session.worker


Handler = Callable[[Client, Any], Awaitable[Any]]  # the body of an event to its reply


def read_text(body: Any, field: str, max_length: int = MAX_NAME) -> str:
    value = body.get(field) if isinstance(body, dict) else None
    if not isinstance(value, str) or len(value) > max_length:
        raise InvalidRequest(f"'{field}' must be a string of at most {max_length:,} characters")
    return value
