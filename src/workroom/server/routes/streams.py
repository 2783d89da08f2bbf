"""What happens, as it happens: server-sent events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request, Response

from workroom.domain.identity import Principal
from workroom.domain.policy import Act
from workroom.errors import JobNotFound, RoomNotFound, TooManyRequests
from workroom.server.context import Inside, Room, Services, principal
from workroom.server.openapi import refused
from workroom.server.router import Router
from workroom.server.sse import EventStream
from workroom.services.streaming import Stream
from workroom.services.task_stream import TaskStream

router = Router(prefix="/api", tags=["streams"])

Ticket = Annotated[str | None, Query(max_length=2000, description="from `POST /api/stream-ticket`")]
_TOLD = {"text/event-stream": {"schema": {"type": "string"}}}
_STREAM: dict[int | str, dict[str, Any]] = {200: {"description": "Events, as they happen", "content": _TOLD}}
_OVER: dict[int | str, dict[str, Any]] = {204: {"description": "All was told before: do not come back"}}


async def listener(request: Request, ticket: Ticket = None) -> Principal:
    """Who listens. A page that cannot set a header shows a ticket instead of a token."""
    inside: Services = request.app.state.services
    return await (principal(request) if ticket is None else inside.accounts.read_ticket(ticket))


async def last_id(
    header: Annotated[str | None, Header(alias="Last-Event-ID", max_length=200)] = None,
    query: Annotated[
        str | None, Query(alias="last_event_id", max_length=200, description="for who cannot set the header")
    ] = None,
) -> str | None:
    return header or query or None


Listener = Annotated[Principal, Depends(listener)]
LastId = Annotated[str | None, Depends(last_id)]


class _Desk:
    """What is to be let go when a stream ends; until it is open, that is nothing but the connection."""

    def __init__(self, inside: Services, who: Principal) -> None:
        self._inside = inside
        self._response: EventStream | None = None
        self._undo: list[Callable[[], None]] = []
        self._is_cut = False
        self.connection = inside.connections.add(who, self.cut)
        self._undo.append(lambda: inside.connections.remove(self.connection))

    async def open(self, stream: Stream) -> Response:
        settings = self._inside.settings
        self._undo.append(stream.close)
        self._response = EventStream(
            stream.tell, ping=settings.ping, stall=settings.stall, on_close=self.close
        )
        stream.when_closed(self._response.hurry)
        await self._end_with_job()
        if self._is_cut:
            self._response.cut()
        return self._response

    async def _end_with_job(self) -> None:
        """What a job listens to with its own token ends with the job."""
        fence = self.connection.who.job
        if fence is None:
            return
        waiters = self._inside.waiters
        ended = waiters.expect(fence.job_id)
        self._undo.append(lambda: waiters.forget(fence.job_id, ended))
        ended.add_done_callback(lambda _: self.cut())
        if not await self._inside.accounts.is_running(fence):
            self.cut()

    def cut(self) -> None:
        self._is_cut = True
        if self._response is not None:
            self._response.cut()

    def close(self) -> None:
        while self._undo:
            self._undo.pop()()


@router.get(
    "/jobs/{job_id}/stream",
    status_code=200,
    response_class=EventStream,
    responses={**_STREAM, **_OVER, **refused(JobNotFound, TooManyRequests)},
)
async def stream_job(job_id: str, who: Listener, inside: Inside, last_id: LastId) -> Response:
    """A job from its beginning to its end: `state`, `progress`, `log`, `preview`, `artifact`, then `end`.

    Who comes back with the last id is told what was missed. An id of another store is answered by `reset`,
    then everything.
    """
    desk = _Desk(inside, who)
    try:
        job = await inside.access.job(who, job_id, Act.SEE_JOB)
        desk.connection.rooms.add(job.room)
        job = await inside.access.job(who, job_id, Act.SEE_JOB)  # who was put out meanwhile was not cut
        stream = inside.streams.job(job, last_id)
        if stream is not None:
            return await desk.open(stream)
    except BaseException:
        desk.close()
        raise
    desk.close()
    return Response(status_code=204)


@router.get(
    "/rooms/{room}/stream",
    status_code=200,
    response_class=EventStream,
    responses={**_STREAM, **refused(RoomNotFound, TooManyRequests)},
)
async def stream_room(room: Room, who: Listener, inside: Inside, last_id: LastId) -> Response:
    """What happens in a room: `state`, `progress`, `chat`, `extensions`, `worker`, `files`, `room`.

    It begins with `open`, now. Who comes back with the last id is told what was missed. An id of another
    store is answered by `reset`, then it goes on from now.
    """
    desk = _Desk(inside, who)
    try:
        desk.connection.rooms.add(room)
        await inside.access.enter(who, room, Act.SEE_ROOM)
        return await desk.open(inside.streams.room(room, last_id))
    except BaseException:
        desk.close()
        raise


@router.get(
    "/task/{task_id}/stream",
    status_code=200,
    response_class=EventStream,
    responses={**_STREAM, **_OVER, **refused(JobNotFound, TooManyRequests)},
)
async def stream_task(task_id: str, who: Listener, inside: Inside, last_id: LastId) -> Response:
    """A task until its end: `progress` events, then `complete` with its result or `error` with its error."""
    desk = _Desk(inside, who)
    try:
        job, _ = await inside.tasks.find(who, task_id)
        desk.connection.rooms.add(job.room)
        job, _ = await inside.tasks.find(who, task_id)  # who was put out meanwhile was not cut
        stream = inside.streams.job(job, last_id)
        if stream is not None:
            return await desk.open(TaskStream(stream, lambda: inside.tasks.read(who, task_id)))
    except BaseException:
        desk.close()
        raise
    desk.close()
    return Response(status_code=204)
