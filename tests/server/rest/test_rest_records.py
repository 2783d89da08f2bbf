"""Records by REST: found by their fields, limited in size, heard of by everybody in the room."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from support.users import Meet, Person, the_problem

pytestmark = pytest.mark.either_mode


def put(person: Person, room: str, id: str, body: Any = None, **fields: Any) -> httpx.Response:
    record = {"body": {} if body is None else body, "fields": fields}
    return person.put(f"/api/rooms/{room}/records/shots/{id}", json=record)


def found(person: Person, room: str, **where: Any) -> list[str]:
    params = {"where": json.dumps(where)} if where else {}
    return [each["id"] for each in person.items(f"/api/rooms/{room}/records/shots", **params)]


def test_a_record_reads_as_it_was_put_and_is_found_by_its_fields(ada: Person, room: str) -> None:
    saved = put(ada, room, "s1", {"prompt": "a cat ☃"}, state="done", tries=2, score=0.5).json()
    put(ada, room, "s2", state="open")

    assert saved["body"] == {"prompt": "a cat ☃"}
    assert saved["fields"] == {"state": "done", "tries": 2, "score": 0.5}
    assert (saved["user"], saved["job_id"]) == (ada.user, None)
    assert ada.get(f"/api/rooms/{room}/records/shots/s1").json() == saved
    assert found(ada, room) == ["s2", "s1"]
    assert found(ada, room, state="done", tries=2) == ["s1"]
    assert found(ada, room, state="lost") == []


def test_everybody_in_the_room_hears_of_a_change_once(ada: Person, meet: Meet, room: str) -> None:
    ear = meet("bob").listen(room)
    put(ada, room, "s1", {"n": 1})
    put(ada, room, "s1", {"n": 1})
    ada.delete(f"/api/rooms/{room}/records/shots/s1")

    ear.expect("record:changed", id="s1", deleted=True)
    assert [each["deleted"] for each in ear.items("record:changed")] == [False, True]


def test_a_record_may_have_64_000_bytes(ada: Person, room: str) -> None:
    frame = len(json.dumps({"text": ""}, separators=(",", ":")))

    assert put(ada, room, "s1", {"text": "x" * (64_000 - frame)}).status_code == 200
    the_problem(put(ada, room, "s1", {"text": "x" * (64_001 - frame)}), 413, "body_too_large")


@pytest.mark.parametrize(
    "fields",
    [
        {f"f{n}": n for n in range(9)},
        {"long": "x" * 201},
        {"control": "a\x1fb"},
        {"large": 2**54},
        {"truth": True},
        {"nothing": None},
        {"list": [1]},
        {"no name": 1},
        {"": 1},
    ],
)
def test_fields_are_eight_short_texts_and_numbers(ada: Person, room: str, fields: dict[str, Any]) -> None:
    assert put(ada, room, "s1", **{f"f{n}": n for n in range(8)}).status_code == 200
    response = ada.put(f"/api/rooms/{room}/records/shots/s2", json={"body": {}, "fields": fields})

    assert response.status_code == 422, response.text
    assert found(ada, room) == ["s1"]


@pytest.mark.parametrize("where", ["[1]", "{", '{"a": null}', '{"a": [1]}', "1", '{"a b": 1}'])
def test_a_question_that_is_no_object_of_fields_is_refused(ada: Person, room: str, where: str) -> None:
    response = ada.get(f"/api/rooms/{room}/records/shots", params={"where": where})

    assert response.status_code == 422, response.text


@pytest.mark.parametrize("path", ["Shots/s1", "shots/.s1", "shots/" + "x" * 129, "9/s1"])
def test_kinds_and_ids_are_plain_names(ada: Person, room: str, path: str) -> None:
    response = ada.put(f"/api/rooms/{room}/records/{path}", json={"body": {}})

    the_problem(response, 422, "invalid_name")


def test_a_missing_record_is_not_found(ada: Person, room: str) -> None:
    the_problem(ada.get(f"/api/rooms/{room}/records/shots/s1"), 404, "record_not_found")
    the_problem(ada.delete(f"/api/rooms/{room}/records/shots/s1"), 404, "record_not_found")
