"""Workers register, beat and leave."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from workroom.domain.identity import Role
from workroom.domain.policy import Act
from workroom.domain.queries import FindJobs, FindWorkers
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
    WorkerNotFound,
)
from workroom.server import documents, shapes
from workroom.server.context import Admin, Inside, Who, answer
from workroom.server.openapi import refused
from workroom.server.paging import Cursor, Limit
from workroom.server.router import Router
from workroom.server.wire import ExtensionBody, HeartbeatBody, RegisterBody
from workroom.services.membership import OfferedExtension, OfferedWorker

router = Router(prefix="/api/workers", tags=["workers"])


@router.post(
    "/register",
    status_code=201,
    response_model=shapes.RegisteredWorker,
    responses={
        **refused(
            Forbidden, RoomNotFound, SchemaConflict, NameReserved, InvalidName, InvalidSchema, TooManyRequests
        ),
        200: {"model": shapes.RegisteredWorker, "description": "it was known, and its list is replaced"},
    },
)
async def register_worker(body: RegisterBody, who: Who, inside: Inside) -> Response:
    """201 for a new worker, 200 for a known one, whose list of extensions is replaced."""
    inside.access.check(who, Act.WHO_AM_I)
    if who.role in (Role.GUEST, Role.USER) or who.room is not None:
        inside.throttles.registrations.take(who.user)
    offered = [_offered(extension) for extension in body.extensions]
    for room in {each.room for each in offered}:
        if room is None:
            inside.access.check(who, Act.OFFER_PUBLIC)
        else:
            await inside.access.enter(who, room, Act.OFFER)
    await inside.access.reclaim(who, body.worker_id)
    worker = OfferedWorker(body.worker_id, body.name or who.user, body.slots, body.machine)
    registered = await inside.membership.register(who, worker, offered)
    return answer({"worker_id": registered.worker}, 201 if registered.is_new else 200)


@router.get("", response_model=shapes.Workers, responses=refused(Forbidden))
async def list_workers(who: Admin, inside: Inside) -> Response:
    """The whole fleet."""
    workers = await inside.store.read(FindWorkers())
    return answer({"items": [documents.worker(worker) for worker in workers]})


@router.get("/{worker_id}", response_model=shapes.Worker, responses=refused(WorkerNotFound))
async def read_worker(worker_id: str, who: Who, inside: Inside) -> Response:
    """What it offers, and what it is doing."""
    worker = await inside.access.worker(who, worker_id, Act.SEE_WORKER)
    rooms = {key.room for key in worker.extensions if key.room is not None}
    seen = {None, *[room for room in rooms if await inside.access.sees_room(who, room)]}
    is_mine = who.user == worker.spec.user
    return answer(documents.worker(worker, lambda key: is_mine or key.room in seen))


@router.get("/{worker_id}/jobs", response_model=shapes.JobPage, responses=refused(Forbidden, WorkerNotFound))
async def list_worker_jobs(
    worker_id: str, who: Who, inside: Inside, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """What it has and had, as far as I may see it."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    page = await inside.reading.jobs(FindJobs(worker=worker_id, before=cursor, limit=limit))
    seen = [documents.job(job, who) for job in page.items if await inside.access.sees(who, job)]
    return answer({"items": seen, "next_cursor": page.next_cursor})


@router.put(
    "/{worker_id}/heartbeat",
    response_model=shapes.Reconciled,
    responses=refused(Forbidden, WorkerNotFound, StaleSession),
)
async def renew_worker(worker_id: str, body: HeartbeatBody, who: Who, inside: Inside) -> Response:
    """A worker lives, and says what it holds; it is told what to drop and what to stop."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    holds = [each.hold() for each in body.holds]
    reconciled = await inside.membership.heartbeat(Session(worker_id, body.session), holds, body.seen)
    return answer(documents.reconciled(reconciled))


@router.post("/{worker_id}/drain", response_model=shapes.Worker, responses=refused(Forbidden, WorkerNotFound))
async def drain_worker(
    worker_id: str,
    who: Who,
    inside: Inside,
    draining: Annotated[bool, Query(description="false: give it work again")] = True,
) -> Response:
    """Give it nothing more; it finishes what it has."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    return answer(documents.worker(await inside.operating.drain(worker_id, draining=draining)))


@router.post(
    "/{worker_id}/shutdown", response_model=shapes.Nothing, responses=refused(Forbidden, WorkerNotFound)
)
async def shut_down_worker(worker_id: str, who: Who, inside: Inside) -> Response:
    """A polite goodbye: what was not started goes to others at once."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    await inside.membership.leave(worker_id, "the worker said goodbye")
    return answer({})


@router.delete("/{worker_id}", response_model=shapes.Nothing, responses=refused(Forbidden, WorkerNotFound))
async def unregister_worker(worker_id: str, who: Who, inside: Inside) -> Response:
    """Force a worker out, whatever it is doing."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    await inside.membership.leave(worker_id, f"unregistered by {who.user}")
    return answer({})


def _offered(body: ExtensionBody) -> OfferedExtension:
    if body.public == (body.room is not None):
        raise InvalidRequest("an extension is either public or has a room")
    return OfferedExtension(body.room, body.category, body.name, body.json_schema, body.policy.policy())
