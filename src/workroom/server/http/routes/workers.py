"""Workers: register, heartbeat, drain, consent and dismissal."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain import worker as domain
from workroom.domain.audit import AuditAction
from workroom.domain.permissions import Permission
from workroom.domain.queries import FindJobs
from workroom.domain.room import room_name
from workroom.domain.worker import Session
from workroom.errors import (
    Forbidden,
    InvalidName,
    InvalidRequest,
    InvalidSchema,
    NameReserved,
    RoomNotFound,
    SchemaConflict,
    StaleSession,
    TooManyRequests,
    WorkerDismissed,
    WorkerNotFound,
)
from workroom.server.http.bodies.fields import MAX_NAME
from workroom.server.http.bodies.worker import (
    DecisionBody,
    ExtensionBody,
    HeartbeatBody,
    RefusalBody,
    RegisterBody,
    check_holds,
)
from workroom.server.http.dependencies import AdminCaller, Caller, Cursor, Limit, ServicesDep, json_response
from workroom.server.http.openapi import STORING, refused
from workroom.server.http.router import Router
from workroom.server.http.views.job import JobPage, render_job_page
from workroom.server.http.views.values import Nothing
from workroom.server.http.views.worker import (
    Reconciled,
    RegisteredWorker,
    Worker,
    Workers,
    render_reconciled,
    render_registered,
    render_worker,
    render_workers,
)
from workroom.services.workers.sessions import OfferedExtension, OfferedWorker

router = Router(prefix="/api/workers", tags=["workers"])


@router.post(
    "/register",
    status_code=201,
    response_model=RegisteredWorker,
    responses={
        **refused(
            Forbidden,
            *STORING,
            WorkerDismissed,
            RoomNotFound,
            SchemaConflict,
            NameReserved,
            InvalidName,
            InvalidSchema,
            TooManyRequests,
        ),
        200: {"model": RegisteredWorker, "description": "it was known, and its list is replaced"},
    },
)
async def register_worker(body: RegisterBody, caller: Caller, services: ServicesDep) -> Response:
    """201 for a new worker, 200 for a known one, whose list of extensions is replaced."""
    worker = OfferedWorker(body.worker_id, body.name or caller.user, body.slots, body.machine)
    offered = [_offered(extension) for extension in body.extensions]
    registered = await services.registration.register(caller, worker, offered)
    return json_response(render_registered(registered), 201 if registered.is_new else 200)


@router.get("", response_model=Workers, responses=refused(Forbidden))
async def list_workers(caller: AdminCaller, services: ServicesDep) -> Response:
    """The whole fleet."""
    return json_response(render_workers(await services.directory.workers()))


@router.get("/{worker_id}", response_model=Worker, responses=refused(WorkerNotFound))
async def read_worker(worker_id: str, caller: Caller, services: ServicesDep) -> Response:
    """The worker's state and extensions, as far as the caller may see them."""
    worker = await services.access.worker(caller, worker_id, Permission.SEE_WORKER)
    rooms = {key.room for key in worker.keys if key.room is not None}
    seen = {None, *[room for room in rooms if await services.access.sees_room(caller, room)]}
    is_mine = caller.user == worker.spec.user
    return json_response(render_worker(worker, lambda key: is_mine or key.room in seen))


