"""Locks over REST: one holder, in order, visible to all, and never the token."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import pytest

from support.users import Meet, Person, the_problem
from workroom.testing.processes import eventually


def acquire(person: Person, room: str, token: str, target: str = "frames", **body: Any) -> httpx.Response:
    return person.post(f"/api/rooms/{room}/locks/{target}", json={"token": token, **body}, timeout=90)


def release(person: Person, room: str, token: str, target: str = "frames") -> bool:
    response = person.delete(f"/api/rooms/{room}/locks/{target}", headers={"Lock-Token": token})
    return bool(response.json()["released"])


def holders(person: Person, room: str) -> list[str]:
    return [lock["holder"] for lock in person.items(f"/api/rooms/{room}/locks")]


@pytest.fixture
def mine() -> str:
    return secrets.token_urlsafe(24)


@pytest.fixture
def yours() -> str:
    return secrets.token_urlsafe(24)


def test_a_lock_is_held_seen_and_released(ada: Person, bob: Person, room: str, mine: str) -> None:
    lock = acquire(ada, room, mine, message="Uploading 1000 frames").json()

    (seen,) = bob.items(f"/api/rooms/{room}/locks")
    assert (seen["holder"], seen["message"]) == (ada.user, "Uploading 1000 frames")
    assert (seen["target"], seen["fence"], seen["job_id"]) == ("frames", lock["fence"], None)
    assert release(ada, room, mine)
    assert holders(bob, room) == []
    assert not release(ada, room, mine)


def test_a_second_caller_learns_who_holds_the_lock(
    ada: Person, bob: Person, room: str, mine: str, yours: str
) -> None:
    acquire(ada, room, mine, message="mine")

    problem = the_problem(acquire(bob, room, yours), 423, "locked")

    assert (problem["holder"], problem["message"], problem["target"]) == (ada.user, "mine", "frames")
    assert problem["age_ms"] >= 0
    assert problem["retryable"] is True


def test_the_token_is_never_shown_and_worth_nothing_to_others(
    ada: Person, bob: Person, room: str, mine: str
) -> None:
    listener = bob.listen(room)
    responses = [acquire(ada, room, mine).text, bob.get(f"/api/rooms/{room}/locks").text]
    listener.expect("lock:changed", target="frames")

    assert mine not in "".join([*responses, str(listener.heard)])
    assert not release(bob, room, mine)
    the_problem(acquire(bob, room, mine), 423, "locked")
    patched = bob.request("PATCH", f"/api/rooms/{room}/locks/frames", json={"token": mine})
    the_problem(patched, 409, "lock_lost")


def test_waiters_are_served_in_the_order_in_which_they_came(meet: Meet, room: str, ada: Person) -> None:
    tokens = [secrets.token_urlsafe(24) for _ in range(4)]
    people = [ada, *(meet(name) for name in ("bob", "cleo", "dan"))]
    acquire(ada, room, tokens[0])
    order: list[str] = []

    def wait(number: int) -> None:
        assert acquire(people[number], room, tokens[number], wait=60).status_code == 200
        order.append(people[number].user)
        assert release(people[number], room, tokens[number])

    with ThreadPoolExecutor(3) as pool:
        waiting = []
        for number in (1, 2, 3):
            waiting.append(pool.submit(wait, number))
            eventually(partial(_has_ahead, meet("prober"), room, number + 1), what="a place in the queue")
        assert release(ada, room, tokens[0])
        for each in waiting:
            each.result(60)

    assert order == [person.user for person in people[1:]]


def _has_ahead(person: Person, room: str, ahead: int) -> bool:
    """Whether so many are ahead of somebody who does not wait."""
    return bool(acquire(person, room, secrets.token_urlsafe(24)).json()["ahead"] == ahead)


def test_a_wait_ends_when_its_time_is_up(ada: Person, bob: Person, room: str, mine: str, yours: str) -> None:
    acquire(ada, room, mine)

    the_problem(acquire(bob, room, yours, wait=0.2), 423, "locked")
    assert release(ada, room, mine)
    assert acquire(bob, room, yours).status_code == 200


def test_a_waiter_that_hangs_up_does_not_get_the_lock(
    ada: Person, bob: Person, meet: Meet, room: str, mine: str, yours: str
) -> None:
    acquire(ada, room, mine)
    body = {"token": yours, "wait": 60}
    with pytest.raises(httpx.ReadTimeout):
        bob.post(f"/api/rooms/{room}/locks/frames", json=body, timeout=1)
    release(ada, room, mine)

    assert acquire(meet("cleo"), room, secrets.token_urlsafe(24), wait=60).status_code == 200


def test_a_lock_that_is_not_refreshed_expires_and_everybody_is_notified(
    ada: Person, bob: Person, room: str, mine: str, yours: str
) -> None:
    listener = bob.listen(room)
    acquire(ada, room, mine, ttl=1)

    listener.expect("lock:changed", target="frames", lock=None)
    assert acquire(bob, room, yours).status_code == 200
    refreshed = ada.request("PATCH", f"/api/rooms/{room}/locks/frames", json={"token": mine})
    the_problem(refreshed, 409, "lock_lost")


def test_a_message_is_changed_and_everybody_is_notified(
    ada: Person, bob: Person, room: str, mine: str
) -> None:
    listener = bob.listen(room)
    acquire(ada, room, mine)
    body = {"token": mine, "message": "half done", "ttl": 300}
    assert ada.request("PATCH", f"/api/rooms/{room}/locks/frames", json=body).status_code == 200

    eventually(
        lambda: [item for item in listener.items("lock:changed") if item["lock"]["message"] == "half done"]
    )
    (seen,) = bob.items(f"/api/rooms/{room}/locks")
    assert seen["message"] == "half done"


def test_the_owner_breaks_a_lock_and_its_holder_loses_it(
    ada: Person, bob: Person, room: str, yours: str
) -> None:
    acquire(bob, room, yours, "selection")
    path = f"/api/rooms/{room}/locks/selection/break"
    the_problem(bob.post(path), 403, "forbidden")

    assert ada.post(path).json() == {"released": True}
    assert ada.post(path).json() == {"released": False}
    written = bob.put(f"/api/rooms/{room}/state/selection", json=[1], headers={"Lock-Token": yours})
    the_problem(written, 409, "lock_lost")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"token": "short"},
        {"token": "x" * 201},
        {"token": "a token with spaces"},
        {"token": "x" * 20, "ttl": 0.5},
        {"token": "x" * 20, "ttl": 301},
        {"token": "x" * 20, "wait": 61},
        {"token": "x" * 20, "message": "x" * 201},
        {"token": "x" * 20, "more": 1},
    ],
)
def test_an_invalid_request_is_refused(ada: Person, room: str, body: dict[str, Any]) -> None:
    the_problem(ada.post(f"/api/rooms/{room}/locks/frames", json=body), 422, "invalid_request")


@pytest.mark.parametrize("target", ["1st", "a b", "a.b", "ä", "x" * 65])
def test_an_odd_target_is_refused(ada: Person, room: str, mine: str, target: str) -> None:
    the_problem(acquire(ada, room, mine, target), 422, "invalid_name")


def test_a_user_cannot_take_every_lock_of_a_room(ada: Person, bob: Person, room: str, mine: str) -> None:
    statuses = [acquire(ada, room, mine, f"t{number}").status_code for number in range(51)]

    assert statuses == [200] * 50 + [403]
    problem = the_problem(acquire(ada, room, mine, "more"), 403, "quota_exceeded")
    assert (problem["quota"], problem["limit"], problem["used"]) == ("locks_per_user", 50, 50)
    assert acquire(bob, room, mine, "more").status_code == 200
