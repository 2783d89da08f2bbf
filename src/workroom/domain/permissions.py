"""Who may do what: one table, for REST, sockets and streams alike.

A principal that may not see a resource gets 404, as if it did not exist. One that may see it but lacks the
permission gets 403.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from workroom.domain.files import RoomFile
from workroom.domain.identity import PEOPLE, Account, Principal, Role
from workroom.domain.job import Job
from workroom.domain.jobs.group import Group
from workroom.domain.preset import Preset
from workroom.domain.room import Room
from workroom.domain.worker import ConsentRequest, Worker


class Relation(StrEnum):
    """What a principal is to a resource."""

    PERSON = "a guest, a user or an admin"
    ADMIN = "an admin"
    MACHINE = "a token of role worker"
    PAIRED_MACHINE = "a token of role worker that is bound to one room"
    RUNNER = "a worker process of the server"
    MEMBER = "a person whom the room admits and lets work: everybody if it is open"
    VIEWER = "a person whom a private room lets read only"
    VIEW_LINK = "a token of a view link, in its room while that admits who made the link"
    OWNER = "the owner of the room"
    ROOM_WORKER = "a worker token that the room admits"
    SUBMITTER = "the person who submitted the job"
    EXTENSION_OWNER = "the person who registered the extension"
    WORKER_OWNER = "the user who registered the worker"
    VISITOR = "a person in a room that the worker serves"
    UPLOADER = "the person who uploaded the file, while the room admits them"
    AUTHOR = "the person who saved the preset, while the room admits them"
    RUNNING_JOB = "a job that is running in the room"
    OWN_ATTEMPT = "the job's own running attempt"


class Permission(StrEnum):
    """What a relation allows. The values complete the sentence "you may not …"."""

    SEE_SELF = "read, renew or revoke your own token"
    LIST_ROOMS = "list rooms"
    CREATE_ROOM = "create a room"
    ADMINISTER = "see the fleet, all jobs and usage; manage accounts and tokens"
    OFFER_PUBLIC = "offer an extension to all rooms"

    SEE_ROOM = "see a room: extensions, workers, jobs, events"
    POST_CHAT = "post to the chat of a room"
    SUBMIT_JOB = "submit to a room, or upload files to it"
    LEAVE_ROOM = "leave a room"
    EDIT_DATA = "change the data of a room"
    BREAK_LOCK = "break a lock in a room"
    OFFER = "offer an extension in a room"
    PAIR_WORKER = "make a pairing code for a room"
    MANAGE_ROOM = "rename, delete, open, close; members, invites; pause; raise priorities"

    SEE_JOB = "see a job and its history"
    SAVE_OUTPUT = "save files of a job and show a preview"
    SEE_STACK_TRACE = "see the stack trace of a failure"
    ANNOTATE_JOB = "name, star, tag or note a job"
    REPLAY_JOB = "replay a job"
    CANCEL_JOB = "cancel a job"
    ANSWER_QUESTION = "answer a question of a job"

    DELETE_FILE = "delete a file of a room"

    SEE_PRESETS = "list and load presets"
    SAVE_PRESET = "save presets"
    CHANGE_PRESET = "replace or delete a preset"

    SEE_WORKER = "see a worker"
    RUN_WORKER = "report for a worker, drain it, remove it"
    ACCEPT_WORKER = "accept or refuse a worker for an extension that another user offers already"
    DISMISS_WORKER = "dismiss a worker from a room"


_ = Relation
RULES: dict[Permission, frozenset[Relation]] = {
    Permission.SEE_SELF: frozenset(
        {_.PERSON, _.MACHINE, _.PAIRED_MACHINE, _.RUNNER, _.RUNNING_JOB, _.VIEW_LINK}
    ),
    Permission.LIST_ROOMS: frozenset({_.PERSON}),
    Permission.CREATE_ROOM: frozenset({_.PERSON}),
    Permission.ADMINISTER: frozenset({_.ADMIN}),
    Permission.OFFER_PUBLIC: frozenset({_.ADMIN, _.MACHINE, _.RUNNER}),
    Permission.SEE_ROOM: frozenset({_.MEMBER, _.VIEWER, _.ADMIN, _.RUNNING_JOB, _.VIEW_LINK}),
    Permission.POST_CHAT: frozenset({_.MEMBER, _.ADMIN, _.RUNNING_JOB}),
    Permission.SUBMIT_JOB: frozenset({_.MEMBER, _.ADMIN, _.RUNNING_JOB}),
    Permission.LEAVE_ROOM: frozenset({_.MEMBER, _.VIEWER, _.ADMIN}),
    Permission.EDIT_DATA: frozenset({_.MEMBER, _.ADMIN, _.RUNNING_JOB}),
    Permission.BREAK_LOCK: frozenset({_.OWNER, _.ADMIN}),
    Permission.OFFER: frozenset({_.MEMBER, _.ADMIN, _.ROOM_WORKER}),
    Permission.PAIR_WORKER: frozenset({_.MEMBER, _.ADMIN}),
    Permission.MANAGE_ROOM: frozenset({_.OWNER, _.ADMIN}),
    Permission.SEE_JOB: frozenset(
        {_.MEMBER, _.VIEWER, _.SUBMITTER, _.ADMIN, _.RUNNING_JOB, _.OWN_ATTEMPT, _.VIEW_LINK}
    ),
    Permission.SAVE_OUTPUT: frozenset({_.OWN_ATTEMPT}),
    Permission.SEE_STACK_TRACE: frozenset({_.SUBMITTER, _.EXTENSION_OWNER, _.ADMIN}),
    Permission.ANNOTATE_JOB: frozenset({_.MEMBER, _.ADMIN}),
    Permission.REPLAY_JOB: frozenset({_.MEMBER, _.ADMIN}),
    Permission.CANCEL_JOB: frozenset({_.SUBMITTER, _.OWNER, _.ADMIN}),
    Permission.ANSWER_QUESTION: frozenset({_.MEMBER, _.SUBMITTER, _.ADMIN}),
    Permission.DELETE_FILE: frozenset({_.UPLOADER, _.OWNER, _.ADMIN}),
    Permission.SEE_PRESETS: frozenset({_.MEMBER, _.VIEWER, _.ADMIN}),
    Permission.SAVE_PRESET: frozenset({_.MEMBER, _.ADMIN}),
    Permission.CHANGE_PRESET: frozenset({_.AUTHOR, _.OWNER, _.ADMIN}),
    Permission.SEE_WORKER: frozenset({_.WORKER_OWNER, _.VISITOR, _.ADMIN}),
    Permission.RUN_WORKER: frozenset({_.WORKER_OWNER, _.ADMIN}),
    Permission.ACCEPT_WORKER: frozenset({_.EXTENSION_OWNER, _.OWNER, _.ADMIN}),
    Permission.DISMISS_WORKER: frozenset({_.WORKER_OWNER, _.OWNER, _.ADMIN}),
}


def may(permission: Permission, relations: Iterable[Relation]) -> bool:
    return not RULES[permission].isdisjoint(relations)


_ROLES = {
    Role.ADMIN: frozenset({_.PERSON, _.ADMIN}),
    Role.GUEST: frozenset({_.PERSON}),
    Role.USER: frozenset({_.PERSON}),
    Role.WORKER: frozenset({_.MACHINE}),
    Role.RUNNER: frozenset({_.RUNNER}),
    Role.JOB: frozenset({_.RUNNING_JOB}),
    Role.VIEWER: frozenset({_.VIEW_LINK}),
}


# They act in the name of a user, but not for the user's workers.
_BORROWED = frozenset({Role.JOB, Role.VIEWER})


def global_relations(who: Principal) -> frozenset[Relation]:
    """The relations that do not depend on a resource."""
    is_paired = who.role is Role.WORKER and who.room is not None
    return frozenset({Relation.PAIRED_MACHINE}) if is_paired else _ROLES[who.role]


_IN_ROOM = {
    (is_admin, membership, is_owner): frozenset(
        relation
        for relation in (_.ADMIN if is_admin else None, membership, _.OWNER if is_owner else None)
        if relation is not None
    )
    for is_admin in (False, True)
    for membership in (None, _.VIEWER, _.MEMBER)
    for is_owner in (False, True)
}


def room_relations(who: Principal, room: Room) -> frozenset[Relation]:
    if who.role in PEOPLE:
        return _IN_ROOM[who.is_admin, _membership(who.user, room), room.owner == who.user]
    found: set[Relation] = set()
    if who.role is Role.WORKER and room.admits_as_member(who.user) and who.room in (None, room.name):
        found.add(Relation.ROOM_WORKER)
    if who.role is Role.JOB and who.room == room.name:
        found.add(Relation.RUNNING_JOB)
    if who.role is Role.VIEWER and who.room == room.name and room.admits(who.user):
        found.add(Relation.VIEW_LINK)
    return frozenset(found)


class RoomRole(StrEnum):
    """What a room's page shows a person as."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"


