"""Workers register, beat and leave."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from workroom.domain.identity import Role
from workroom.domain.policy import Act
from workroom.domain.queries import FindJobs, FindWorkers
from workroom.domain.worker import Session
from workroom.errors import InvalidRequest
from workroom.server import documents
from workroom.server.context import Admin, Inside, Who, answer
from workroom.server.json_route import JsonRoute
from workroom.server.paging import Cursor, Limit
from workroom.server.wire import ExtensionBody, HeartbeatBody, RegisterBody
from workroom.services.membership import OfferedExtension, OfferedWorker

router = APIRouter(prefix="/api/workers", tags=["workers"], route_class=JsonRoute)


@router.post("/register", status_code=201)
async def register(body: RegisterBody, who: Who, inside: Inside) -> Response:
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


@router.get("")
async def list_workers(who: Admin, inside: Inside) -> Response:
    """The whole fleet."""
    workers = await inside.store.read(FindWorkers())
    return answer({"items": [documents.worker(worker) for worker in workers]})


@router.get("/{worker_id}")
async def read_worker(worker_id: str, who: Who, inside: Inside) -> Response:
    return answer(documents.worker(await inside.access.worker(who, worker_id, Act.SEE_WORKER)))


@router.get("/{worker_id}/jobs")
async def list_worker_jobs(
    worker_id: str, who: Who, inside: Inside, cursor: Cursor = None, limit: Limit = 50
) -> Response:
    """What it has and had, as far as I may see it."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    page = await inside.reading.jobs(FindJobs(worker=worker_id, before=cursor, limit=limit))
    seen = [documents.job(job, who) for job in page.items if await inside.access.sees(who, job)]
    return answer({"items": seen, "next_cursor": page.next_cursor})


@router.put("/{worker_id}/heartbeat")
async def heartbeat(worker_id: str, body: HeartbeatBody, who: Who, inside: Inside) -> Response:
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    holds = [each.hold() for each in body.holds]
    reconciled = await inside.membership.heartbeat(Session(worker_id, body.session), holds, body.seen)
    return answer(documents.reconciled(reconciled))


@router.post("/{worker_id}/drain")
async def drain(
    worker_id: str,
    who: Who,
    inside: Inside,
    draining: Annotated[bool, Query(description="false: give it work again")] = True,
) -> Response:
    """Give it nothing more; it finishes what it has."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    await inside.operating.drain(worker_id, draining=draining)
    return answer(documents.worker(await inside.access.worker(who, worker_id, Act.RUN_WORKER)))


@router.post("/{worker_id}/shutdown")
async def shutdown(worker_id: str, who: Who, inside: Inside) -> Response:
    """A polite goodbye: what was not started goes to others at once."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    await inside.membership.leave(worker_id, "the worker said goodbye")
    return answer({})


@router.delete("/{worker_id}")
async def unregister(worker_id: str, who: Who, inside: Inside) -> Response:
    """Force a worker out, whatever it is doing."""
    await inside.access.worker(who, worker_id, Act.RUN_WORKER)
    await inside.membership.leave(worker_id, f"unregistered by {who.user}")
    return answer({})


def _offered(body: ExtensionBody) -> OfferedExtension:
    if body.public == (body.room is not None):
        raise InvalidRequest("an extension is either public or has a room")
    return OfferedExtension(body.room, body.category, body.name, body.json_schema, body.policy.policy())
