"""Workers register what they can do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from support.users import Document, Meet, Person, extension, the_problem

NUMBER: Document = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TEXT: Document = {"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]}


def seen(person: Person, room: str) -> list[Document]:
    """The extensions of the room itself."""
    return [each for each in person.items(f"/api/rooms/{room}/extensions") if each["scope"] == "room"]


def test_a_new_worker_gets_an_id_and_a_known_one_is_greeted_with_200(ada: Person, room: str) -> None:
    first = ada.register(extension(room))
    again = ada.register(extension(room), worker_id=first.json()["worker_id"])

    assert first.status_code == 201
    assert again.status_code == 200
    assert again.json() == first.json()


def test_a_worker_may_choose_its_id(ada: Person, room: str) -> None:
    answer = ada.register(extension(room), worker_id=f"box-of-{ada.user}")

    assert (answer.status_code, answer.json()) == (
        201,
        {"worker_id": f"box-of-{ada.user}", "awaiting_consent": []},
    )


def test_registering_again_replaces_the_list(ada: Person, room: str) -> None:
    worker = ada.register(extension(room, "Old"), extension(room, "Kept")).json()["worker_id"]

    ada.register(extension(room, "Kept"), extension(room, "New"), worker_id=worker)

    assert [each["name"] for each in seen(ada, room)] == ["Kept", "New"]
    offered = ada.get(f"/api/workers/{worker}").json()["extensions"]
    assert [each["name"] for each in offered] == ["Kept", "New"]


def test_an_extension_is_shown_with_its_schema_its_owner_and_its_policy(ada: Person, room: str) -> None:
    ada.register(extension(room, schema=NUMBER, policy={"priority": 3}))

    (shown,) = seen(ada, room)

    assert shown["schema"] == NUMBER
    assert len(shown["schema_hash"]) == 64
    assert shown["policy"]["priority"] == 3
    assert (shown["room"], shown["owner"], shown["runner"]) == (room, ada.user, "remote")


def test_fields_stay_in_the_order_of_their_author(ada: Person, room: str) -> None:
    fields = {"zebra": {"type": "string"}, "ant": {"type": "string"}}
    ada.register(extension(room, schema={"type": "object", "properties": fields}))

    (shown,) = seen(ada, room)

    assert list(shown["schema"]["properties"]) == ["zebra", "ant"]


def test_two_workers_may_serve_one_extension(ada: Person, bob: Person, room: str) -> None:
    assert ada.register(extension(room, schema=NUMBER)).status_code == 201
    assert bob.register(extension(room, schema=NUMBER)).status_code == 201

    assert len(seen(ada, room)) == 1


def test_the_order_of_keys_makes_no_other_schema(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room, schema=NUMBER))

    assert bob.register(extension(room, schema=dict(reversed(NUMBER.items())))).status_code == 201


def test_another_schema_under_the_same_name_is_a_conflict_and_changes_nothing(
    ada: Person, bob: Person, room: str
) -> None:
    ada.register(extension(room, schema=NUMBER))
    before = seen(ada, room)

    refused = bob.register(
        extension(room, "Other"), extension(room, schema=TEXT), worker_id=bob.user + "-box"
    )

    problem = the_problem(refused, 409, "schema_conflict")
    assert problem["extension"] == "analysis/Echo"
    assert problem["registered_hash"] != problem["offered_hash"]
    assert seen(ada, room) == before
    the_problem(bob.get(f"/api/workers/{bob.user}-box"), 404, "worker_not_found")


def test_the_last_worker_of_an_extension_may_change_its_schema(ada: Person, room: str) -> None:
    worker = ada.register(extension(room, schema=NUMBER)).json()["worker_id"]

    assert ada.register(extension(room, schema=TEXT), worker_id=worker).status_code == 200
    assert seen(ada, room)[0]["schema"] == TEXT


def test_a_schema_cannot_change_under_a_job_that_waits(ada: Person, room: str) -> None:
    worker = ada.register(extension(room, schema=NUMBER)).json()["worker_id"]
    ada.order(room, data={"n": 1})

    the_problem(ada.register(extension(room, schema=TEXT), worker_id=worker), 409, "schema_conflict")


def test_a_room_cannot_have_a_public_name_with_another_schema(ada: Person, root: Person, room: str) -> None:
    name = f"Shared_{room}".replace("-", "_")
    root.register(extension(None, name, schema=NUMBER))

    the_problem(ada.register(extension(room, name, schema=TEXT)), 409, "schema_conflict")
    assert ada.register(extension(room, name, schema=NUMBER)).status_code == 201


@pytest.mark.parametrize("public", [False, True])
def test_a_name_of_the_server_is_reserved(meet: Meet, room: str, public: bool) -> None:
    person = meet("root", admin=public)
    before = person.items(f"/api/rooms/{room}/extensions")

    refused = person.register(extension(None if public else room, "Nap"))

    assert the_problem(refused, 409, "name_reserved")["extension"] == "analysis/Nap"
    assert person.items(f"/api/rooms/{room}/extensions") == before


def test_a_public_extension_needs_an_admin(ada: Person, room: str) -> None:
    name = f"Public_{room}".replace("-", "_")

    the_problem(ada.register(extension(room), extension(None, name)), 403, "forbidden")

    assert seen(ada, room) == []
    assert name not in [each["name"] for each in ada.items(f"/api/rooms/{room}/extensions")]


def test_a_public_extension_is_seen_in_every_room(ada: Person, root: Person, room: str) -> None:
    name = f"Everywhere_{room}".replace("-", "_")
    assert root.register(extension(None, name)).status_code == 201

    shown = [each for each in ada.items(f"/api/rooms/{room}/extensions") if each["name"] == name]

    assert [(each["scope"], each["room"]) for each in shown] == [("public", None)]
    assert ada.order(room, name)["scope"] == "public"


def test_the_room_is_searched_before_public(ada: Person, root: Person, room: str) -> None:
    name = f"Twice_{room}".replace("-", "_")
    ada.register(extension(room, name, schema=NUMBER))
    root.register(extension(None, name, schema=TEXT))

    assert ada.order(room, name, {"n": 1})["scope"] == "room"
    the_problem(ada.submit(room, name, {"s": "x"}), 422, "invalid_data")
    assert ada.order(ada.create_room(f"{room}-else"), name, {"s": "x"})["scope"] == "public"


def test_names_of_extensions_are_case_sensitive(ada: Person, room: str) -> None:
    ada.register(extension(room, "Smooth", schema=NUMBER), extension(room, "smooth", schema=TEXT))

    assert ada.order(room, "Smooth", {"n": 1})["name"] == "Smooth"
    assert ada.order(room, "smooth", {"s": "x"})["name"] == "smooth"
    the_problem(ada.submit(room, "SMOOTH"), 404, "extension_not_found")


@pytest.mark.parametrize("name", ["", "1st", "a b", "a/b", "ä", "-x", "x" * 65])
def test_an_odd_name_of_an_extension_is_refused(ada: Person, room: str, name: str) -> None:
    the_problem(ada.register(extension(room, name)), 422, "invalid_name")


@pytest.mark.parametrize("category", ["", "Analysis", "a b", "../x"])
def test_an_odd_category_is_refused(ada: Person, room: str, category: str) -> None:
    the_problem(ada.register(extension(room, category=category)), 422, "invalid_name")


@pytest.mark.parametrize("where", [{"room": None}, {"public": True}])
def test_an_extension_has_a_room_or_is_public(root: Person, room: str, where: Document) -> None:
    the_problem(root.register({**extension(room), **where}), 422, "invalid_request")


def nested(depth: int) -> Document:
    schema: Document = {"type": "object"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"type": "object", "properties": {"a": {"type": "no such type"}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.org/schema.json"}}},
        {"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": "https://example.org/schema.json"}}},
        {"type": "object", "description": "x" * 100_001},
        nested(30),
        nested(100),
        nested(300),
    ],
    ids=lambda schema: str(schema)[:60],
)
def test_a_schema_that_cannot_be_used_is_refused(ada: Person, room: str, schema: Document) -> None:
    the_problem(ada.register(extension(room, schema=schema)), 422, "invalid_schema")
    assert seen(ada, room) == []


class Snare:
    """An address that nobody should ever ask."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def snare() -> Iterator[Snare]:
    snare = Snare()
    yield snare
    snare.close()