def role_in(who: Principal, room: Room) -> RoomRole:
    relations = room_relations(who, room)
    for relation, role in (
        (Relation.OWNER, RoomRole.OWNER),
        (Relation.ADMIN, RoomRole.ADMIN),
        (Relation.VIEWER, RoomRole.VIEWER),
        (Relation.VIEW_LINK, RoomRole.VIEWER),
    ):
        if relation in relations:
            return role
    return RoomRole.MEMBER


def _membership(user: str, room: Room) -> Relation | None:
    if not room.admits(user):
        return None
    return Relation.VIEWER if room.is_viewer(user) else Relation.MEMBER


def job_relations(who: Principal, job: Job, room: Room | None) -> frozenset[Relation]:
    """A job outlives its room: its submitter keeps seeing it."""
    found = set(room_relations(who, room)) if room is not None else set()
    if who.is_admin:
        found.add(Relation.ADMIN)
    if who.role in PEOPLE and who.user == job.user:
        found.add(Relation.SUBMITTER)
    if who.role in PEOPLE and who.user == job.extension_owner:
        found.add(Relation.EXTENSION_OWNER)
    if who.job is not None and who.job.job_id == job.id:
        found.add(Relation.OWN_ATTEMPT)
    return frozenset(found)


def group_relations(who: Principal, group: Group, room: Room) -> frozenset[Relation]:
    found = room_relations(who, room)
    is_theirs = Relation.MEMBER in found and who.user == group.user
    return found | {Relation.SUBMITTER} if is_theirs else found


