"""Submits and waits over a socket behave as over REST."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.users import Document, Person, extension

ECHO = {"category": "analysis", "name": "Echo", "data": {"text": "hello"}}


def submit(person: Person, room: str, **fields: object) -> Document:
    job: Document = person.listen().call("job:submit", {"room": room, **ECHO, **fields})["job"]
    return job


def test_a_job_submitted_by_socket_is_like_any_other(ada: Person, room: str) -> None:
    ada.work(extension(room))

    job = submit(ada, room)

    assert (job["status"], job["data"], job["user"]) == ("pending", {"text": "hello"}, ada.user)
    assert ada.get(f"/api/jobs/{job['id']}").json()["id"] == job["id"]


def test_the_same_key_is_the_same_job_by_socket_and_by_rest(ada: Person, room: str) -> None:
    ada.work(extension(room))
    job = submit(ada, room, key="a key of mine")

    assert submit(ada, room, key="a key of mine")["id"] == job["id"]
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    body = {"data": ECHO["data"], "priority": None}
    again = ada.post(path, json=body, headers={"Idempotency-Key": "a key of mine"})
    assert again.json()["id"] == job["id"]


def test_a_job_starts_later_or_after_another_by_socket_too(ada: Person, room: str) -> None:
    ada.work(extension(room))
    late = submit(ada, room, delay_ms=60_000)
    second = submit(ada, room, after=[late["id"]], on="ended")

    waiting = [ada.get(f"/api/jobs/{each['id']}").json()["waiting_for"] for each in (late, second)]
    assert [each["code"] for each in waiting] == ["run_at", "after"]
    assert waiting[1]["job"] == late["id"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"category": 5}, "invalid_request"),
        ({"room": "no room!"}, "invalid_name"),
        ({"name": "Nothing"}, "extension_not_found"),
        ({"data": []}, "invalid_request"),
        ({"priority": 11}, "invalid_request"),
        ({"key": ""}, "invalid_request"),
        ({"delay_ms": -1}, "invalid_request"),
        ({"after": ["no such job"]}, "job_not_found"),
        ({"unknown": 1}, "invalid_request"),
    ],
)
def test_an_invalid_submit_is_refused(ada: Person, room: str, fields: Document, code: str) -> None:
    ada.work(extension(room))

    reply = ada.listen().call("job:submit", {"room": room, **ECHO, **fields})

    assert reply["error"]["code"] == code


def test_a_wait_returns_the_job_once_it_has_ended(ada: Person, room: str) -> None:
    worker, client = ada.work(extension(room)), ada.listen()
    job = submit(ada, room)
    assert client.call("job:wait", {"job_id": job["id"], "seconds": 0})["job"]["status"] != "completed"

    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(client.call, "job:wait", {"job_id": job["id"], "seconds": 20})
        worker.run(worker.take())

    assert waiting.result()["job"]["status"] == "completed"
    assert client.call("job:wait", {"job_id": job["id"], "seconds": 20})["job"]["status"] == "completed"


@pytest.mark.parametrize("seconds", [-1, 301, "x", None])
def test_the_time_to_wait_is_a_number_of_seconds(ada: Person, seconds: object) -> None:
    reply = ada.listen().call("job:wait", {"job_id": "some", "seconds": seconds})

    assert reply["error"]["code"] == "invalid_request"