@pytest.mark.parametrize("keyword", ["$schema", "$id", "$ref", "$dynamicRef", "$recursiveRef"])
def test_no_schema_makes_the_server_fetch_anything(
    ada: Person, room: str, snare: Snare, keyword: str
) -> None:
    registered = ada.register(extension(room, schema={"type": "object", keyword: f"{snare.url}/x"}))
    if registered.is_success:
        ada.submit(room)

    assert snare.asked == []


def test_the_id_of_somebody_elses_worker_is_refused(ada: Person, bob: Person, room: str) -> None:
    worker = ada.register(extension(room)).json()["worker_id"]

    the_problem(bob.register(extension(room, "Mine"), worker_id=worker), 403, "forbidden")
    assert [each["name"] for each in seen(ada, room)] == ["Echo"]


@pytest.mark.parametrize("concurrency", [{"default": 2**63}, {"limits": {"1": 2**64 - 1}}])
def test_a_limit_is_a_number_that_can_be_kept(ada: Person, room: str, concurrency: Document) -> None:
    policy = {"concurrency": {"key": "{n}", **concurrency}}

    the_problem(ada.register(extension(room, policy=policy)), 422, "invalid_request")


def test_a_key_can_be_made_of_a_schema_that_leaves_a_field_open(ada: Person, room: str) -> None:
    schema = {"type": "object", "properties": {"anything": True, "n": {"default": 1}}}
    ada.register(extension(room, schema=schema, policy={"concurrency": {"key": "{n}"}}))

    assert ada.submit(room).status_code == 202