def file_relations(who: Principal, file: RoomFile, room: Room) -> frozenset[Relation]:
    found = room_relations(who, room)
    is_theirs = Relation.MEMBER in found and who.user == file.user
    return found | {Relation.UPLOADER} if is_theirs else found


def preset_relations(who: Principal, preset: Preset, room: Room) -> frozenset[Relation]:
    found = room_relations(who, room)
    is_theirs = Relation.MEMBER in found and who.user == preset.user
    return found | {Relation.AUTHOR} if is_theirs else found


def may_upload(user: str, epoch: int | None, room: Room | None, account: Account | None) -> bool:
    """Whether a person who began to upload something still has access to the room."""
    if room is None or room.deleted:
        return False
    if epoch is not None and (account is None or account.disabled or account.epoch != epoch):
        return False
    return room.admits_as_member(user) or (account is not None and account.role is Role.ADMIN)


def worker_relations(who: Principal, worker: Worker, rooms: Iterable[Room]) -> frozenset[Relation]:
    """`rooms` are those that the worker serves; a worker that offers something public has everybody visit."""
    found: set[Relation] = set()
    if who.is_admin:
        found.add(Relation.ADMIN)
    is_bound_elsewhere = who.room is not None and any(key.room != who.room for key in worker.keys)
    if who.user == worker.spec.user and who.role not in _BORROWED and not is_bound_elsewhere:
        found.add(Relation.WORKER_OWNER)
    is_public = any(key.room is None for key in worker.extensions)
    if who.role in PEOPLE and (is_public or any(room.admits(who.user) for room in rooms)):
        found.add(Relation.VISITOR)
    return frozenset(found)


def request_relations(
    who: Principal, request: ConsentRequest, worker: Worker, room: Room | None
) -> frozenset[Relation]:
    """Relations to a request for consent. A request without a room is for all rooms."""
    found = set(room_relations(who, room)) if room is not None else set(global_relations(who))
    is_in = room is None or room.admits_as_member(who.user)
    if who.role in PEOPLE and is_in and who.user == request.owner and who.user != worker.spec.user:
        found.add(Relation.EXTENSION_OWNER)
    return frozenset(found)
