"""What a room may be called, and whose it is."""

from __future__ import annotations

import pytest

from support.users import Person, extension, the_problem

pytestmark = pytest.mark.either_mode

REFUSED = ["public", "Public", "ｐｕｂｌｉｃ", "global", "GLOBAL", "..", ".", "", "a b", "-a", "ä", "a" * 65]  # noqa: RUF001


@pytest.mark.parametrize("name", REFUSED)
def test_a_room_cannot_be_made_with_a_reserved_or_odd_name(ada: Person, name: str) -> None:
    the_problem(ada.post("/api/rooms", json={"name": name}), 422, "invalid_name")


@pytest.mark.parametrize("name", ["public", "%EF%BD%90ublic", "Global", "%2E%2E", "a%20b"])
def test_a_room_with_such_a_name_cannot_be_requested(ada: Person, name: str) -> None:
    the_problem(ada.get(f"/api/rooms/{name}/jobs"), 422, "invalid_name")


@pytest.mark.parametrize("name", ["public", "ｇｌｏｂａｌ", ".."])  # noqa: RUF001
def test_a_worker_cannot_register_in_such_a_room(ada: Person, name: str) -> None:
    the_problem(ada.register(extension(name)), 422, "invalid_name")


def test_a_refused_name_leaves_no_room_behind(ada: Person) -> None:
    for name in REFUSED:
        ada.post("/api/rooms", json={"name": name})

    assert not {room["name"] for room in ada.rooms()} & {"public", "global", "..", ""}


@pytest.mark.parametrize("typed", ["{}", "{}".upper(), "Ｒ{}"])  # noqa: RUF001
def test_a_room_is_one_room_however_its_name_is_typed(ada: Person, room: str, typed: str) -> None:
    other = f"{room}-b"
    name = f"r{other}" if typed.startswith("Ｒ") else other  # noqa: RUF001
    created = ada.post("/api/rooms", json={"name": typed.format(other.upper())}).json()

    assert created["name"] == name
    assert ada.get(f"/api/rooms/{name.upper()}").json() == created
    assert created["role"] == "owner"
    assert created in [{**each, "role": "owner"} for each in ada.rooms()]


def test_a_job_submitted_under_another_form_of_the_name_is_in_the_same_room(ada: Person, room: str) -> None:
    ada.register(extension(room.upper()))

    job = ada.order(room.title())

    assert job["room"] == room
    assert [each["id"] for each in ada.items(f"/api/rooms/{room}/jobs")] == [job["id"]]


def test_an_unknown_room_is_not_found(ada: Person) -> None:
    assert the_problem(ada.get("/api/rooms/nowhere"), 404, "room_not_found")["room"] == "nowhere"


def test_a_room_belongs_to_who_created_it(ada: Person, bob: Person, room: str) -> None:
    first = ada.get(f"/api/rooms/{room}").json()
    again = bob.post("/api/rooms", json={"name": room})

    assert first["owner"] == ada.user
    the_problem(again, 409, "name_taken")
    assert bob.get(f"/api/rooms/{room}").json() == {**first, "role": "member"}
