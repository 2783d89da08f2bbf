"""The submit endpoint and the FastAPI route respond alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.users import Person, extension

FASTAPI = {"wait": "0"}  # a query sends any submit to the route
CHANGING = ("id", "created_at", "queue_position", "waiting_for", "status", "version")


@pytest.fixture
def path(ada: Person, room: str) -> str:
    ada.register(extension(room))
    return f"/api/rooms/{room}/extensions/analysis/Echo/submit"


def test_both_respond_with_the_same_job_and_headers(ada: Person, path: str) -> None:
    fast = ada.post(path, json={"data": {}})
    published = ada.post(path, json={"data": {}}, params=FASTAPI)

    assert fast.status_code == published.status_code == 202
    own = ("date", "content-length")
    assert fast.headers.keys() == published.headers.keys()
    assert [(k, v) for k, v in sorted(fast.headers.items()) if k not in own] == [
        (k, v) for k, v in sorted(published.headers.items()) if k not in own
    ]
    first, second = fast.json(), published.json()
    assert first.keys() == second.keys()
    assert {k: v for k, v in first.items() if k not in CHANGING} == {
        k: v for k, v in second.items() if k not in CHANGING
    }


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'{"data": 1}', b'{"data": {}, "priority": 99}', b'{"data": {}, "colour": "red"}'],
)
def test_both_refuse_an_invalid_body_alike(ada: Person, path: str, body: bytes) -> None:
    json = {"Content-Type": "application/json"}
    fast = ada.post(path, content=body, headers=json)
    published = ada.post(path, content=body, headers=json, params=FASTAPI)

    assert fast.status_code == published.status_code >= 400
    assert fast.json() == published.json()


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer nonsense", "Basic abc"])
def test_both_need_a_token(ada: Person, path: str, token: str) -> None:
    responses = [
        ada.post(path, json={"data": {}}, headers={"Authorization": token}, params=params)
        for params in ({}, FASTAPI)
    ]

    assert [response.status_code for response in responses] == [401, 401]
    assert responses[0].headers["www-authenticate"] == responses[1].headers["www-authenticate"]


def test_an_idempotency_key_holds_across_both(ada: Person, path: str) -> None:
    key = {"Idempotency-Key": "once"}
    responses: list[Any] = [
        ada.post(path, json={"data": {}}, headers=key, params=params).json() for params in ({}, FASTAPI, {})
    ]

    assert len({response["id"] for response in responses}) == 1
    other = ada.post(path, json={"data": {}, "priority": 0}, headers=key)
    assert other.status_code == 422
    assert other.json()["code"] == "idempotency_conflict"


@pytest.mark.parametrize("key", ["", "k" * 201])
def test_an_invalid_idempotency_key_is_refused(ada: Person, path: str, key: str) -> None:
    assert ada.post(path, json={"data": {}}, headers={"Idempotency-Key": key}).status_code == 422


def test_a_body_in_several_chunks_is_accepted(ada: Person, path: str) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"data"'
        yield b": {}}"

    response = ada.post(path, content=chunks(), headers={"Content-Type": "application/json"})

    assert response.status_code == 202


def test_a_batch_can_return_ids_alone(ada: Person, room: str, path: str) -> None:
    jobs = [{"category": "analysis", "name": "Echo"}, {"category": "analysis", "name": "Nothing"}]
    brief = {"Prefer": "return=minimal"}

    items = ada.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": jobs}, headers=brief).json()["items"]

    assert items[0]["job"].keys() == {"id", "status"}
    assert ada.get(f"/api/jobs/{items[0]['job']['id']}").json()["status"] == items[0]["job"]["status"]
    assert items[1]["error"]["code"] == "extension_not_found"
