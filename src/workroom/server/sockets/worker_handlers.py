"""What workers send: hello, heartbeats, requests for a job, and reports about jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from workroom.domain import events
from workroom.domain.permissions import Permission
from workroom.domain.worker import Session
from workroom.errors import InvalidRequest, WorkerNotFound, WorkroomError
from workroom.server.http.bodies.worker import HeartbeatBody, HelloBody, SessionBody, check_holds
from workroom.server.http.context import Services
from workroom.server.http.views.problem import render_problem
from workroom.server.http.views.values import format_time
from workroom.server.http.views.worker import render_assignment, render_consent, render_reconciled
from workroom.server.sockets.client import Client, Handler
from workroom.server.sockets.message_decoder import Decoded, Finish, MessageDecoder
from workroom.server.sockets.socket_server import SocketServer
from workroom.services.jobs.reports import Answers

T = TypeVar("T")


class WorkerHandlers:
    def __init__(self, server: SocketServer, services: Services, decoder: MessageDecoder) -> None:
        settings = services.settings
        liveness, limits, log_limits = settings.liveness, settings.report_limits, settings.log_limits
        self._server = server
        self._access = services.access
        self._sessions = services.worker_sessions
        self._reports = services.reports
        self._clock = services.clock
        self._decoder = decoder
        self._max_holds = limits.holds
        self._liveness = liveness
        self._terms = {
            "max_result_bytes": limits.result,
            "max_log_lines": log_limits.lines,
            "max_log_bytes": log_limits.bytes,
            "max_items": limits.items,
            "max_message_bytes": limits.message,
        }

    def handlers(self) -> dict[str, Handler]:
        return {
            "worker:hello": self._hello,
            "worker:heartbeat": self._heartbeat,
            "worker:ask": self._claim,
            "job:start": self._start,
            "job:release": self._release,
            "job:finish": self._finish,
            "job:progress": self._progress,
            "job:log": self._log,
        }

    async def _hello(self, client: Client, body: Any) -> Any:
        trip_s = self._clock.monotonic() - client.connected_at
        self._check_holds(body)
        hello = HelloBody.model_validate(body)
        worker = hello.worker_id or client.worker_id
        if not isinstance(worker, str):
            raise InvalidRequest("worker_id is missing: send it here or in the auth of CONNECT")
        await self._access.worker(client.principal, worker, Permission.RUN_WORKER)
        client.check_open()  # the worker may have connected anew while the store did not respond
        self._server.empty(events.worker_audience(worker))
        self._server.enter(client.sid, events.worker_audience(worker))
        opened = await self._sessions.connect(
            worker,
            hello.boot_id,
            [each.hold() for each in hello.holds],
            hello.seen,
            socket=client.sid,
            on_call=hello.on_call,
            trip_s=trip_s,
        )
        if client.is_gone:  # its disconnect found no session to end
            await self._sessions.disconnect(opened.session)
        client.check_open()
        client.session = opened.session
        return {
            "session": opened.session.number,
            **self._pace(opened.lease or self._liveness.lease),
            **self._terms,
            "awaiting_consent": [render_consent(each) for each in opened.awaiting],
            **render_reconciled(opened.reconciled),
        }

    def _pace(self, lease: float) -> dict[str, float]:
        """Heartbeats come often enough for a lease that is shorter than the server's."""
        heartbeat = self._liveness.heartbeat * min(1.0, lease / self._liveness.lease)
        return {"heartbeat_ms": heartbeat * 1000, "lease_ms": lease * 1000}

    async def _heartbeat(self, client: Client, body: Any) -> Any:
        worker = client.worker()
        self._check_holds(body)
        heartbeat = HeartbeatBody.model_validate(body)
        session = Session(worker, heartbeat.session)
        holds = [each.hold() for each in heartbeat.holds]
        reconciled = await self._sessions.heartbeat(session, holds, heartbeat.seen)
        if not self._sessions.is_connected(session):
            raise WorkerNotFound("this session is over: send worker:hello again")
        return render_reconciled(reconciled)

    def _check_holds(self, body: Any) -> None:
        """Limit their number before each is validated."""
        holds = body.get("holds") if isinstance(body, dict) else None
        check_holds(holds if isinstance(holds, list) else [], self._max_holds)

    async def _claim(self, client: Client, body: Any) -> Any:
        """A worker on call requests a job."""
        session = Session(client.worker(), SessionBody.model_validate(body).session)
        assignments = await self._sessions.claim_one(session)
        return {"jobs": [render_assignment(each) for each in assignments]}

    async def _start(self, client: Client, body: Any) -> Any:
        worker = client.worker()
        return await _report_each(self._decoder.starts(body), partial(self._reports.start, worker))

    async def _release(self, client: Client, body: Any) -> Any:
        worker = client.worker()
        return await _report_each(self._decoder.releases(body), partial(self._reports.release, worker))

    async def _finish(self, client: Client, body: Any) -> Any:
        worker = client.worker()

        def finish(finishes: list[Finish]) -> Awaitable[Answers]:
            reports = [report for report, _ in finishes]
            run_ms = {report.fence.job_id: took for report, took in finishes if took is not None}
            return self._reports.finish(worker, reports, run_ms)

        return await _report_each(self._decoder.finishes(body), finish)

    async def _progress(self, client: Client, body: Any) -> Any:
        worker = client.worker()
        now = format_time(self._clock.now_us())
        return await _report_each(self._decoder.progress(body, now), partial(self._reports.progress, worker))

    async def _log(self, client: Client, body: Any) -> Any:
        worker = client.worker()
        return await _report_each(self._decoder.logs(body), partial(self._reports.log, worker))


async def _report_each(decoded: Decoded[T], report: Callable[[list[T]], Awaitable[Answers]]) -> Any:
    """Report the valid items. The reply has one entry per item, in order: null, or its problem."""
    valid = [each for each in decoded if not isinstance(each, WorkroomError)]
    refusals = iter(await report(valid) if valid else ())
    results = [each if isinstance(each, WorkroomError) else next(refusals) for each in decoded]
    return {"answers": [None if each is None else render_problem(each) for each in results]}
