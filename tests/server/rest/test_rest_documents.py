"""Documents and their versions over REST."""

from __future__ import annotations

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from support.users import Document, Person, extension, the_problem

pytestmark = pytest.mark.either_mode


def put(person: Person, room: str, key: str, value: Any, **headers: str) -> httpx.Response:
    return person.put(f"/api/rooms/{room}/state/{key}", json=value, headers=headers)


def patch(person: Person, room: str, key: str, change: Any, **headers: str) -> httpx.Response:
    return person.request("PATCH", f"/api/rooms/{room}/state/{key}", json=change, headers=headers)


def read(person: Person, room: str, key: str) -> Any:
    response = person.get(f"/api/rooms/{room}/state/{key}")
    assert response.status_code == 200
    return response.json()


def versions(person: Person, room: str) -> list[Document]:
    return person.items(f"/api/rooms/{room}/versions")


@pytest.mark.parametrize("value", [None, 0, "Grüße ☃", [1, [2.5]], {"a": {"b": None}}, {}])
def test_any_json_value_reads_as_it_was_written(ada: Person, bob: Person, room: str, value: Any) -> None:
    written = ada.put(f"/api/rooms/{room}/state/notes", content=json.dumps(value).encode())

    found = bob.get(f"/api/rooms/{room}/state/notes")
    assert found.json() == value
    assert found.headers["etag"] == written.headers["etag"] == f'"{written.json()["version"]}"'
    (listed,) = bob.items(f"/api/rooms/{room}/state")
    assert listed == written.json()
    assert (listed["user"], listed["job_id"], listed["size"]) == (ada.user, None, len(found.content))


def test_a_reader_that_has_the_version_gets_no_content(ada: Person, room: str) -> None:
    tag = put(ada, room, "notes", 1).headers["etag"]
    path = f"/api/rooms/{room}/state/notes"

    assert ada.get(path, headers={"If-None-Match": tag}).status_code == 304
    put(ada, room, "notes", 2)
    assert ada.get(path, headers={"If-None-Match": tag}).json() == 2


def test_a_writer_that_was_overtaken_gets_a_conflict(ada: Person, bob: Person, room: str) -> None:
    tag = put(ada, room, "notes", 1).headers["etag"]
    newest = put(bob, room, "notes", 2, **{"If-Match": tag}).json()["version"]

    for response in (
        put(ada, room, "notes", 3, **{"If-Match": tag}),
        patch(ada, room, "notes", {"a": 1}, **{"If-Match": tag}),
        ada.delete(f"/api/rooms/{room}/state/notes", headers={"If-Match": tag}),
    ):
        problem = the_problem(response, 412, "version_conflict")
        assert (problem["key"], problem["version"]) == ("notes", newest)
    assert read(ada, room, "notes") == 2


def test_a_document_can_be_required_to_be_new_or_to_exist(ada: Person, room: str) -> None:
    the_problem(put(ada, room, "notes", 1, **{"If-Match": "*"}), 412, "version_conflict")
    assert put(ada, room, "notes", 1, **{"If-None-Match": "*"}).status_code == 200
    the_problem(put(ada, room, "notes", 2, **{"If-None-Match": "*"}), 412, "version_conflict")
    the_problem(patch(ada, room, "notes", {"a": 1}, **{"If-None-Match": "*"}), 412, "version_conflict")
    assert put(ada, room, "notes", 2, **{"If-Match": "*"}).status_code == 200


def test_no_patch_of_many_at_once_is_lost(ada: Person, bob: Person, room: str) -> None:
    def patch_one(number: int) -> int:
        return patch((ada, bob)[number % 2], room, "notes", {f"n{number}": number}).status_code

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(patch_one, range(24))) == {200}

    assert read(ada, room, "notes") == {f"n{number}": number for number in range(24)}


def test_a_merge_patch_changes_removes_and_keeps(ada: Person, room: str) -> None:
    put(ada, room, "notes", {"a": {"b": 1, "c": 2}, "d": [1, 2], "e": 5})
    patch(ada, room, "notes", {"a": {"b": None, "x": 3}, "d": [9], "e": None})

    assert read(ada, room, "notes") == {"a": {"c": 2, "x": 3}, "d": [9]}


