"""The short way and the long way of a submit give the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from people import Person, extension

LONG_WAY = {"wait": "0"}  # a query makes any submit an unusual one
CHANGING = ("id", "created_at", "queue_position", "waiting_for", "status", "version")


@pytest.fixture
def path(ada: Person, room: str) -> str:
    ada.register(extension(room))
    return f"/api/rooms/{room}/extensions/analysis/Echo/submit"


def test_both_ways_answer_with_the_same_job_and_headers(ada: Person, path: str) -> None:
    short = ada.post(path, json={"data": {}})
    long = ada.post(path, json={"data": {}}, params=LONG_WAY)

    assert short.status_code == long.status_code == 202
    own = ("date", "content-length")
    assert short.headers.keys() == long.headers.keys()
    assert [(k, v) for k, v in sorted(short.headers.items()) if k not in own] == [
        (k, v) for k, v in sorted(long.headers.items()) if k not in own
    ]
    first, second = short.json(), long.json()
    assert first.keys() == second.keys()
    assert {k: v for k, v in first.items() if k not in CHANGING} == {
        k: v for k, v in second.items() if k not in CHANGING
    }


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"data": 1}', b'{"data": {}, "priority": 99}', b'{"data": {}, "colour": "red"}'],
)
def test_both_ways_refuse_what_is_wrong_alike(ada: Person, path: str, body: bytes) -> None:
    json = {"Content-Type": "application/json"}
    short = ada.post(path, content=body, headers=json)
    long = ada.post(path, content=body, headers=json, params=LONG_WAY)

    assert short.status_code == long.status_code >= 400
    assert short.json() == long.json()


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer nonsense", "Basic abc"])
def test_both_ways_ask_who_it_is(ada: Person, path: str, token: str) -> None:
    answers = [
        ada.post(path, json={"data": {}}, headers={"Authorization": token}, params=params)
        for params in ({}, LONG_WAY)
    ]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].headers["www-authenticate"] == answers[1].headers["www-authenticate"]


def test_a_key_means_the_same_on_both_ways(ada: Person, path: str) -> None:
    key = {"Idempotency-Key": "once"}
    answers: list[Any] = [
        ada.post(path, json={"data": {}}, headers=key, params=params).json() for params in ({}, LONG_WAY, {})
    ]

    assert len({answer["id"] for answer in answers}) == 1
    other = ada.post(path, json={"data": {}, "priority": 0}, headers=key)
    assert other.status_code == 422
    assert other.json()["code"] == "idempotency_conflict"


@pytest.mark.parametrize("key", ["", "k" * 201])
def test_a_key_that_is_no_key_is_refused(ada: Person, path: str, key: str) -> None:
    assert ada.post(path, json={"data": {}}, headers={"Idempotency-Key": key}).status_code == 422


def test_a_body_that_comes_in_pieces_goes_the_long_way(ada: Person, path: str) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"data"'
        yield b": {}}"

    answer = ada.post(path, content=pieces(), headers={"Content-Type": "application/json"})

    assert answer.status_code == 202


def test_a_batch_can_be_answered_with_ids_alone(ada: Person, room: str, path: str) -> None:
    jobs = [{"category": "analysis", "name": "Echo"}, {"category": "analysis", "name": "Nothing"}]
    brief = {"Prefer": "return=minimal"}

    items = ada.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": jobs}, headers=brief).json()["items"]

    assert items[0]["job"].keys() == {"id", "status"}
    assert ada.get(f"/api/jobs/{items[0]['job']['id']}").json()["status"] == items[0]["job"]["status"]
    assert items[1]["error"]["code"] == "extension_not_found"
