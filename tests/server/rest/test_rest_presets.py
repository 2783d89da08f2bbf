"""Presets: named values of a form, for oneself or for the room."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from support.users import Document, Meet, Person, extension, the_problem
from workroom.testing.processes import eventually

pytestmark = pytest.mark.either_mode

WIDE = {"window": 9, "wörd": [1, 2.5, None]}
SECRET = {
    "type": "object",
    "properties": {
        "window": {"type": "integer"},
        "key": {"type": "string", "format": "password", "writeOnly": True},
        "keys": {"type": "array", "items": {"type": "string", "format": "password", "writeOnly": True}},
        "service": {"type": "object", "properties": {"token": {"type": "string", "writeOnly": True}}},
    },
}


def path(room: str, name: str | None = None, whose: str = "mine", tool: str = "Echo") -> str:
    listed = f"/api/rooms/{room}/presets/analysis/{tool}"
    return listed if name is None else f"{listed}/{whose}/{quote(name, safe='')}"


def save(
    person: Person, room: str, name: str, data: Any = None, whose: str = "mine", **options: Any
) -> httpx.Response:
    body = {"data": WIDE if data is None else data, **options}
    return person.put(path(room, name, whose), json=body)


def names(person: Person, room: str) -> list[tuple[str, str]]:
    return [(each["whose"], each["name"]) for each in person.items(path(room))]


@pytest.fixture
def lab(ada: Person, room: str) -> str:
    """Ada's room with an extension."""
    assert ada.register(extension(room)).status_code == 201
    return room


def test_a_preset_is_saved_listed_and_read_as_it_was_given(ada: Person, lab: str) -> None:
    saved = save(ada, lab, "wide: 50 % «é»")

    assert saved.status_code == 200, saved.text
    preset: Document = saved.json()
    assert (preset["name"], preset["whose"], preset["user"]) == ("wide: 50 % «é»", "mine", ada.user)
    assert ada.items(path(lab)) == [preset]
    assert ada.get(path(lab, "wide: 50 % «é»")).json() == {**preset, "data": WIDE}


def test_mine_are_seen_by_me_only_and_the_rooms_by_everybody_in_it(
    ada: Person, bob: Person, root: Person, lab: str
) -> None:
    save(ada, lab, "a")
    save(bob, lab, "a", {"window": 1})
    save(bob, lab, "b", whose="room")

    assert names(ada, lab) == [("room", "b"), ("mine", "a")]
    assert names(root, lab) == [("room", "b")]
    assert ada.get(path(lab, "a")).json()["data"] == WIDE
    assert bob.get(path(lab, "a")).json()["data"] == {"window": 1}
    the_problem(root.get(path(lab, "a")), 404, "preset_not_found")
    the_problem(bob.delete(path(lab, "a", "room")), 404, "preset_not_found")


def test_a_name_that_is_taken_is_replaced_only_on_request(ada: Person, lab: str) -> None:
    save(ada, lab, "a")
    assert save(ada, lab, "a").status_code == 200  # the same again

    refused = the_problem(save(ada, lab, "a", {"window": 1}), 409, "name_taken")
    assert "there is a preset 'a' already" in refused["detail"]
    assert ada.get(path(lab, "a")).json()["data"] == WIDE

    assert save(ada, lab, "a", {"window": 1}, replace=True).status_code == 200
    assert ada.get(path(lab, "a")).json()["data"] == {"window": 1}
    assert names(ada, lab) == [("mine", "a")]


def test_a_preset_of_the_room_is_changed_by_who_saved_it_the_owner_or_an_admin(
    ada: Person, bob: Person, meet: Meet, root: Person, lab: str
) -> None:
    eve = meet("eve")
    for number, who in enumerate((bob, ada, root)):
        name = f"preset-{number}"
        save(bob, lab, name, whose="room")
        refused = the_problem(save(eve, lab, name, {}, "room", replace=True), 403, "forbidden")
        assert "only who saved it first" in refused["detail"]
        the_problem(eve.delete(path(lab, name, "room")), 403, "forbidden")

        changed = save(who, lab, name, {"window": 1}, "room", replace=True)
        assert (changed.status_code, changed.json()["user"]) == (200, bob.user)
        assert who.delete(path(lab, name, "room")).status_code == 200
        the_problem(who.delete(path(lab, name, "room")), 404, "preset_not_found")


def test_of_people_who_save_one_name_at_once_one_has_it(
    ada: Person, bob: Person, meet: Meet, lab: str
) -> None:
    people = [ada, bob, meet("eve"), meet("mia")]

    def try_to_save(person: Person) -> int:
        return save(person, lab, "a", {"by": person.user}, "room").status_code

    with ThreadPoolExecutor(len(people)) as pool:
        answers = list(pool.map(try_to_save, people))

    assert sorted(answers) == [200, 409, 409, 409]
    winner = people[answers.index(200)].user
    preset = ada.get(path(lab, "a", "room")).json()
    assert (preset["user"], preset["data"]) == (winner, {"by": winner})


