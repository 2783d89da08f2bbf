"""Who may do what: one table, for REST, sockets and streams alike.

Who may not see a thing is told that it is not there. Who may see it but not do that is told so.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from workroom.domain.files import RoomFile
from workroom.domain.identity import PEOPLE, Principal, Role
from workroom.domain.job import Job
from workroom.domain.room import Room
from workroom.domain.worker import Worker


class Standing(StrEnum):
    """What somebody is to a thing."""

    PERSON = "a guest, a user or an admin"
    ADMIN = "an admin"
    MACHINE = "a token of role worker"
    PAIRED = "a token of role worker that is bound to one room"
    SERVER = "a worker process of the server"
    MEMBER = "a person whom the room admits: everybody if it is open"
    OWNER = "the owner of the room"
    SERVING = "a machine that may work for the room"
    SUBMITTER = "who submitted the job"
    PROVIDER = "who offers the job's extension"
    KEEPER = "who registered the worker"
    NEIGHBOUR = "a person in a room that the worker serves"
    UPLOADER = "who brought the file to the room, and is still in it"
    JOB = "a job that is running in the room"
    ITSELF = "the job's own running attempt"


class Act(StrEnum):
    WHO_AM_I = "ask who I am, renew or revoke my own token"
    LIST_ROOMS = "list the rooms I may enter"
    CREATE_ROOM = "create a room"
    ADMINISTER = "see the fleet, all jobs and usage; manage accounts and tokens"
    OFFER_PUBLIC = "offer an extension to all rooms"

    SEE_ROOM = "see a room: extensions, workers, jobs, events"
    SAY = "say something in the chat of a room"
    SUBMIT = "submit to a room, and read back my last values"
    LEAVE_ROOM = "leave a room"
    OFFER = "offer an extension in a room"
    PAIR = "make a pairing code for a room"
    MANAGE_ROOM = "rename, delete, open, close; members, invites; pause; raise priorities"

    SEE_JOB = "see a job and its history"
    SAVE = "save files of a job and show a preview"
    SEE_STACK = "see the stack trace of a failure"
    REPLAY_JOB = "replay a job"
    CANCEL_JOB = "cancel a job"

    DELETE_FILE = "delete a file of a room"

    SEE_WORKER = "see a worker"
    RUN_WORKER = "speak for a worker, drain it, remove it"


_ = Standing
RULES: dict[Act, frozenset[Standing]] = {
    Act.WHO_AM_I: frozenset({_.PERSON, _.MACHINE, _.PAIRED, _.SERVER, _.JOB}),
    Act.LIST_ROOMS: frozenset({_.PERSON}),
    Act.CREATE_ROOM: frozenset({_.PERSON}),
    Act.ADMINISTER: frozenset({_.ADMIN}),
    Act.OFFER_PUBLIC: frozenset({_.ADMIN, _.MACHINE, _.SERVER}),
    Act.SEE_ROOM: frozenset({_.MEMBER, _.ADMIN, _.JOB}),
    Act.SAY: frozenset({_.MEMBER, _.ADMIN, _.JOB}),
    Act.SUBMIT: frozenset({_.MEMBER, _.ADMIN, _.JOB}),
    Act.LEAVE_ROOM: frozenset({_.MEMBER, _.ADMIN}),
    Act.OFFER: frozenset({_.MEMBER, _.ADMIN, _.SERVING}),
    Act.PAIR: frozenset({_.MEMBER, _.ADMIN}),
    Act.MANAGE_ROOM: frozenset({_.OWNER, _.ADMIN}),
    Act.SEE_JOB: frozenset({_.MEMBER, _.SUBMITTER, _.ADMIN, _.JOB, _.ITSELF}),
    Act.SAVE: frozenset({_.ITSELF}),
    Act.SEE_STACK: frozenset({_.SUBMITTER, _.PROVIDER, _.ADMIN}),
    Act.REPLAY_JOB: frozenset({_.MEMBER, _.ADMIN}),
    Act.CANCEL_JOB: frozenset({_.SUBMITTER, _.OWNER, _.ADMIN}),
    Act.DELETE_FILE: frozenset({_.UPLOADER, _.OWNER, _.ADMIN}),
    Act.SEE_WORKER: frozenset({_.KEEPER, _.NEIGHBOUR, _.ADMIN}),
    Act.RUN_WORKER: frozenset({_.KEEPER, _.ADMIN}),
}


def may(act: Act, standings: Iterable[Standing]) -> bool:
    return not RULES[act].isdisjoint(standings)


_ROLES = {
    Role.ADMIN: frozenset({_.PERSON, _.ADMIN}),
    Role.GUEST: frozenset({_.PERSON}),
    Role.USER: frozenset({_.PERSON}),
    Role.WORKER: frozenset({_.MACHINE}),
    Role.RUNNER: frozenset({_.SERVER}),
    Role.JOB: frozenset({_.JOB}),
}


def anywhere(who: Principal) -> frozenset[Standing]:
    """What somebody is, whatever it is about."""
    is_paired = who.role is Role.WORKER and who.room is not None
    return frozenset({Standing.PAIRED}) if is_paired else _ROLES[who.role]


def in_room(who: Principal, room: Room) -> frozenset[Standing]:
    found: set[Standing] = set()
    if who.is_admin:
        found.add(Standing.ADMIN)
    if who.role in PEOPLE:
        if room.admits(who.user):
            found.add(Standing.MEMBER)
        if room.owner == who.user:
            found.add(Standing.OWNER)
    if who.role is Role.WORKER and room.admits(who.user) and who.room in (None, room.name):
        found.add(Standing.SERVING)
    if who.role is Role.JOB and who.room == room.name:
        found.add(Standing.JOB)
    return frozenset(found)


def over_job(who: Principal, job: Job, room: Room | None) -> frozenset[Standing]:
    """A job outlives its room: who submitted it goes on seeing it."""
    found = set(in_room(who, room)) if room is not None else set()
    if who.is_admin:
        found.add(Standing.ADMIN)
    if who.role in PEOPLE and who.user == job.user:
        found.add(Standing.SUBMITTER)
    if who.role in PEOPLE and who.user == job.extension_owner:
        found.add(Standing.PROVIDER)
    if who.job is not None and who.job.job_id == job.id:
        found.add(Standing.ITSELF)
    return frozenset(found)


def over_file(who: Principal, file: RoomFile, room: Room) -> frozenset[Standing]:
    found = in_room(who, room)
    is_theirs = Standing.MEMBER in found and who.user == file.user
    return found | {Standing.UPLOADER} if is_theirs else found


def over_worker(who: Principal, worker: Worker, rooms: Iterable[Room]) -> frozenset[Standing]:
    """`rooms` are those that the worker serves; one that offers something public is everybody's neighbour."""
    found: set[Standing] = set()
    if who.is_admin:
        found.add(Standing.ADMIN)
    is_bound_elsewhere = who.room is not None and any(key.room != who.room for key in worker.extensions)
    if who.user == worker.spec.user and who.role is not Role.JOB and not is_bound_elsewhere:
        found.add(Standing.KEEPER)
    is_public = any(key.room is None for key in worker.extensions)
    if who.role in PEOPLE and (is_public or any(room.admits(who.user) for room in rooms)):
        found.add(Standing.NEIGHBOUR)
    return frozenset(found)