def test_a_deleted_document_is_gone_and_comes_back(ada: Person, room: str) -> None:
    put(ada, room, "notes", 1)
    path = f"/api/rooms/{room}/state/notes"

    assert ada.delete(path).status_code == 200
    the_problem(ada.get(path), 404, "document_not_found")
    the_problem(ada.delete(path), 404, "document_not_found")
    assert ada.post(f"/api/rooms/{room}/undo").json()["changes"] == [
        {"key": "notes", "created": True, "deleted": False}
    ]
    assert read(ada, room, "notes") == 1


def test_a_delete_with_the_key_of_the_write_before_deletes(ada: Person, room: str) -> None:
    key = {"Idempotency-Key": "a key of mine"}
    put(ada, room, "notes", 1, **key)

    path = f"/api/rooms/{room}/state/notes"
    assert ada.delete(path, headers=key).status_code == 200
    the_problem(ada.get(path), 404, "document_not_found")


def test_a_write_that_is_sent_again_is_made_once(ada: Person, room: str) -> None:
    headers = {"Idempotency-Key": "a key of mine", "If-None-Match": "*"}
    first, again = put(ada, room, "notes", 1, **headers), put(ada, room, "notes", 1, **headers)

    assert first.json() == again.json()
    assert len(versions(ada, room)) == 1


@pytest.mark.parametrize("key", ["frames", "frames.a", "1st", "a..b", "ä", "a b", "x" * 129, "a.b.c.d.e"])
def test_an_odd_key_is_refused(ada: Person, room: str, key: str) -> None:
    the_problem(put(ada, room, key, 1), 422, "invalid_name")
    the_problem(ada.get(f"/api/rooms/{room}/state/{key}"), 422, "invalid_name")


@pytest.mark.parametrize(
    "headers", [{"If-Match": "17"}, {"If-Match": '"a"'}, {"If-None-Match": '"1"'}, {"Lock-Token": "short"}]
)
def test_an_odd_condition_is_refused(ada: Person, room: str, headers: dict[str, str]) -> None:
    the_problem(put(ada, room, "notes", 1, **headers), 422, "invalid_request")


def test_a_document_that_is_too_large_is_refused(ada: Person, room: str) -> None:
    problem = the_problem(put(ada, room, "notes", "x" * 1_000_000), 413, "body_too_large")

    assert problem["max_bytes"] == 1_000_000
    assert put(ada, room, "notes", "x" * 999_998).status_code == 200


def test_the_documents_of_a_room_have_a_limit(ada: Person, room: str) -> None:
    for number in range(10):
        assert put(ada, room, f"part.{number}", "x" * 999_000).status_code == 200

    problem = the_problem(put(ada, room, "part.more", "x" * 100_000), 403, "quota_exceeded")
    assert (problem["quota"], problem["limit"]) == ("document_bytes_per_room", 10_000_000)


def test_everybody_in_the_room_is_notified_of_a_change(ada: Person, bob: Person, room: str) -> None:
    listener = bob.listen(room)
    version = put(ada, room, "selection", [1, 2]).json()["version"]
    changed = listener.expect("state:changed", key="selection")

    assert (changed["version"], changed["user"], changed["deleted"]) == (version, ada.user, False)
    assert changed["value"] == [1, 2]
    put(ada, room, "large", "x" * 5000)
    assert "value" not in listener.expect("state:changed", key="large")
    ada.delete(f"/api/rooms/{room}/state/selection")
    listener.expect("state:changed", key="selection", deleted=True)


def test_a_locked_document_is_changed_by_the_holder_alone(ada: Person, bob: Person, room: str) -> None:
    token = secrets.token_urlsafe(24)
    body = {"token": token, "message": "picking atoms"}
    ada.post(f"/api/rooms/{room}/locks/notes", json=body)

    for response in (put(bob, room, "notes", [1]), patch(bob, room, "notes", {"a": 1})):
        problem = the_problem(response, 423, "locked")
        assert (problem["holder"], problem["message"]) == (ada.user, "picking atoms")
    assert put(ada, room, "notes", [2], **{"Lock-Token": token}).status_code == 200
    the_problem(bob.post(f"/api/rooms/{room}/undo"), 423, "locked")
    undone = ada.post(f"/api/rooms/{room}/undo", headers={"Lock-Token": token})
    assert undone.status_code == 200


