"""Submits of jobs that have the unique key of an earlier one."""

from __future__ import annotations

from typing import Any

import pytest

from support.users import Document, Person, extension, the_problem

FORM: Document = {
    "type": "object",
    "properties": {
        "structure": {"type": "string"},
        "settings": {"type": "object"},
        "note": {"type": "string"},
        "key": {"type": "string", "format": "password", "writeOnly": True},
    },
    "additionalProperties": False,
}


def offer(person: Person, room: str, **policy: Any) -> None:
    person.register(extension(room, schema=FORM, policy=policy))


def path(room: str) -> str:
    return f"/api/rooms/{room}/extensions/analysis/Echo/submit"


def test_a_second_submit_joins_the_first(ada: Person, bob: Person, room: str) -> None:
    offer(ada, room, unique="{structure}")
    first = ada.order(room, data={"structure": "water"})
    response = bob.post(path(room), json={"data": {"structure": "water", "note": "again"}})

    assert response.status_code == 200
    assert (response.json()["id"], response.json()["status"]) == (first["id"], "pending")
    assert response.json()["data"] == {"structure": "water"}
    assert ada.order(room, data={"structure": "ice"})["id"] != first["id"]


def test_a_submit_that_waits_for_the_end_joins_too(ada: Person, room: str) -> None:
    offer(ada, room, unique="{structure}")
    first = ada.order(room, data={"structure": "water"})
    response = ada.post(f"{path(room)}?wait=0", json={"data": {"structure": "water"}})

    assert (response.status_code, response.json()["id"]) == (200, first["id"])


def test_a_second_submit_is_refused_and_names_the_first(ada: Person, room: str) -> None:
    offer(ada, room, unique="{structure}", on_duplicate="refuse")
    first = ada.order(room, data={"structure": "water"})
    problem = the_problem(ada.post(path(room), json={"data": {"structure": "water"}}), 409, "duplicate_job")

    assert problem["job_id"] == first["id"]


def test_a_second_submit_replaces_what_waits(ada: Person, bob: Person, room: str) -> None:
    offer(ada, room, unique="{structure}", on_duplicate="replace")
    first = ada.order(room, data={"structure": "water"})
    second = bob.order(room, data={"structure": "water"})

    assert ada.job(first["id"])["status"] == "cancelled"
    assert bob.job(second["id"])["status"] == "pending"


def test_lists_and_objects_are_compared_as_a_whole(ada: Person, room: str) -> None:
    offer(ada, room, unique="{settings}")
    first = ada.order(room, data={"settings": {"a": 1, "b": [1, 2]}})
    same = ada.post(path(room), json={"data": {"settings": {"b": [1, 2.0], "a": 1.0}}})
    other = ada.order(room, data={"settings": {"a": 1, "b": [2, 1]}})

    assert same.json()["id"] == first["id"]
    assert other["id"] != first["id"]


def test_a_repeat_of_a_submit_that_joined_leads_to_the_same_job(ada: Person, room: str) -> None:
    offer(ada, room, unique="{structure}")
    first = ada.order(room, data={"structure": "water"})
    request: dict[str, Any] = {
        "headers": {"Idempotency-Key": "a key"},
        "json": {"data": {"structure": "water"}},
    }
    joined = ada.post(path(room), **request)
    ada.delete(f"/api/jobs/{first['id']}")
    again = ada.post(path(room), **request)

    assert [each.status_code for each in (joined, again)] == [200, 200]
    assert [each.json()["id"] for each in (joined, again)] == [first["id"]] * 2
    assert ada.order(room, data={"structure": "water"})["id"] != first["id"]


def test_a_batch_that_is_sent_again_leads_to_the_same_jobs(ada: Person, room: str) -> None:
    offer(ada, room, unique="{structure}")
    job = {"category": "analysis", "name": "Echo"}
    names = ("water", "ice", "water")
    request: dict[str, Any] = {
        "headers": {"Idempotency-Key": "a batch"},
        "json": {"jobs": [{**job, "data": {"structure": each}} for each in names]},
    }
    sent = [
        each["job"]["id"] for each in ada.post(f"/api/rooms/{room}/jobs/batch", **request).json()["items"]
    ]
    ada.delete(f"/api/jobs/{sent[0]}")
    again = [
        each["job"]["id"] for each in ada.post(f"/api/rooms/{room}/jobs/batch", **request).json()["items"]
    ]

    assert sent == [sent[0], sent[1], sent[0]]
    assert again == sent


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"unique": "{structur}"}, "did you mean 'structure'"),
        ({"unique": "{structure"}, "braces"),
        ({"unique": ""}, "empty"),
        ({"unique_within": 60}, "need a unique key"),
        ({"on_duplicate": "replace"}, "need a unique key"),
        ({"unique_states": ["pending"]}, "need a unique key"),
        ({"unique": "{note}", "unique_within": 9, "unique_states": ["running"]}, "add completed"),
        ({"unique": "{key}"}, "a secret field"),
        ({"rate": "100/minute"}, "is not a rate"),
        ({"rate_key": "{structure}"}, "has no rate"),
        ({"rate": "1/s", "rate_key": "{key}"}, "a secret field"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused_with_the_reason(
    ada: Person, room: str, policy: Document, why: str
) -> None:
    body = {"extensions": [extension(room, schema=FORM, policy=policy)]}
    response = ada.post("/api/workers/register", json=body)

    assert response.status_code == 422
    assert why in response.json()["detail"]


def test_a_registered_policy_is_listed(ada: Person, room: str) -> None:
    offer(ada, room, rate="5/s", rate_key="{structure}", unique="{note}", unique_within=9)
    listed = ada.items(f"/api/rooms/{room}/extensions")
    policy = next(each["policy"] for each in listed if each["room"] == room)

    assert (policy["rate"], policy["rate_key"]) == ("5/s", "{structure}")
    assert (policy["unique"], policy["unique_within"], policy["on_duplicate"]) == ("{note}", 9.0, "join")
    assert policy["unique_states"] == ["pending", "assigned", "running", "completed"]
