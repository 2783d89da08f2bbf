"""Who may do what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workroom.domain.extension import ExtensionKey
from workroom.domain.identity import Principal, Role
from workroom.domain.permissions import (
    RULES,
    Permission,
    Relation,
    global_relations,
    may,
    room_relations,
    worker_relations,
)
from workroom.domain.room import Room
from workroom.domain.worker import Worker, WorkerSpec

PRIVATE = Room(
    "lab", "olga", private=True, members=frozenset({"mia", "box", "vic"}), viewers=frozenset({"vic"})
)
OPEN = Room("hall", "olga")


def who(user: str, role: Role = Role.USER, room: str | None = None) -> Principal:
    return Principal(user, role, room=room)


def worker(user: str, *rooms: str | None) -> Worker:
    spec = WorkerSpec("w1", user, "w1", "remote", 1, b"{}")
    offers = tuple(ExtensionKey(room, "analysis", "Echo") for room in rooms)
    return Worker(spec, True, False, 1, 0, 0, 0, 0, offers)


def test_every_permission_is_granted_and_every_relation_grants_one() -> None:
    assert set(RULES) == set(Permission)
    assert set().union(*RULES.values()) == set(Relation)


@pytest.mark.parametrize("permission", sorted({*Permission} - {Permission.SEE_SELF, Permission.SAVE_OUTPUT}))
def test_an_admin_may_do_everything(permission: Permission) -> None:
    """Except to act as a job: an admin saves output as the job's worker."""
    assert not RULES[permission].isdisjoint(global_relations(who("root", Role.ADMIN)))


@pytest.mark.parametrize(
    ("caller", "relations"),
    [
        (who("olga"), {Relation.MEMBER, Relation.OWNER}),
        (who("mia"), {Relation.MEMBER}),
        (who("mia", Role.GUEST), {Relation.MEMBER}),
        (who("vic"), {Relation.VIEWER}),
        (who("vic", Role.ADMIN), {Relation.ADMIN, Relation.VIEWER}),
        (who("vic", Role.WORKER, "lab"), set()),
        (who("eve"), set()),
        (who("root", Role.ADMIN), {Relation.ADMIN}),
        (who("box", Role.WORKER), {Relation.ROOM_WORKER}),
        (who("crate", Role.WORKER), set()),
        (who("mia", Role.WORKER, "lab"), {Relation.ROOM_WORKER}),
        (who("mia", Role.WORKER, "hall"), set()),
        (who("eve", Role.WORKER, "lab"), set()),
        (who("eve", Role.JOB, "lab"), {Relation.RUNNING_JOB}),
        (who("olga", Role.JOB, "hall"), set()),
        (who("olga", Role.RUNNER), set()),
        (who("olga", Role.VIEWER, "lab"), {Relation.VIEW_LINK}),
        (who("vic", Role.VIEWER, "lab"), {Relation.VIEW_LINK}),
        (who("olga", Role.VIEWER, "hall"), set()),
        (who("olga", Role.VIEWER), set()),
        (who("eve", Role.VIEWER, "lab"), set()),
    ],
)
def test_what_somebody_is_to_a_private_room(caller: Principal, relations: set[Relation]) -> None:
    assert room_relations(caller, PRIVATE) == relations


def test_an_open_room_admits_everybody_and_a_deleted_one_nobody() -> None:
    assert room_relations(who("eve", Role.GUEST), OPEN) == {Relation.MEMBER}
    assert room_relations(who("eve", Role.WORKER), OPEN) == {Relation.ROOM_WORKER}
    assert Relation.MEMBER not in room_relations(who("olga"), replace(OPEN, deleted=True))


def test_a_viewer_may_see_and_leave_a_private_room_and_do_nothing_else() -> None:
    relations = room_relations(who("vic"), PRIVATE)

    assert {permission for permission in Permission if may(permission, relations)} == {
        Permission.SEE_ROOM,
        Permission.SEE_JOB,
        Permission.SEE_PRESETS,
        Permission.LEAVE_ROOM,
    }


def test_a_view_link_may_see_its_room_and_its_own_token_and_do_nothing_else() -> None:
    linked = who("olga", Role.VIEWER, "lab")
    relations = room_relations(linked, PRIVATE) | global_relations(linked)

    assert {permission for permission in Permission if may(permission, relations)} == {
        Permission.SEE_SELF,
        Permission.SEE_ROOM,
        Permission.SEE_JOB,
    }


def test_nobody_is_a_viewer_of_an_open_room_or_of_their_own() -> None:
    assert room_relations(who("vic"), replace(PRIVATE, private=False)) == {Relation.MEMBER}
    assert room_relations(who("vic"), replace(PRIVATE, owner="vic")) == {Relation.MEMBER, Relation.OWNER}


def test_a_machine_bound_to_a_room_is_no_machine_elsewhere() -> None:
    paired = who("mia", Role.WORKER, "lab")

    assert not may(Permission.OFFER_PUBLIC, global_relations(paired))
    assert may(Permission.OFFER_PUBLIC, global_relations(who("box", Role.WORKER)))


@pytest.mark.parametrize(
    ("caller", "served", "relations"),
    [
        (who("mia"), ["lab"], {Relation.WORKER_OWNER, Relation.VISITOR}),
        (who("mia", Role.WORKER, "lab"), ["lab"], {Relation.WORKER_OWNER}),
        (who("mia", Role.WORKER, "lab"), ["lab", "hall"], set()),
        (who("mia", Role.WORKER, "lab"), [None], set()),
        (who("mia", Role.JOB, "lab"), ["lab"], set()),
        (who("mia", Role.VIEWER, "lab"), ["lab"], set()),
        (who("eve"), ["lab"], set()),
        (who("eve"), ["lab", "hall"], {Relation.VISITOR}),
        (who("eve"), [None], {Relation.VISITOR}),
        (who("root", Role.ADMIN), ["lab"], {Relation.ADMIN}),
    ],
)
def test_what_somebody_is_to_a_worker(
    caller: Principal, served: list[str | None], relations: set[Relation]
) -> None:
    rooms = [room for room in (PRIVATE, OPEN) if room.name in served]

    assert worker_relations(caller, worker("mia", *served), rooms) == relations