def test_values_are_not_validated_because_forms_change(ada: Person, bob: Person, room: str) -> None:
    schema = {"type": "object", "properties": {"window": {"type": "integer"}}, "required": ["window"]}
    assert ada.register(extension(room, schema=schema)).status_code == 201

    assert save(bob, room, "a", {"window": "wide", "gone": True}).status_code == 200
    assert bob.get(path(room, "a")).json()["data"] == {"window": "wide", "gone": True}


def test_secrets_are_never_stored(ada: Person, room: str) -> None:
    assert ada.register(extension(room, schema=SECRET)).status_code == 201
    data = {"window": 9, "key": "hunter2", "keys": ["hunter2"], "service": {"token": "hunter2", "url": "x"}}

    save(ada, room, "a", data, "room").raise_for_status()

    kept = ada.get(path(room, "a", "room"))
    assert kept.json()["data"] == {"window": 9, "keys": [], "service": {"url": "x"}}
    assert "hunter2" not in kept.text


def test_a_field_that_became_secret_is_not_read_any_more(ada: Person) -> None:
    """Its schema changes only when nobody else depends on it, so the owner registers it again."""
    room = ada.create_room(f"{ada.user}-changing")
    plain = {"type": "object", "properties": {"key": {"type": "string"}}}
    worker = ada.work(extension(room, schema=plain))
    save(ada, room, "a", {"key": "hunter2", "window": 9}).raise_for_status()
    worker.close()
    registered = ada.register(extension(room, schema=SECRET), worker_id=worker.id)
    assert registered.status_code in (200, 201), registered.text

    assert ada.get(path(room, "a")).json()["data"] == {"window": 9}


@pytest.mark.parametrize("name", ["", "..", "a/b", "a\\b", "a\nb", " a", "x" * 101])
def test_a_name_is_visible_and_has_at_most_100_characters(ada: Person, lab: str, name: str) -> None:
    answer = ada.request("PUT", path(lab, "x").removesuffix("x") + quote(name, safe="."), json={"data": {}})

    assert answer.status_code in (404, 405, 422)
    assert save(ada, lab, "x" * 100).status_code == 200
    assert names(ada, lab) == [("mine", "x" * 100)]


def test_an_unknown_extension_has_no_presets(ada: Person, lab: str) -> None:
    refused = ada.put(path(lab, "a", tool="Nothing"), json={"data": {}})

    the_problem(refused, 404, "extension_not_found")
    assert ada.items(path(lab, tool="Nothing")) == []


def test_presets_are_of_one_extension_and_one_room(ada: Person, lab: str) -> None:
    other = ada.create_room(f"{lab}-b")
    assert ada.register(extension(other), extension(lab, "Other")).status_code == 201
    save(ada, lab, "a", whose="room").raise_for_status()

    assert names(ada, other) == []
    assert ada.items(path(lab, tool="Other")) == []


def test_what_is_not_an_object_of_values_is_refused(ada: Person, lab: str) -> None:
    for body in ({}, {"data": [1]}, {"data": {}, "more": 1}, {"data": {}, "replace": "yes"}):
        the_problem(ada.put(path(lab, "a"), json=body), 422, "invalid_request")
    the_problem(ada.put(path(lab, "a", "theirs"), json={"data": {}}), 422, "invalid_request")


def test_values_larger_than_those_of_a_job_are_refused(ada: Person, lab: str) -> None:
    refused = the_problem(save(ada, lab, "a", {"text": "x" * 1_000_001}), 413, "body_too_large")

    assert "a preset may have 1,000,000" in refused["detail"]
    assert save(ada, lab, "a", {"text": "x" * 999_900}).status_code == 200


def test_everybody_in_the_room_hears_of_its_presets_and_i_alone_of_mine(
    ada: Person, bob: Person, lab: str
) -> None:
    mine, theirs = ada.listen(lab), bob.listen(lab)
    changed = {"room": lab, "category": "analysis", "name": "Echo"}

    save(ada, lab, "own")
    assert mine.expect("presets:changed") == changed
    save(ada, lab, "shared", whose="room")
    assert theirs.expect("presets:changed") == changed
    ada.delete(path(lab, "shared", "room"))

    eventually(lambda: len(mine.items("presets:changed")) == 3)
    eventually(lambda: len(theirs.items("presets:changed")) == 2)


def test_the_presets_of_a_private_room_are_not_there_for_others(ada: Person, bob: Person, lab: str) -> None:
    save(bob, lab, "a")
    ada.request("PATCH", f"/api/rooms/{lab}", json={"private": True}).raise_for_status()

    for answer in (
        bob.get(path(lab)),
        bob.get(path(lab, "a")),
        save(bob, lab, "b"),
        bob.delete(path(lab, "a")),
    ):
        the_problem(answer, 404, "room_not_found")


def test_presets_go_with_their_room(ada: Person, lab: str) -> None:
    before = ada.get("/api/users/me").json()["usage"]["presets"]["used"]
    save(ada, lab, "a")
    save(ada, lab, "b", whose="room")
    assert ada.get("/api/users/me").json()["usage"]["presets"]["used"] == before + 2

    ada.delete(f"/api/rooms/{lab}").raise_for_status()

    assert ada.get("/api/users/me").json()["usage"]["presets"]["used"] == before