@router.get("/{worker_id}/jobs", response_model=JobPage, responses=refused(Forbidden, WorkerNotFound))
async def list_worker_jobs(
    worker_id: str, caller: Caller, services: ServicesDep, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """The worker's current and past jobs, as far as the caller may see them."""
    query = FindJobs(worker=worker_id, before=cursor, limit=limit)
    page = await services.job_reader.search_worker(caller, worker_id, query)
    return json_response(render_job_page(page, caller))


@router.put(
    "/{worker_id}/heartbeat",
    response_model=Reconciled,
    responses=refused(Forbidden, WorkerDismissed, WorkerNotFound, StaleSession),
)
async def renew_worker(
    worker_id: str, body: HeartbeatBody, caller: Caller, services: ServicesDep
) -> Response:
    """Renew the worker's lease. The response lists the attempts that it must drop or stop."""
    await services.access.worker(caller, worker_id, Permission.RUN_WORKER)
    check_holds(body.holds, services.settings.max_holds)
    holds = [each.hold() for each in body.holds]
    reconciled = await services.worker_sessions.heartbeat(Session(worker_id, body.session), holds, body.seen)
    return json_response(render_reconciled(reconciled))


@router.post("/{worker_id}/drain", response_model=Worker, responses=refused(Forbidden, WorkerNotFound))
async def drain_worker(
    worker_id: str,
    caller: Caller,
    services: ServicesDep,
    draining: Annotated[bool, Query(description="false: give it jobs again")] = True,
) -> Response:
    """Give the worker no more jobs; it finishes those that it has."""
    await services.access.worker(caller, worker_id, Permission.RUN_WORKER)
    worker = await services.operations.drain(worker_id, draining=draining)
    detail = "no more jobs" if draining else "jobs again"
    await services.audit.write(caller, AuditAction.WORKER_DRAINED, _label(worker), detail)
    return json_response(render_worker(worker))


@router.post("/{worker_id}/shutdown", response_model=Nothing, responses=refused(Forbidden, WorkerNotFound))
async def shut_down_worker(worker_id: str, caller: Caller, services: ServicesDep) -> Response:
    """Disconnect the worker in order: jobs that it has not started return to pending at once."""
    await services.access.worker(caller, worker_id, Permission.RUN_WORKER)
    await services.worker_sessions.leave(worker_id, "the worker shut down")
    return json_response({})


@router.post(
    "/{worker_id}/accept",
    response_model=Worker,
    responses=refused(Forbidden, WorkerNotFound, SchemaConflict, NameReserved),
)
async def accept_worker(
    worker_id: str, body: DecisionBody, caller: Caller, services: ServicesDep
) -> Response:
    """Let the worker offer extensions that others offer already. Its user needs no further consent."""
    worker, keys = await services.access.awaiting_decision(caller, worker_id, body.matches)
    await services.consent.accept(caller.user, worker.spec.id, keys)
    await services.audit.write(caller, AuditAction.WORKER_ACCEPTED, _label(worker))
    return await read_worker(worker_id, caller, services)


@router.post("/{worker_id}/refuse", response_model=Nothing, responses=refused(Forbidden, WorkerNotFound))
async def refuse_worker(worker_id: str, body: RefusalBody, caller: Caller, services: ServicesDep) -> Response:
    """Refuse these extensions. A worker that offers nothing else is removed."""
    worker, keys = await services.access.awaiting_decision(caller, worker_id, body.matches)
    await services.consent.refuse(caller.user, worker.spec.id, keys, body.reason)
    return json_response({})


@router.delete("/{worker_id}", response_model=Nothing, responses=refused(Forbidden, WorkerNotFound))
async def dismiss_worker(
    worker_id: str,
    caller: Caller,
    services: ServicesDep,
    room: Annotated[str | None, Query(max_length=MAX_NAME, description="from this room only")] = None,
    reason: Annotated[str, Query(description="sent to the worker", max_length=200)] = "it was removed",
) -> Response:
    """Remove a worker, also while it runs jobs; its id is banned for a day.

    A room's owner dismisses it from that room. Its user then needs consent for a day, unless that is you.
    """
    name = None if room is None else room_name(room)
    worker, rooms = await services.access.dismissing(caller, worker_id, name)
    await services.consent.dismiss(caller.user, worker, rooms, reason)
    await services.audit.write(caller, AuditAction.WORKER_DISMISSED, _label(worker), reason)
    return json_response({})


def _label(worker: domain.Worker) -> str:
    return f"{worker.spec.name} of {worker.spec.user} ({worker.spec.id})"


def _offered(body: ExtensionBody) -> OfferedExtension:
    if body.public == (body.room is not None):
        raise InvalidRequest("an extension is either public or has a room")
    return OfferedExtension(body.room, body.category, body.name, body.json_schema, body.policy.policy())
