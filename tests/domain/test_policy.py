"""Who may do what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workroom.domain.extension import ExtensionKey
from workroom.domain.identity import Principal, Role
from workroom.domain.policy import RULES, Act, Standing, anywhere, in_room, may, over_worker
from workroom.domain.room import Room
from workroom.domain.worker import Worker, WorkerSpec

PRIVATE = Room("lab", "olga", private=True, members=frozenset({"mia", "box"}))
OPEN = Room("hall", "olga")


def who(user: str, role: Role = Role.USER, room: str | None = None) -> Principal:
    return Principal(user, role, room=room)


def worker(user: str, *rooms: str | None) -> Worker:
    spec = WorkerSpec("w1", user, "w1", "remote", 1, b"{}")
    offers = tuple(ExtensionKey(room, "analysis", "Echo") for room in rooms)
    return Worker(spec, True, False, 1, 0, 0, 0, 0, offers)


def test_every_act_has_a_rule_and_every_standing_a_use() -> None:
    assert set(RULES) == set(Act)
    assert set().union(*RULES.values()) == set(Standing)


@pytest.mark.parametrize("act", [act for act in Act if act not in (Act.WHO_AM_I, Act.SAVE)])
def test_an_admin_may_do_everything(act: Act) -> None:
    """But be a job: for what a job saves an admin speaks as its worker."""
    assert not RULES[act].isdisjoint(anywhere(who("root", Role.ADMIN)))


@pytest.mark.parametrize(
    ("caller", "standings"),
    [
        (who("olga"), {Standing.MEMBER, Standing.OWNER}),
        (who("mia"), {Standing.MEMBER}),
        (who("mia", Role.GUEST), {Standing.MEMBER}),
        (who("eve"), set()),
        (who("root", Role.ADMIN), {Standing.ADMIN}),
        (who("box", Role.WORKER), {Standing.SERVING}),
        (who("crate", Role.WORKER), set()),
        (who("mia", Role.WORKER, "lab"), {Standing.SERVING}),
        (who("mia", Role.WORKER, "hall"), set()),
        (who("eve", Role.WORKER, "lab"), set()),
        (who("eve", Role.JOB, "lab"), {Standing.JOB}),
        (who("olga", Role.JOB, "hall"), set()),
        (who("olga", Role.RUNNER), set()),
    ],
)
def test_what_somebody_is_to_a_private_room(caller: Principal, standings: set[Standing]) -> None:
    assert in_room(caller, PRIVATE) == standings


def test_an_open_room_admits_everybody_and_a_deleted_one_nobody() -> None:
    assert in_room(who("eve", Role.GUEST), OPEN) == {Standing.MEMBER}
    assert in_room(who("eve", Role.WORKER), OPEN) == {Standing.SERVING}
    assert Standing.MEMBER not in in_room(who("olga"), replace(OPEN, deleted=True))


def test_a_machine_bound_to_a_room_is_no_machine_elsewhere() -> None:
    paired = who("mia", Role.WORKER, "lab")

    assert not may(Act.OFFER_PUBLIC, anywhere(paired))
    assert may(Act.OFFER_PUBLIC, anywhere(who("box", Role.WORKER)))


@pytest.mark.parametrize(
    ("caller", "served", "standings"),
    [
        (who("mia"), ["lab"], {Standing.KEEPER, Standing.NEIGHBOUR}),
        (who("mia", Role.WORKER, "lab"), ["lab"], {Standing.KEEPER}),
        (who("mia", Role.WORKER, "lab"), ["lab", "hall"], set()),
        (who("mia", Role.WORKER, "lab"), [None], set()),
        (who("mia", Role.JOB, "lab"), ["lab"], set()),
        (who("eve"), ["lab"], set()),
        (who("eve"), ["lab", "hall"], {Standing.NEIGHBOUR}),
        (who("eve"), [None], {Standing.NEIGHBOUR}),
        (who("root", Role.ADMIN), ["lab"], {Standing.ADMIN}),
    ],
)
def test_what_somebody_is_to_a_worker(
    caller: Principal, served: list[str | None], standings: set[Standing]
) -> None:
    rooms = [room for room in (PRIVATE, OPEN) if room.name in served]

    assert over_worker(caller, worker("mia", *served), rooms) == standings
