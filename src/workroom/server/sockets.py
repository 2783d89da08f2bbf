"""The socket side: the same services as REST, spoken in events that are acked and come in batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

import socketio
import structlog
from pydantic import TypeAdapter, ValidationError

from workroom.domain import events
from workroom.domain.identity import PEOPLE, Principal
from workroom.domain.job import Fence
from workroom.domain.logs import LogLimits
from workroom.domain.policy import Act
from workroom.domain.room import room_name
from workroom.domain.worker import Liveness, Session
from workroom.errors import (
    Forbidden,
    InvalidRequest,
    NotFound,
    Unauthenticated,
    WorkerNotFound,
    WorkroomError,
)
from workroom.ports import Clock
from workroom.server import documents, plain_speech, problems
from workroom.server.bus import SocketCourier
from workroom.server.connections import Connection, Connections
from workroom.server.engine import NAMESPACE, Lines
from workroom.server.ordering import Ordering
from workroom.server.wire import (
    AskBody,
    HeartbeatBody,
    HelloBody,
    LogEvent,
    ProgressEvent,
    WaitEvent,
)
from workroom.services.access import Access
from workroom.services.accounts import Accounts
from workroom.services.dispatch import Dispatcher
from workroom.services.membership import Membership
from workroom.services.reporting import Answers, Reporting
from workroom.services.rooms import Rooms
from workroom.services.tasks import TaskKeeper
from workroom.services.tokens import Tokens
from workroom.services.waiting import Waiters, until_end

log = structlog.get_logger()

Handler = Callable[["Caller", Any], Awaitable[Any]]

_PROGRESS = TypeAdapter(list[ProgressEvent])
_LOGS = TypeAdapter(list[LogEvent])


@dataclass(slots=True)
class Caller:
    """Who is at the other end of a socket."""

    sid: str
    connection: Connection
    worker_id: str | None
    session: Session | None = None

    @property
    def who(self) -> Principal:
        return self.connection.who

    def worker(self) -> str:
        if self.session is None:
            raise InvalidRequest("say worker:hello first")
        return self.session.worker


class Sockets:
    def __init__(
        self,
        sio: socketio.AsyncServer,
        lines: Lines,
        *,
        tokens: Tokens,
        accounts: Accounts,
        access: Access,
        rooms: Rooms,
        connections: Connections,
        tasks: TaskKeeper,
        waiters: Waiters,
        courier: SocketCourier,
        membership: Membership,
        dispatcher: Dispatcher,
        reporting: Reporting,
        ordering: Ordering,
        liveness: Liveness,
        max_result: int,
        log_limits: LogLimits,
        cookie: str,
        clock: Clock,
    ) -> None:
        self._sio = sio
        self._tokens = tokens
        self._accounts = accounts
        self._access = access
        self._rooms = rooms
        self._connections = connections
        self._tasks = tasks
        self._waiters = waiters
        self._courier = courier
        self._membership = membership
        self._dispatcher = dispatcher
        self._reporting = reporting
        self._ordering = ordering
        self._liveness = liveness
        self._max_result = max_result
        self._log_limits = log_limits
        self._cookie_name = cookie
        self._clock = clock
        self._callers: dict[str, Caller] = {}
        sio.on("connect", self._connect)
        sio.on("disconnect", self._disconnect)
        self._handlers: dict[str, Handler] = {
            "worker:hello": self._hello,
            "worker:heartbeat": self._heartbeat,
            "worker:ask": self._ask,
            "job:start": self._start,
            "job:finish": self._finish,
            "job:progress": self._progress,
            "job:log": self._log,
            "token:renew": self._renew,
            "room:join": self._join,
            "room:leave": self._leave,
            "job:watch": self._watch,
            "job:unwatch": self._unwatch,
            "job:submit": self._submit,
            "job:wait": self._wait,
            "fleet:watch": self._watch_fleet,
        }
        lines.on_event(self._answer)

    async def _answer(self, sid: str, event: str, body: Any) -> Any:
        """Every event is answered: with what its handler says, or with the problem under `error`."""
        try:
            handler = self._handlers.get(event)
            if handler is None:
                raise NotFound(f"there is no event '{event[:100]}'")
            return await handler(await self._caller(sid), body)
        except WorkroomError as error:
            return {"error": documents.problem(error)}
        except ValidationError as error:
            return {"error": documents.problem(problems.from_validation(error))}
        except Exception:
            log.exception("socket_event_failed", event_name=event)
            return {"error": documents.problem(WorkroomError())}

    async def _caller(self, sid: str) -> Caller:
        """A job that was begun again elsewhere is not over, but the attempt is that this socket spoke for."""
        caller = self._callers.get(sid)
        if caller is None:
            raise Unauthenticated()
        if caller.who.job is not None and not await self._accounts.is_running(caller.who.job):
            self._cut(sid)
            raise Unauthenticated("this job's token counts no more: its attempt does not run")
        return caller

    async def _connect(self, sid: str, environ: dict[str, Any], auth: dict[str, Any] | None = None) -> None:
        auth = auth if isinstance(auth, dict) else {}
        try:
            who = await self._accounts.read(auth.get("token") or self._cookie(environ))
            connection = self._connections.add(who, lambda: self._cut(sid))
        except WorkroomError as error:
            document = documents.problem(error)
            raise socketio.exceptions.ConnectionRefusedError(error.detail, document) from error
        self._callers[sid] = Caller(sid, connection, auth.get("worker_id"))
        await self._sio.enter_room(sid, events.EVERYONE)
        if who.role in PEOPLE and auth.get("user_events", True):
            await self._sio.enter_room(sid, events.user_audience(who.user))
        if who.job is not None:
            self._tasks.start(self._cut_after(who.job, sid))

    async def _disconnect(self, sid: str, *_: object) -> None:
        caller = self._callers.pop(sid, None)
        if caller is not None:
            self._connections.remove(caller.connection)
        if caller is not None and caller.session is not None:
            self._courier.detach(caller.session.worker, sid)
            await self._tell_disconnected(caller.session)

    async def _tell_disconnected(self, session: Session) -> None:
        """Without the store the lease is not shortened; it runs out all the same."""
        try:
            await self._membership.disconnected(session)
        except WorkroomError as error:
            log.warning("disconnect_not_recorded", worker=session.worker, reason=error.detail)

    def _cut(self, sid: str) -> None:
        """Close the transport: who may come back does, who may not is told so when it knocks."""
        engine = self._sio.manager.eio_sid_from_sid(sid, NAMESPACE)
        if engine is not None:
            self._tasks.start(self._close(engine))

    async def _close(self, engine: str) -> None:
        """Without a goodbye: Python's client would take one for a wish that it stay away for good."""
        transport = self._sio.eio.sockets.get(engine)
        if transport is not None:
            await transport.close(wait=False, abort=True)
            await transport.hang_up()

    async def _cut_after(self, fence: Fence, sid: str) -> None:
        """The socket of a job ends with the job."""
        with self._waiters.expecting(fence.job_id) as ended:
            if await self._accounts.is_running(fence):  # it may have ended before it was expected to
                await ended
        self._cut(sid)

    def _cookie(self, environ: dict[str, Any]) -> str | None:
        morsel = SimpleCookie(environ.get("HTTP_COOKIE", "")).get(self._cookie_name)
        return None if morsel is None else morsel.value

    async def _renew(self, caller: Caller, body: Any) -> Any:
        """The same caller shows a fresher token, so that the socket outlives the older one."""
        who = self._tokens.read(_text(body, "token"))
        if (who.user, who.role, who.room) != (caller.who.user, caller.who.role, caller.who.room):
            raise Forbidden("that token is somebody else's")
        self._connections.renew(caller.connection, who)
        return documents.principal(who)

    async def _hello(self, caller: Caller, body: Any) -> Any:
        hello = HelloBody.model_validate(body)
        worker = hello.worker_id or caller.worker_id
        if not isinstance(worker, str):
            raise InvalidRequest("say which worker you are: worker_id, here or in auth")
        await self._access.worker(caller.who, worker, Act.RUN_WORKER)
        self._courier.attach(worker, caller.sid)
        await self._sio.close_room(events.worker_audience(worker))
        await self._sio.enter_room(caller.sid, events.worker_audience(worker))
        opened = await self._membership.connect(
            worker,
            hello.boot_id,
            [each.hold() for each in hello.holds],
            hello.seen,
            on_call=hello.on_call,
        )
        caller.session = opened.session
        return {
            "session": opened.session.number,
            "heartbeat_ms": self._liveness.heartbeat * 1000,
            "lease_ms": self._liveness.lease * 1000,
            "max_result_bytes": self._max_result,
            "max_log_lines": self._log_limits.lines,
            "max_log_bytes": self._log_limits.bytes,
            **documents.reconciled(opened.reconciled),
        }

    async def _heartbeat(self, caller: Caller, body: Any) -> Any:
        beat = HeartbeatBody.model_validate(body)
        session = Session(caller.worker(), beat.session)
        reconciled = await self._membership.heartbeat(
            session, [each.hold() for each in beat.holds], beat.seen
        )
        if not self._membership.is_seated(session):
            raise WorkerNotFound("say worker:hello again")
        return documents.reconciled(reconciled)

    async def _ask(self, caller: Caller, body: Any) -> Any:
        """A worker on call has come for a job."""
        session = Session(caller.worker(), AskBody.model_validate(body).session)
        assignments = await self._dispatcher.ask(session)
        return {"jobs": [documents.assignment(each) for each in assignments]}

    async def _start(self, caller: Caller, body: Any) -> Any:
        starts = plain_speech.starts(body)
        return _answers(await self._reporting.start(caller.worker(), starts))

    async def _finish(self, caller: Caller, body: Any) -> Any:
        finishes = plain_speech.finishes(body)
        reports = [report for report, _ in finishes]
        run_ms = {report.fence.job_id: took for report, took in finishes if took is not None}
        return _answers(await self._reporting.finish(caller.worker(), reports, run_ms))

    async def _progress(self, caller: Caller, body: Any) -> Any:
        now = documents.time_of(self._clock.now_us())
        records = [each.progress(now) for each in _PROGRESS.validate_python(body)]
        return _answers(await self._reporting.progress(caller.worker(), records))

    async def _log(self, caller: Caller, body: Any) -> Any:
        batches = [each.batch(each.job_id) for each in _LOGS.validate_python(body)]
        return _answers(await self._reporting.log(caller.worker(), batches))

    async def _join(self, caller: Caller, body: Any) -> Any:
        room = room_name(_text(body, "room"))
        await self._rooms.ensure(await self._access.enter(caller.who, room, Act.SEE_ROOM))
        caller.connection.rooms.add(room)
        await self._access.room(caller.who, room, Act.SEE_ROOM)  # who was put out meanwhile was not cut
        await self._sio.enter_room(caller.sid, events.room_audience(room))
        return {"room": room}

    async def _leave(self, caller: Caller, body: Any) -> Any:
        room = room_name(_text(body, "room"))
        await self._sio.leave_room(caller.sid, events.room_audience(room))
        return {"room": room}

    async def _watch(self, caller: Caller, body: Any) -> Any:
        """For who may see the job, or shows the token of a job that may."""
        job_id = _text(body, "job_id")
        who = caller.who if "token" not in body else await self._accounts.read(body["token"])
        caller.connection.rooms.add((await self._access.job(who, job_id, Act.SEE_JOB)).room)
        await self._sio.enter_room(caller.sid, events.job_audience(job_id))
        job = await self._access.job(who, job_id, Act.SEE_JOB)
        return {
            "job_id": job.id,
            "version": job.version,
            "status": job.status,
            "progress": documents.embedded(job.progress),
        }

    async def _submit(self, caller: Caller, body: Any) -> Any:
        room, category, name, wish, key = plain_speech.submit(body)
        job = await self._ordering.submit(caller.who, room_name(room), category, name, wish, key)
        return {"job": documents.ordered(job, caller.who)}

    async def _wait(self, caller: Caller, body: Any) -> Any:
        """The job once it has ended, or as it stands when the time is over."""
        wait = WaitEvent.model_validate(body)
        who = caller.who if wait.token is None else await self._accounts.read(wait.token)
        with self._waiters.expecting(wait.job_id) as ended:
            job = await self._access.job(who, wait.job_id, Act.SEE_JOB)
            if not job.status.is_terminal and wait.seconds:
                await until_end(ended, wait.seconds)
                job = await self._access.job(who, wait.job_id, Act.SEE_JOB)
        return {"job": documents.job(job, who)}

    async def _unwatch(self, caller: Caller, body: Any) -> Any:
        job_id = _text(body, "job_id")
        await self._sio.leave_room(caller.sid, events.job_audience(job_id))
        return {"job_id": job_id}

    async def _watch_fleet(self, caller: Caller, body: Any) -> Any:
        self._access.check(caller.who, Act.ADMINISTER)
        await self._sio.enter_room(caller.sid, events.FLEET)
        return {}


def _answers(answers: Answers) -> Any:
    """One entry per item, in its order: null, or why it was refused."""
    return {"answers": [None if each is None else documents.problem(each) for each in answers]}


def _text(body: Any, field: str) -> str:
    value = body.get(field) if isinstance(body, dict) else None
    if not isinstance(value, str):
        raise ValidationError.from_exception_data(
            "event", [{"type": "missing", "loc": (field,), "input": body}]
        )
    return value