def test_a_job_writes_with_its_own_token_until_it_ends(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    headers = {"Authorization": f"Bearer job.{item['job_id']}.{item['attempt']}.{item['token']}"}

    written = put(ada, room, "notes", 1, **headers).json()
    assert (written["user"], written["job_id"]) == (ada.user, job["id"])
    (version,) = versions(ada, room)
    assert version["job_id"] == job["id"]
    worker.finish(item)
    the_problem(put(ada, room, "notes", 2, **headers), 401, "unauthenticated")


def test_ten_edits_of_two_people_are_undone_to_where_they_began(ada: Person, bob: Person, room: str) -> None:
    put(ada, room, "notes", "the beginning")
    for number in range(10):
        person, key = (ada, bob)[number % 2], ("notes", "figures.a")[number % 3 == 0]
        assert put(person, room, key, number).status_code == 200
    before = {key: read(ada, room, key) for key in ("notes", "figures.a")}
    for number in range(10):
        assert (ada, bob)[number // 5].post(f"/api/rooms/{room}/undo").status_code == 200

    assert read(ada, room, "notes") == "the beginning"
    the_problem(ada.get(f"/api/rooms/{room}/state/figures.a"), 404, "document_not_found")
    for _ in range(10):
        assert bob.post(f"/api/rooms/{room}/redo").status_code == 200
    the_problem(bob.post(f"/api/rooms/{room}/redo"), 409, "nothing_to_revert")
    assert {key: read(ada, room, key) for key in before} == before


def test_versions_are_listed_compared_read_and_restored(ada: Person, bob: Person, room: str) -> None:
    first = put(ada, room, "notes", {"a": 1}).json()["version"]
    path = f"/api/rooms/{room}/state/notes"
    second = bob.put(path, json={"a": 2}, params={"summary": "doubled"}).json()["version"]
    third = put(ada, room, "figures.a", [3]).json()["version"]
    newest, middle, oldest = versions(ada, room)

    assert [each["number"] for each in (newest, middle, oldest)] == [third, second, first]
    assert (middle["user"], middle["summary"]) == (bob.user, "doubled")
    assert (oldest["user"], oldest["summary"]) == (ada.user, "set notes")
    compared = ada.items(f"/api/rooms/{room}/versions/diff", before=first, after=third)
    assert compared == [
        {"key": "figures.a", "before_size": None, "after_size": 3, "after": [3]},
        {"key": "notes", "before_size": 7, "after_size": 7, "before": {"a": 1}, "after": {"a": 2}},
    ]
    (backwards,) = ada.items(f"/api/rooms/{room}/versions/diff", before=second, after=first)
    assert (backwards["before"], backwards["after"]) == ({"a": 2}, {"a": 1})
    assert ada.get(path, params={"version": first}).json() == {"a": 1}
    the_problem(ada.get(path, params={"version": 99}), 404, "version_not_found")
    restored = bob.post(f"/api/rooms/{room}/versions/{first}/restore").json()
    assert (restored["kind"], restored["of"]) == ("restore", first)
    assert read(ada, room, "notes") == {"a": 1}
    assert [each["key"] for each in ada.items(f"/api/rooms/{room}/state")] == ["notes"]


def test_an_undo_that_is_sent_again_is_made_once(ada: Person, room: str) -> None:
    for number in range(3):
        put(ada, room, "notes", number)
    headers = {"Idempotency-Key": "a key of mine"}
    first = ada.post(f"/api/rooms/{room}/undo", headers=headers).json()

    assert ada.post(f"/api/rooms/{room}/undo", headers=headers).json() == first
    assert read(ada, room, "notes") == 1


def test_a_version_of_several_edits_shows_what_the_last_of_them_made(ada: Person, room: str) -> None:
    numbers = [put(ada, room, "notes", each, **{"Edit-Group": "g"}).json()["version"] for each in (1, 2, 3)]
    put(ada, room, "notes", 4)

    found = ada.get(f"/api/rooms/{room}/state/notes", params={"version": numbers[0]})
    assert found.json() == 3


def test_step_and_camera_have_no_versions(ada: Person, room: str) -> None:
    put(ada, room, "step", 1)
    put(ada, room, "camera", {"position": [0, 0, 1]})

    assert versions(ada, room) == []
    the_problem(ada.post(f"/api/rooms/{room}/undo"), 409, "nothing_to_revert")
