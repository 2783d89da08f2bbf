"""Locks over a socket are the same locks as over REST."""

from __future__ import annotations

import secrets

import pytest

from support.users import Person, the_problem


def test_a_lock_is_acquired_refreshed_renamed_and_released(ada: Person, bob: Person, room: str) -> None:
    token, socket = secrets.token_urlsafe(24), ada.listen()
    lock = {"room": room, "target": "frames", "token": token}
    acquired = socket.call("lock:acquire", {**lock, "message": "one"})

    assert (acquired["holder"], acquired["message"]) == (ada.user, "one")
    assert socket.call("lock:refresh", {**lock, "ttl": 300})["fence"] == acquired["fence"]
    for event, text in (("lock:message", "two"), ("lock:msg", "three")):
        assert socket.call(event, {**lock, "message": text})["message"] == text
    (seen,) = bob.items(f"/api/rooms/{room}/locks")
    assert (seen["holder"], seen["message"]) == (ada.user, "three")
    the_problem(bob.post(f"/api/rooms/{room}/locks/frames", json={"token": "x" * 20}), 423, "locked")
    assert socket.call("lock:release", lock) == {"released": True}
    assert socket.call("lock:refresh", lock)["error"]["code"] == "lock_lost"


def test_a_refusal_states_who_holds_the_lock(ada: Person, bob: Person, room: str) -> None:
    body = {"token": secrets.token_urlsafe(24), "message": "mine"}
    ada.post(f"/api/rooms/{room}/locks/frames", json=body)
    wanted = {"room": room, "target": "frames", "token": secrets.token_urlsafe(24), "wait": 0.1}

    error = bob.listen().call("lock:acquire", wanted)["error"]

    assert (error["code"], error["holder"], error["message"]) == ("locked", ada.user, "mine")


def test_the_owner_breaks_a_lock(ada: Person, bob: Person, room: str) -> None:
    lock = {"room": room, "target": "frames", "token": secrets.token_urlsafe(24)}
    socket = bob.listen()
    socket.call("lock:acquire", lock)

    assert ada.listen().call("lock:break", {"room": room, "target": "frames"}) == {"released": True}
    assert socket.call("lock:refresh", lock)["error"]["code"] == "lock_lost"


@pytest.mark.parametrize("event", ["lock:acquire", "lock:refresh", "lock:message", "lock:release"])
def test_an_invalid_message_is_refused(ada: Person, room: str, event: str) -> None:
    socket = ada.listen()
    for body in (None, {}, {"room": room, "target": "frames", "token": 5}, {"room": 1}):
        assert socket.call(event, body)["error"]["code"] == "invalid_request"
