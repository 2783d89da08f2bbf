"""The socket side: the same services as REST, spoken in events that are acked and come in batches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import socketio
import structlog
from pydantic import TypeAdapter, ValidationError

from workroom.domain import events
from workroom.domain.identity import Principal
from workroom.domain.queries import FindJob
from workroom.domain.room import room_name
from workroom.domain.worker import Liveness, Session
from workroom.errors import (
    Forbidden,
    InvalidRequest,
    JobNotFound,
    NotFound,
    Unauthenticated,
    WorkroomError,
)
from workroom.ports import Clock, Store
from workroom.server import documents, problems
from workroom.server.auth import Tokens
from workroom.server.bus import SocketCourier
from workroom.server.wire import FinishBody, HeartbeatBody, HelloBody, ProgressEvent, StartBody
from workroom.services.membership import Membership
from workroom.services.reporting import Answers, Reporting
from workroom.services.rooms import Rooms

log = structlog.get_logger()

Handler = Callable[["Caller", Any], Awaitable[Any]]

_STARTS = TypeAdapter(list[StartBody])
_FINISHES = TypeAdapter(list[FinishBody])
_PROGRESS = TypeAdapter(list[ProgressEvent])


@dataclass(slots=True)
class Caller:
    """Who is at the other end of a socket."""

    sid: str
    who: Principal
    worker_id: str | None
    session: Session | None = None

    def worker(self) -> str:
        if self.session is None:
            raise InvalidRequest("say worker:hello first")
        return self.session.worker


class Sockets:
    def __init__(
        self,
        sio: socketio.AsyncServer,
        *,
        tokens: Tokens,
        store: Store,
        courier: SocketCourier,
        membership: Membership,
        reporting: Reporting,
        rooms: Rooms,
        liveness: Liveness,
        max_result: int,
        clock: Clock,
    ) -> None:
        self._sio = sio
        self._tokens = tokens
        self._store = store
        self._courier = courier
        self._membership = membership
        self._reporting = reporting
        self._rooms = rooms
        self._liveness = liveness
        self._max_result = max_result
        self._clock = clock
        self._callers: dict[str, Caller] = {}
        sio.on("connect", self._connect)
        sio.on("disconnect", self._disconnect)
        self._on("worker:hello", self._hello)
        self._on("worker:heartbeat", self._heartbeat)
        self._on("job:start", self._start)
        self._on("job:finish", self._finish)
        self._on("job:progress", self._progress)
        self._on("room:join", self._join)
        self._on("room:leave", self._leave)
        self._on("job:watch", self._watch)
        self._on("job:unwatch", self._unwatch)
        self._on("fleet:watch", self._watch_fleet)
        sio.on("*", _unknown)

    def _on(self, event: str, handler: Handler) -> None:
        """Every event is answered: with what the handler says, or with the problem under `error`."""

        async def answered(sid: str, body: Any = None, *_: Any) -> Any:
            try:
                return await handler(self._caller(sid), body)
            except WorkroomError as error:
                return {"error": documents.problem(error)}
            except ValidationError as error:
                return {"error": documents.problem(problems.from_validation(error))}
            except Exception:
                log.exception("socket_event_failed", event_name=event)
                return {"error": documents.problem(WorkroomError())}

        self._sio.on(event, answered)

    def _caller(self, sid: str) -> Caller:
        caller = self._callers.get(sid)
        if caller is None:
            raise Unauthenticated()
        return caller

    async def _connect(self, sid: str, environ: dict[str, Any], auth: dict[str, Any] | None = None) -> None:
        auth = auth if isinstance(auth, dict) else {}
        try:
            who = self._tokens.read(auth.get("token"))
        except WorkroomError as error:
            document = documents.problem(error)
            raise socketio.exceptions.ConnectionRefusedError(error.detail, document) from error
        self._callers[sid] = Caller(sid, who, auth.get("worker_id"))
        await self._sio.enter_room(sid, events.EVERYONE)
        await self._sio.enter_room(sid, events.user_audience(who.user))

    async def _disconnect(self, sid: str, *_: object) -> None:
        caller = self._callers.pop(sid, None)
        if caller is not None and caller.session is not None:
            self._courier.detach(caller.session.worker, sid)
            await self._membership.disconnected(caller.session)

    async def _hello(self, caller: Caller, body: Any) -> Any:
        hello = HelloBody.model_validate(body)
        worker = hello.worker_id or caller.worker_id
        if not isinstance(worker, str):
            raise InvalidRequest("say which worker you are: worker_id, here or in auth")
        await self._membership.owned(caller.who, worker)
        self._courier.attach(worker, caller.sid)
        await self._sio.close_room(events.worker_audience(worker))
        await self._sio.enter_room(caller.sid, events.worker_audience(worker))
        opened = await self._membership.connect(
            worker, hello.boot_id, [each.hold() for each in hello.holds], hello.seen
        )
        caller.session = opened.session
        return {
            "session": opened.session.number,
            "heartbeat_ms": self._liveness.heartbeat * 1000,
            "lease_ms": self._liveness.lease * 1000,
            "max_result_bytes": self._max_result,
            **documents.reconciled(opened.reconciled),
        }

    async def _heartbeat(self, caller: Caller, body: Any) -> Any:
        beat = HeartbeatBody.model_validate(body)
        session = Session(caller.worker(), beat.session)
        reconciled = await self._membership.heartbeat(
            session, [each.hold() for each in beat.holds], beat.seen
        )
        return documents.reconciled(reconciled)

    async def _start(self, caller: Caller, body: Any) -> Any:
        starts = [each.start() for each in _STARTS.validate_python(body)]
        return _answers(await self._reporting.start(caller.worker(), starts))

    async def _finish(self, caller: Caller, body: Any) -> Any:
        finishes = _FINISHES.validate_python(body)
        run_ms = {each.job_id: each.run_ms for each in finishes if each.run_ms is not None}
        reports = [each.report() for each in finishes]
        return _answers(await self._reporting.finish(caller.worker(), reports, run_ms))

    async def _progress(self, caller: Caller, body: Any) -> Any:
        now = documents.time_of(self._clock.now_us()) or ""
        records = [each.progress(now) for each in _PROGRESS.validate_python(body)]
        return _answers(await self._reporting.progress(caller.worker(), records))

    async def _join(self, caller: Caller, body: Any) -> Any:
        room = room_name(_text(body, "room"))
        await self._rooms.ensure(caller.who, room)
        await self._sio.enter_room(caller.sid, events.room_audience(room))
        return {"room": room}

    async def _leave(self, caller: Caller, body: Any) -> Any:
        room = room_name(_text(body, "room"))
        await self._sio.leave_room(caller.sid, events.room_audience(room))
        return {"room": room}

    async def _watch(self, caller: Caller, body: Any) -> Any:
        job_id = _text(body, "job_id")
        await self._sio.enter_room(caller.sid, events.job_audience(job_id))
        job = await self._store.read(FindJob(job_id))
        if job is None:
            await self._sio.leave_room(caller.sid, events.job_audience(job_id))
            raise JobNotFound()
        return {
            "job_id": job.id,
            "version": job.version,
            "status": job.status,
            "progress": documents.embedded(job.progress),
        }

    async def _unwatch(self, caller: Caller, body: Any) -> Any:
        job_id = _text(body, "job_id")
        await self._sio.leave_room(caller.sid, events.job_audience(job_id))
        return {"job_id": job_id}

    async def _watch_fleet(self, caller: Caller, body: Any) -> Any:
        if not caller.who.is_admin:
            raise Forbidden("watching the fleet needs the role admin")
        await self._sio.enter_room(caller.sid, events.FLEET)
        return {}


async def _unknown(event: str, sid: str, *_: Any) -> Any:
    return {"error": documents.problem(NotFound(f"there is no event '{event[:100]}'"))}


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
