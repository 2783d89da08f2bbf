"""Jobs come in."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from support.users import Document, Person, extension, the_problem

FIELDS = {
    *("id", "room", "scope", "category", "name", "data", "status", "version", "priority", "user", "runner"),
    *("worker", "attempt", "created_at", "assigned_at", "started_at", "completed_at", "wait_time_ms"),
    *("execution_time_ms", "progress", "result", "error", "waiting_for", "queue_position", "eta_ms"),
    *("tries", "retry_of", "parent", "annotation", "group", "external", "intents"),
}

FORM: Document = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "properties": {"x": {"type": "number"}}},
    },
    "additionalProperties": False,
}


def nothing_was_written(person: Person, room: str) -> bool:
    values = person.get(f"/api/rooms/{room}/extensions/analysis/Echo/data").json()
    return person.items(f"/api/rooms/{room}/jobs") == [] and values == {"data": None}


def test_a_202_carries_the_whole_job(ada: Person, room: str) -> None:
    ada.register(extension(room, schema=FORM))

    job = ada.order(room, data={"n": 1, "tags": ["a"]})

    assert job.keys() == FIELDS
    assert uuid.UUID(job["id"]).version == 7
    assert datetime.fromisoformat(job["created_at"]).utcoffset() is not None
    expected = {
        **dict.fromkeys(FIELDS),
        **{"room": room, "scope": "room", "category": "analysis", "name": "Echo"},
        **{"data": {"n": 1, "tags": ["a"]}, "status": "pending", "version": 1, "priority": 0},
        **{"user": ada.user, "runner": "remote", "attempt": 0, "tries": 0},
        **{"external": [], "intents": []},
    }
    told_later = ("id", "created_at", "queue_position", "waiting_for")
    assert {**job, **dict.fromkeys(told_later)} == {**expected, **dict.fromkeys(told_later)}


def test_a_job_read_later_is_the_job_that_was_accepted(ada: Person, room: str) -> None:
    ada.register(extension(room))
    accepted = ada.order(room, data={"n": 1})

    read = ada.job(accepted["id"])

    assert read.keys() == FIELDS
    assert read["queue_position"] == 0
    moving = ("queue_position", "waiting_for")
    assert {**read, **dict.fromkeys(moving)} == {**accepted, **dict.fromkeys(moving)}


def test_values_that_do_not_fit_are_refused_with_the_path_of_each_fault(ada: Person, room: str) -> None:
    ada.register(extension(room, schema=FORM))

    refused = ada.submit(room, data={"n": -1, "tags": ["a", 2], "where": {"x": "far"}})

    problem = the_problem(refused, 422, "invalid_data")
    assert {fault["path"] for fault in problem["errors"]} == {"/n", "/tags/1", "/where/x"}
    assert all(fault["message"] for fault in problem["errors"])
    assert nothing_was_written(ada, room)


def test_values_without_a_field_are_refused(ada: Person, room: str) -> None:
    ada.register(extension(room, schema=FORM))

    problem = the_problem(ada.submit(room, data={"unknown": 1}), 422, "invalid_data")

    assert "unknown" in problem["errors"][0]["message"]
    assert nothing_was_written(ada, room)


def test_an_unknown_extension_is_not_found_and_nothing_is_written(ada: Person, room: str) -> None:
    problem = the_problem(ada.submit(room), 404, "extension_not_found")

    assert (problem["room"], problem["extension"]) == (room, "analysis/Echo")
    assert nothing_was_written(ada, room)


def test_an_extension_of_another_room_is_not_found(ada: Person, room: str) -> None:
    ada.register(extension(room))

    the_problem(ada.submit(ada.create_room(f"{room}-else")), 404, "extension_not_found")


def test_values_larger_than_a_megabyte_are_refused(ada: Person, room: str) -> None:
    """The body as a whole may be a little larger, so that the limit on values is the one that is met."""
    ada.register(extension(room))

    the_problem(ada.submit(room, data={"a": "x" * 1_000_001}), 413, "body_too_large")
    assert nothing_was_written(ada, room)


def test_settings_are_saved_for_the_user_and_never_queued(ada: Person, bob: Person, room: str) -> None:
    saved = ada.submit(room, "Theme", {"dark": True}, category="settings")

    assert saved.status_code == 200
    assert saved.json() == {"category": "settings", "name": "Theme", "data": {"dark": True}, "saved": True}
    path = f"/api/rooms/{room}/extensions/settings/Theme/data"
    assert ada.get(path).json() == {"data": {"dark": True}}
    assert bob.get(path).json() == {"data": None}
    assert ada.items(f"/api/rooms/{room}/jobs") == []


def test_settings_that_do_not_fit_are_refused(ada: Person, room: str) -> None:
    the_problem(ada.submit(room, "Theme", {"dark": "very"}, category="settings"), 422, "invalid_data")
    assert ada.get(f"/api/rooms/{room}/extensions/settings/Theme/data").json() == {"data": None}


def test_saved_settings_are_published_to_their_user_alone(ada: Person, bob: Person, room: str) -> None:
    mine, mine_too, other = ada.listen(), ada.listen(room), bob.listen(room)

    ada.submit(room, "Theme", {"dark": True}, category="settings")

    for ear in (mine, mine_too):
        ear.expect("data:changed")
        assert ear.items("data:changed") == [{"room": room, "category": "settings", "name": "Theme"}]
    other.flush()
    assert other.items("data:changed") == []


def test_the_last_values_are_remembered_for_each_user_and_room(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room), extension(ada.create_room(f"{room}-b")))
    for n in (1, 2):
        ada.order(room, data={"n": n})
    bob.order(room, data={"n": 3})
    ada.order(f"{room}-b", data={"n": 4})

    path = "/api/rooms/{}/extensions/analysis/Echo/data"

    assert ada.get(path.format(room)).json() == {"data": {"n": 2}}
    assert bob.get(path.format(room)).json() == {"data": {"n": 3}}
    assert ada.get(path.format(f"{room}-b")).json() == {"data": {"n": 4}}
    assert bob.get(path.format(f"{room}-b")).json() == {"data": None}


def batch(person: Person, room: str, *jobs: Document) -> list[Document]:
    response = person.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": jobs})
    assert response.status_code == 202, response.text
    items: list[Document] = response.json()["items"]
    return items


def test_one_bad_job_of_a_batch_does_not_keep_the_others_out(ada: Person, room: str) -> None:
    ada.register(extension(room, schema=FORM))
    echo = {"category": "analysis", "name": "Echo"}

    items = batch(
        ada,
        room,
        {**echo, "data": {"n": 1}},
        {**echo, "data": {"n": "two"}},
        {**echo, "name": "Unknown"},
        {**echo, "data": {"n": 4}, "priority": 0},
        {"category": "settings", "name": "Theme"},
    )

    assert [item.get("job", {}).get("data") for item in items] == [{"n": 1}, None, None, {"n": 4}, None]
    codes = [item.get("error", {}).get("code") for item in items]
    assert codes == [None, "invalid_data", "extension_not_found", None, "invalid_request"]
    assert [fault["path"] for fault in items[1]["error"]["errors"]] == ["/n"]
    kept = [job["id"] for job in ada.items(f"/api/rooms/{room}/jobs")]
    assert kept == [items[3]["job"]["id"], items[0]["job"]["id"]]


def test_an_empty_batch_is_refused(ada: Person, room: str) -> None:
    the_problem(ada.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": []}), 422, "invalid_request")


def test_waiting_answers_200_with_the_result_once_the_job_has_ended(
    ada: Person, bob: Person, room: str
) -> None:
    worker = ada.work(extension(room))

    with ThreadPoolExecutor() as pool:
        held = pool.submit(bob.submit, room, params={"wait": 15})
        worker.run(worker.take(), {"answer": 42})
        response = held.result(20)

    assert response.status_code == 200
    assert response.json()["status"] == "completed"
    assert response.json()["result"] == {"answer": 42}


@pytest.mark.parametrize("wait", [0, 0.05])
def test_waiting_answers_202_when_the_time_is_over(ada: Person, room: str, wait: float) -> None:
    ada.register(extension(room))

    response = ada.submit(room, params={"wait": wait})

    assert response.status_code == 202
    assert response.json()["status"] == "pending"


@pytest.mark.parametrize("wait", [-1, 301, "nan", "soon"])
def test_nobody_can_wait_for_ever_or_less_than_nothing(ada: Person, room: str, wait: object) -> None:
    ada.register(extension(room))

    the_problem(ada.submit(room, params={"wait": wait}), 422, "invalid_request")
    assert nothing_was_written(ada, room)


def test_a_job_has_the_priority_of_its_extension_unless_its_submit_has_one(
    ada: Person, bob: Person, room: str
) -> None:
    ada.register(extension(room, policy={"priority": 4}))

    assert bob.order(room)["priority"] == 4
    assert bob.order(room, priority=4)["priority"] == 4
    assert bob.order(room, priority=1)["priority"] == 1


def test_only_the_rooms_owner_and_admins_may_raise_the_priority(
    ada: Person, bob: Person, root: Person, room: str
) -> None:
    ada.register(extension(room, policy={"priority": 4}))

    assert the_problem(bob.submit(room, priority=5), 403, "forbidden")["priority"] == 4
    assert nothing_was_written(bob, room)
    assert ada.order(room, priority=5)["priority"] == 5
    assert root.order(room, priority=10)["priority"] == 10


def test_a_batch_cannot_raise_the_priority_either(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))

    (item,) = batch(bob, room, {"category": "analysis", "name": "Echo", "priority": 1})

    assert item["error"]["code"] == "forbidden"


@pytest.mark.parametrize("priority", [-1, 11, 1.5, "high"])
def test_a_priority_is_a_number_from_0_to_10(ada: Person, room: str, priority: object) -> None:
    ada.register(extension(room))

    problem = the_problem(ada.submit(room, priority=priority), 422, "invalid_request")

    assert [fault["path"] for fault in problem["errors"]] == ["/priority"]
    assert nothing_was_written(ada, room)
