"""What has ended is replayed as new jobs that point back."""

from __future__ import annotations

from typing import Any

from support.users import Document, Person, extension


def cancelled(person: Person, room: str, **options: Any) -> Document:
    job = person.order(room, **options)
    ended: Document = person.delete(f"/api/jobs/{job['id']}").json()
    return ended


def replay_all(person: Person, room: str) -> list[Document]:
    answer = person.post(f"/api/rooms/{room}/jobs/retry", params={"status": "cancelled"})
    assert answer.status_code == 202
    return [entry["job"] for entry in answer.json()["items"]]


def test_what_was_replayed_is_not_replayed_again_with_all_others(ada: Person, room: str) -> None:
    ada.register(extension(room))
    first, second = cancelled(ada, room), cancelled(ada, room)
    assert ada.post(f"/api/jobs/{first['id']}/retry").status_code == 202

    assert [job["retry_of"] for job in replay_all(ada, room)] == [second["id"]]
    assert replay_all(ada, room) == []


def test_one_job_may_be_replayed_as_often_as_one_likes(ada: Person, room: str) -> None:
    ada.register(extension(room))
    job = cancelled(ada, room)

    again = [ada.post(f"/api/jobs/{job['id']}/retry").json() for _ in range(2)]

    assert [each["retry_of"] for each in again] == [job["id"]] * 2
    assert again[0]["id"] != again[1]["id"]


def test_a_replay_keeps_the_priority(ada: Person, room: str) -> None:
    ada.register(extension(room))
    job, _ = cancelled(ada, room, priority=7), cancelled(ada, room, priority=6)

    assert ada.post(f"/api/jobs/{job['id']}/retry").json()["priority"] == 7
    assert [each["priority"] for each in replay_all(ada, room)] == [6]


def test_a_replay_by_who_may_not_raise_it_has_the_priority_of_the_extension(
    ada: Person, bob: Person, room: str
) -> None:
    ada.register(extension(room))
    high, low = cancelled(ada, room, priority=7), cancelled(ada, room)

    assert bob.post(f"/api/jobs/{high['id']}/retry").json()["priority"] == 0
    assert [each["retry_of"] for each in replay_all(bob, room)] == [low["id"]]
