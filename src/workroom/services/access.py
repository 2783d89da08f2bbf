"""Finds things for whoever may see them, and refuses what they may not do."""

from __future__ import annotations

from workroom.domain.files import RoomFile
from workroom.domain.identity import PEOPLE, Principal
from workroom.domain.job import Job
from workroom.domain.policy import Act, Standing, anywhere, in_room, may, over_file, over_job, over_worker
from workroom.domain.queries import FindFile, FindJob, FindWorker
from workroom.domain.room import Room
from workroom.domain.worker import Worker
from workroom.errors import FileNotFound, Forbidden, JobNotFound, RoomNotFound, WorkerNotFound
from workroom.ports import Store
from workroom.services.rooms import Rooms

_REASONS = {
    Act.ADMINISTER: "this needs the role admin",
    Act.OFFER_PUBLIC: "registering a public extension needs the role admin",
    Act.MANAGE_ROOM: "only the room's owner and admins may do this",
    Act.SAVE: "only a job's own running attempt may do this: send its token, or worker_id, attempt and token",
    Act.DELETE_FILE: "only who brought a file, the room's owner or an admin can delete it",
    Act.CANCEL_JOB: "only its submitter, the room's owner or an admin can cancel a job",
    Act.RUN_WORKER: "this worker belongs to somebody else",
    Act.LIST_ROOMS: "this token is for a machine: it enters no rooms",
    Act.CREATE_ROOM: "this token is for a machine: it makes no rooms",
}


class Access:
    def __init__(self, store: Store, rooms: Rooms) -> None:
        self._store = store
        self._rooms = rooms

    def check(self, who: Principal, act: Act) -> None:
        """For what is not about one thing."""
        if not may(act, anywhere(who)):
            raise _refusal(act)

    async def room(self, who: Principal, name: str, act: Act) -> Room:
        return _admit(who, await self._rooms.find(name), act)

    async def enter(self, who: Principal, name: str, act: Act) -> Room:
        """The room; one that is not there yet is about to be made, open, by who asks first."""
        room = await self._rooms.look(name)
        if room is not None:
            return _admit(who, room, act)
        if not may(Act.CREATE_ROOM, anywhere(who)):
            raise _no_room(name)
        return Room(name, who.user)

    async def job(self, who: Principal, job_id: str, act: Act) -> Job:
        job = await self._store.read(FindJob(job_id))
        if job is None:
            raise _no_job(job_id)
        standings = await self._over_job(who, job)
        if not may(act, standings):
            raise _refusal(act) if may(Act.SEE_JOB, standings) else _no_job(job_id)
        return job

    async def sees_room(self, who: Principal, name: str) -> bool:
        room = await self._rooms.look(name)
        return room is not None and may(Act.SEE_ROOM, in_room(who, room))

    async def manages(self, who: Principal, name: str) -> bool:
        room = await self._rooms.look(name)
        return room is not None and may(Act.MANAGE_ROOM, in_room(who, room))

    async def sees(self, who: Principal, job: Job) -> bool:
        return may(Act.SEE_JOB, await self._over_job(who, job))

    async def _over_job(self, who: Principal, job: Job) -> frozenset[Standing]:
        room = await self._rooms.look(job.room)
        return over_job(who, job, None if room is None or room.deleted else room)

    async def file(self, who: Principal, room_name: str, file_id: str, act: Act) -> RoomFile:
        room = await self.room(who, room_name, Act.SEE_ROOM)
        file = await self._store.read(FindFile(room.name, file_id))
        if file is None:
            raise FileNotFound(f"there is no file '{file_id[:100]}' in this room")
        if not may(act, over_file(who, file, room)):
            raise _refusal(act)
        return file

    async def worker(self, who: Principal, worker_id: str, act: Act) -> Worker:
        worker = await self._store.read(FindWorker(worker_id))
        if worker is None:
            raise WorkerNotFound()
        standings = over_worker(who, worker, await self._served(who, worker))
        if not may(act, standings):
            raise _refusal(act) if may(Act.SEE_WORKER, standings) else WorkerNotFound()
        return worker

    async def reclaim(self, who: Principal, worker_id: str | None) -> None:
        """A machine that is bound to one room takes over no worker of the same name that serves another."""
        if who.room is not None and worker_id is not None:
            worker = await self._store.read(FindWorker(worker_id))
            if worker is not None and worker.extensions:
                await self.worker(who, worker_id, Act.RUN_WORKER)

    async def _served(self, who: Principal, worker: Worker) -> list[Room]:
        if who.user == worker.spec.user or who.is_admin:
            return []
        found = [await self._rooms.look(key.room) for key in worker.extensions if key.room is not None]
        return [room for room in found if room is not None]


def sees_stack(who: Principal, job: Job) -> bool:
    return may(Act.SEE_STACK, over_job(who, job, None))


def is_in(who: Principal, room: Room) -> bool:
    """May what somebody has open stay open? Machines hear of no room, so they do."""
    return who.role not in PEOPLE or who.is_admin or room.admits(who.user)


def _admit(who: Principal, room: Room, act: Act) -> Room:
    standings = in_room(who, room)
    if room.deleted:
        raise _no_room(room.name)
    if not may(act, standings):
        raise _refusal(act) if may(Act.SEE_ROOM, standings) else _no_room(room.name)
    return room


def _refusal(act: Act) -> Forbidden:
    return Forbidden(_REASONS.get(act, f"you may not {act.value}"))


def _no_room(name: str) -> RoomNotFound:
    return RoomNotFound(f"there is no room '{name}'", room=name)


def _no_job(job_id: str) -> JobNotFound:
    return JobNotFound(f"there is no job '{job_id[:100]}'")
