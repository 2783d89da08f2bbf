"""Streams of server-sent events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.permissions import Permission
from workroom.errors import JobNotFound, RoomNotFound, TooManyRequests
from workroom.server.http.context import Services
from workroom.server.http.dependencies import RoomName, ServicesDep, get_caller
from workroom.server.http.openapi import refused
from workroom.server.http.router import Router
from workroom.server.http.sse import EventStream
from workroom.services.live.stream import Stream
from workroom.services.live.subscriptions import Subscription
from workroom.services.tasks.stream import TaskStream

router = Router(prefix="/api", tags=["streams"])

Ticket = Annotated[str | None, Query(max_length=2000, description="from `POST /api/stream-ticket`")]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events, as they happen. `x-events` has the schema of the data of each, by its name",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_OVER: dict[int | str, dict[str, Any]] = {
    204: {"description": "Everything was sent before: do not reconnect"}
}


async def get_reader(request: Request, ticket: Ticket = None) -> Principal:
    """The caller. A page that cannot set headers sends a ticket instead of a token."""
    services: Services = request.app.state.services
    return await (get_caller(request) if ticket is None else services.accounts.read_ticket(ticket))


async def get_last_id(
    header: Annotated[str | None, Header(alias="Last-Event-ID", max_length=200)] = None,
    query: Annotated[
        str | None,
        Query(alias="last_event_id", max_length=200, description="for clients that cannot set the header"),
    ] = None,
) -> str | None:
    return header or query or None


Reader = Annotated[Principal, Depends(get_reader)]
LastId = Annotated[str | None, Depends(get_last_id)]


class _OpenStream:
    """The connection, subscription and feed of a stream, which are released when it ends."""

    def __init__(self, services: Services, caller: Principal) -> None:
        self._services = services
        self._caller = caller
        self._stream: Stream | None = None
        self._response: EventStream | None = None
        self._releases: list[Callable[[], None]] = []
        self._reason: str | None = None
        connection = services.connections.add(caller, lambda: self.end("the token was revoked"))
        self._releases.append(lambda: services.connections.remove(connection))

    def follow(self, subscription: Subscription) -> None:
        self._releases.append(lambda: self._services.subscriptions.remove(subscription))

    async def open(self, stream: Stream) -> Response:
        settings = self._services.settings
        self._stream = stream
        self._releases.append(stream.close)
        self._response = EventStream(
            stream.events, ping=settings.ping, stall=settings.stall, on_close=self.close
        )
        stream.on_close(self._response.close_soon)
        # After subscribing, so that no revocation is missed
        await self._services.accounts.check(self._caller)
        if self._reason is not None:
            self._response.close(self._reason)
        return self._response

    def end(self, reason: str) -> None:
        self._reason = reason
        if self._stream is not None:
            self._stream.close()
        if self._response is not None:
            self._response.close(reason)

    def close(self) -> None:
        while self._releases:
            self._releases.pop()()


@router.get(
    "/jobs/{job_id}/stream",
    status_code=200,
    response_class=EventStream,
    responses={**_STREAM, **_OVER, **refused(JobNotFound, TooManyRequests)},
)
async def stream_job(job_id: str, caller: Reader, services: ServicesDep, last_id: LastId) -> Response:
    """A job from its beginning to its end: `state`, `progress`, `log`, `preview`, `artifact`, then `end`.

    A client that reconnects with its last id receives what it missed. An id of another store gets `reset`,
    then everything.
    """
    opened = _OpenStream(services, caller)
    try:
        job = await services.access.job(caller, job_id, Permission.SEE_JOB)
        opened.follow(services.subscriptions.to_job(caller, job, opened.end))
        job = await services.access.job(caller, job_id, Permission.SEE_JOB)  # its state after subscribing
        stream = services.streams.job(job, last_id)
        if stream is not None:
            return await opened.open(stream)
    except BaseException:
        opened.close()
        raise
    opened.close()
    return Response(status_code=204)


@router.get(
    "/rooms/{room}/stream",
    status_code=200,
    response_class=EventStream,
    responses={**_STREAM, **refused(RoomNotFound, TooManyRequests)},
)
async def stream_room(room: RoomName, caller: Reader, services: ServicesDep, last_id: LastId) -> Response:
    """The events of a room: `state`, `progress`, `chat`, `extensions`, `worker`, `files`, `room`.

    It starts now, with `open`. A client that reconnects with its last id receives what it missed. An id of
    another store gets `reset`, then the stream continues from now.
    """
    opened = _OpenStream(services, caller)
    try:
        opened.follow(services.subscriptions.to_room(caller, room, opened.end))
        await services.access.room(caller, room, Permission.SEE_ROOM)
        return await opened.open(services.streams.room(room, last_id))
    except BaseException:
        opened.close()
        raise


@router.get(
    "/task/{task_id}/stream",
    status_code=200,
    response_class=EventStream,
    responses={**_STREAM, **_OVER, **refused(JobNotFound, TooManyRequests)},
)
async def stream_task(task_id: str, caller: Reader, services: ServicesDep, last_id: LastId) -> Response:
    """A task until its end: `progress` events, then `complete` with its result or `error` with its error."""
    opened = _OpenStream(services, caller)
    try:
        job, _ = await services.tasks.find(caller, task_id)
        opened.follow(services.subscriptions.to_job(caller, job, opened.end))
        job, _ = await services.tasks.find(caller, task_id)  # its state after subscribing
        stream = services.streams.job(job, last_id)
        if stream is not None:
            return await opened.open(TaskStream(stream, lambda: services.tasks.read(caller, task_id)))
    except BaseException:
        opened.close()
        raise
    opened.close()
    return Response(status_code=204)
