"""Finds things that the caller may see, and refuses what they may not do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from workroom.domain.extension import ExtensionKey
from workroom.domain.files import RoomFile
from workroom.domain.identity import Principal
from workroom.domain.job import Job
from workroom.domain.jobs.group import Group
from workroom.domain.permissions import (
    Permission,
    Relation,
    file_relations,
    global_relations,
    group_relations,
    job_relations,
    may,
    preset_relations,
    request_relations,
    room_relations,
    worker_relations,
)
from workroom.domain.preset import Preset
from workroom.domain.queries import FindFile, FindGroup, FindJob, FindJobsById, FindWorker
from workroom.domain.room import Room, own_room
from workroom.domain.worker import ConsentRequest, Worker
from workroom.errors import (
    FileNotFound,
    Forbidden,
    GroupNotFound,
    JobNotFound,
    NameTaken,
    RoomNotFound,
    WorkerNotFound,
    WorkroomError,
)
from workroom.ports import ReadableStore
from workroom.services.rooms.rooms import Rooms

_REASONS = {
    Permission.ADMINISTER: "this needs the role admin",
    Permission.OFFER_PUBLIC: "registering a public extension needs the role admin",
    Permission.MANAGE_ROOM: "only the room's owner and admins may do this",
    Permission.BREAK_LOCK: "only the room's owner and admins can break a lock",
    Permission.SAVE_OUTPUT: "only a job's own running attempt may do this: "
    "send its token, or worker_id, attempt and token",
    Permission.DELETE_FILE: "only its uploader, the room's owner or an admin can delete a file",
    Permission.CHANGE_PRESET: "only who saved it first, the room's owner or an admin can change a preset",
    Permission.CANCEL_JOB: "only its submitter, the room's owner or an admin can cancel a job",
    Permission.RUN_WORKER: "this worker belongs to somebody else",
    Permission.ACCEPT_WORKER: "only its current offerer, the room's owner or an admin can decide on this",
    Permission.DISMISS_WORKER: "only its user, the room's owner or an admin can dismiss a worker",
    Permission.LIST_ROOMS: "this token is for a machine: it cannot list rooms",
    Permission.CREATE_ROOM: "this token is for a machine: it cannot create rooms",
}


class Access:
    def __init__(self, store: ReadableStore, rooms: Rooms) -> None:
        self._store = store
        self._rooms = rooms

    def check(self, who: Principal, permission: Permission) -> None:
        """Check a permission that does not depend on a room, job or worker."""
        if not may(permission, global_relations(who)):
            raise _refusal(permission)

    async def room(self, who: Principal, name: str, permission: Permission) -> Room:
        return _admit(who, await self._rooms.find(name), permission)

    async def room_or_new(self, who: Principal, name: str, permission: Permission) -> Room:
        """The room, created if it is missing. A hidden room counts as a taken name."""
        if not may(Permission.CREATE_ROOM, global_relations(who)):
            return await self.room(who, name, permission)
        if name == own_room(who.user):
            return _admit(who, await self._rooms.own(who), permission)
        if await self._rooms.read(name) is None:
            with suppress(NameTaken):  # by somebody else, just now
                return await self._rooms.create(who, name)
        try:
            return await self.room(who, name, permission)
        except RoomNotFound:
            raise NameTaken(f"there is a room '{name}' already: choose another name", room=name) from None

    async def job(self, who: Principal, job_id: str, permission: Permission) -> Job:
        job = await self._store.read(FindJob(job_id))
        if job is None:
            raise _no_job(job_id)
        relations = await self._job_relations(who, job)
        if not may(permission, relations):
            raise _refusal(permission) if may(Permission.SEE_JOB, relations) else _no_job(job_id)
        return job

    async def jobs(
        self, who: Principal, room_name: str, ids: Sequence[str], permission: Permission
    ) -> list[Job | WorkroomError]:
        """Each of these jobs of a room, briefly, or why the caller may not do this with it."""
        room = await self.room(who, room_name, Permission.SEE_ROOM)
        found = {job.id: job for job in await self._store.read(FindJobsById(tuple(ids), brief=True))}
        return [_permit(who, room, job_id, found.get(job_id), permission) for job_id in ids]

    async def rooms_of(self, ids: Sequence[str]) -> dict[str, str]:
        """The room of each of these jobs that exists."""
        return {job.id: job.room for job in await self._store.read(FindJobsById(tuple(ids), brief=True))}

    async def group(self, who: Principal, group_id: str, permission: Permission) -> Group:
        group = await self._store.read(FindGroup(group_id))
        room = None if group is None else await self._rooms.read(group.room)
        if group is None or room is None or room.deleted:
            raise _no_group(group_id)
        relations = group_relations(who, group, room)
        if not may(permission, relations):
            raise _refusal(permission) if may(Permission.SEE_ROOM, relations) else _no_group(group_id)
        return group

    async def sees_room(self, who: Principal, name: str) -> bool:
        room = await self._rooms.read(name)
        return room is not None and may(Permission.SEE_ROOM, room_relations(who, room))

    async def manages(self, who: Principal, name: str) -> bool:
        room = await self._rooms.read(name)
        return room is not None and may(Permission.MANAGE_ROOM, room_relations(who, room))

    async def sees(self, who: Principal, job: Job) -> bool:
        return may(Permission.SEE_JOB, await self._job_relations(who, job))

    async def _job_relations(self, who: Principal, job: Job) -> frozenset[Relation]:
        room = await self._rooms.read(job.room)
        return job_relations(who, job, None if room is None or room.deleted else room)

    async def file(self, who: Principal, room_name: str, file_id: str, permission: Permission) -> RoomFile:
        room = await self.room(who, room_name, Permission.SEE_ROOM)
        file = await self._store.read(FindFile(room.name, file_id))
        if file is None:
            raise FileNotFound(f"there is no file '{file_id[:100]}' in this room")
        if not may(permission, file_relations(who, file, room)):
            raise _refusal(permission)
        return file

    def check_preset(self, who: Principal, preset: Preset, room: Room) -> None:
        """Whether the caller may replace or delete a preset that they see."""
        if not may(Permission.CHANGE_PRESET, preset_relations(who, preset, room)):
            raise _refusal(Permission.CHANGE_PRESET)

    async def worker(self, who: Principal, worker_id: str, permission: Permission) -> Worker:
        worker = await self._store.read(FindWorker(worker_id))
        if worker is None:
            raise WorkerNotFound()
        relations = worker_relations(who, worker, await self._served(who, worker))
        if not may(permission, relations):
            raise _refusal(permission) if may(Permission.SEE_WORKER, relations) else WorkerNotFound()
        return worker

    async def awaiting_decision(
        self, who: Principal, worker_id: str, matches: Callable[[ExtensionKey], bool]
    ) -> tuple[Worker, list[ExtensionKey]]:
        """A worker that awaits consent, and the extensions on which the caller may decide."""
        worker = await self.worker(who, worker_id, Permission.SEE_WORKER)
        wanted = [request for request in worker.awaiting if matches(request.key)]
        if not wanted:
            raise WorkerNotFound("this worker does not wait for consent to that")
        found = [request.key for request in wanted if await self._decides(who, request, worker)]
        if not found:
            raise _refusal(Permission.ACCEPT_WORKER)
        return worker, found

    async def _decides(self, who: Principal, request: ConsentRequest, worker: Worker) -> bool:
        name = request.key.room
        room = None if name is None else await self._rooms.read(name)
        if name is not None and (room is None or room.deleted):
            return False
        return may(Permission.ACCEPT_WORKER, request_relations(who, request, worker, room))

    async def dismissing(
        self, who: Principal, worker_id: str, room: str | None
    ) -> tuple[Worker, frozenset[str | None] | None]:
        """A worker, and the rooms from which the caller may dismiss it; None for all."""
        worker = await self.worker(who, worker_id, Permission.SEE_WORKER)
        if may(Permission.RUN_WORKER, worker_relations(who, worker, ())):
            return worker, None if room is None else frozenset({room})
        served = {key.room for key in worker.keys if key.room is not None and room in (None, key.room)}
        mine = frozenset([name for name in served if await self.manages(who, name)])
        if not mine:
            raise _refusal(Permission.DISMISS_WORKER)
        return worker, mine

    async def reclaim(self, who: Principal, worker_id: str | None) -> None:
        """A machine that is bound to one room cannot take over a worker that serves another room."""
        if who.room is not None and worker_id is not None:
            worker = await self._store.read(FindWorker(worker_id))
            if worker is not None and worker.extensions:
                await self.worker(who, worker_id, Permission.RUN_WORKER)

    async def _served(self, who: Principal, worker: Worker) -> list[Room]:
        if who.user == worker.spec.user or who.is_admin:
            return []
        found = [await self._rooms.read(key.room) for key in worker.keys if key.room is not None]
        return [room for room in found if room is not None]


def sees_stack(who: Principal, job: Job) -> bool:
    return may(Permission.SEE_STACK_TRACE, job_relations(who, job, None))


def _admit(who: Principal, room: Room, permission: Permission) -> Room:
    relations = room_relations(who, room)
    if room.deleted:
        raise _no_room(room.name)
    if not may(permission, relations):
        raise _refusal(permission) if may(Permission.SEE_ROOM, relations) else _no_room(room.name)
    return room


def _permit(
    who: Principal, room: Room, job_id: str, job: Job | None, permission: Permission
) -> Job | WorkroomError:
    if job is None or job.room != room.name:
        return _no_job(job_id)
    return job if may(permission, job_relations(who, job, room)) else _refusal(permission)


def _refusal(permission: Permission) -> Forbidden:
    return Forbidden(_REASONS.get(permission, f"you may not {permission.value}"))


def _no_room(name: str) -> RoomNotFound:
    return RoomNotFound(f"there is no room '{name}'", room=name)


def _no_job(job_id: str) -> JobNotFound:
    return JobNotFound(f"there is no job '{job_id[:100]}'")


def _no_group(group_id: str) -> GroupNotFound:
    return GroupNotFound(f"there is no group '{group_id[:100]}'")
