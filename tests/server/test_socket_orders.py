"""Jobs are ordered and waited for over a socket, as by REST."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from people import Document, Person, extension

ECHO = {"category": "analysis", "name": "Echo", "data": {"text": "hello"}}


def ordered(person: Person, room: str, **more: object) -> Document:
    job: Document = person.listen().call("job:submit", {"room": room, **ECHO, **more})["job"]
    return job


def test_a_job_that_was_ordered_by_socket_is_like_any_other(ada: Person, room: str) -> None:
    ada.work(extension(room))

    job = ordered(ada, room)

    assert (job["status"], job["data"], job["user"]) == ("pending", {"text": "hello"}, ada.user)
    assert ada.get(f"/api/jobs/{job['id']}").json()["id"] == job["id"]


def test_the_same_key_is_the_same_job_by_socket_and_by_rest(ada: Person, room: str) -> None:
    ada.work(extension(room))
    job = ordered(ada, room, key="a key of mine")

    assert ordered(ada, room, key="a key of mine")["id"] == job["id"]
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    body = {"data": ECHO["data"], "priority": None}
    again = ada.post(path, json=body, headers={"Idempotency-Key": "a key of mine"})
    assert again.json()["id"] == job["id"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"category": 5}, "invalid_request"),
        ({"room": "no room!"}, "invalid_name"),
        ({"name": "Nothing"}, "extension_not_found"),
        ({"data": []}, "invalid_request"),
        ({"priority": 11}, "invalid_request"),
        ({"key": ""}, "invalid_request"),
        ({"further": 1}, "invalid_request"),
    ],
)
def test_what_is_wrong_with_an_order_is_said(ada: Person, room: str, more: Document, code: str) -> None:
    ada.work(extension(room))

    answer = ada.listen().call("job:submit", {"room": room, **ECHO, **more})

    assert answer["error"]["code"] == code


def test_the_end_of_a_job_is_waited_for(ada: Person, room: str) -> None:
    worker, ear = ada.work(extension(room)), ada.listen()
    job = ordered(ada, room)
    assert ear.call("job:wait", {"job_id": job["id"], "seconds": 0})["job"]["status"] != "completed"

    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(ear.call, "job:wait", {"job_id": job["id"], "seconds": 20})
        worker.run(worker.take())

    assert waiting.result()["job"]["status"] == "completed"
    assert ear.call("job:wait", {"job_id": job["id"], "seconds": 20})["job"]["status"] == "completed"


@pytest.mark.parametrize("seconds", [-1, 301, "x", None])
def test_the_time_to_wait_is_a_number_of_seconds(ada: Person, seconds: object) -> None:
    answer = ada.listen().call("job:wait", {"job_id": "some", "seconds": seconds})

    assert answer["error"]["code"] == "invalid_request"
