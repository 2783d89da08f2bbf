"""Getting into rooms, staying in them, and working for them without being let in."""

from __future__ import annotations

from typing import Any

import pytest
from cast import Bearer, Cast
from people import Person, extension, the_problem

from workroom.testing.processes import eventually

ODD_NAMES = ["public", "Public", "ｐｕｂｌｉｃ", "GLOBAL", "..", ".", "a/b", "a\nb", "a\0b", "%2e%2e"]  # noqa: RUF001


def invited(cast: Cast, room: str, **body: Any) -> str:
    return str(cast.owner.post(f"/api/rooms/{room}/invite", json=body).json()["code"])


def join(person: Person, room: str, code: str) -> Any:
    return person.post(f"/api/rooms/{room}/members", json={"code": code})


def paired(cast: Cast, room: str, by: Person) -> Bearer:
    code = by.post(f"/api/rooms/{room}/pair", json={}).json()["code"]
    answer = cast.nobody.post("/api/login", json={"code": code}).json()
    assert (answer["role"], answer["room"]) == ("worker", room)
    return cast.bearer(answer["user"], answer["token"])


def test_a_member_who_is_put_out_is_cut_and_others_stay(cast: Cast) -> None:
    room, member, elsewhere = cast.fresh_room(), cast.person("member"), cast.person("elsewhere")
    cast.owner.post(f"/api/rooms/{room}/members", json={"user": member.user})
    job = member.order(room, "Nap")
    cut, watching, idle = member.listen(room), member.listen(), member.listen(cast.open)
    watching.call("job:watch", {"job_id": job["id"]})
    kept = [cast.owner.listen(room), cast.guest.listen(cast.open), elsewhere.listen(), idle]
    assert cast.owner.delete(f"/api/rooms/{room}/members/{member.user}").status_code == 200

    eventually(lambda: not cut.is_connected and not watching.is_connected, what="the sockets being cut")
    for ear in kept:
        ear.settle()
    again = member.listen()
    assert again.call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    the_problem(member.get(f"/api/rooms/{room}"), 404, "room_not_found")
    the_problem(member.submit(room, "Nap"), 404, "room_not_found")
    assert member.job(job["id"])["id"] == job["id"]  # it is theirs


def test_changing_a_private_room_cuts_nobody_who_is_elsewhere(cast: Cast) -> None:
    room, ears = cast.fresh_room(), [cast.guest.listen(cast.open), cast.guest.listen(), cast.owner.listen()]
    for body in ({"title": "a"}, {"private": False}, {"private": True}):
        assert cast.owner.request("PATCH", f"/api/rooms/{room}", json=body).status_code == 200
    assert cast.owner.delete(f"/api/rooms/{room}").status_code == 200

    for ear in ears:
        ear.settle()
        assert ear.is_connected


def test_closing_an_open_room_cuts_who_is_not_a_member_and_sends_their_workers_away(cast: Cast) -> None:
    room, stranger = cast.fresh_room(private=False), cast.person("stranger")
    cut, kept = stranger.listen(room), cast.member.listen(room)
    hand, stays = stranger.work(extension(room, "Spy")), cast.member.work(extension(room, "Spy"))
    cast.owner.request("PATCH", f"/api/rooms/{room}", json={"private": True})

    eventually(lambda: not cut.is_connected, what="the socket being cut")
    kept.settle()
    assert [each["id"] for each in cast.workers_of(room)] == [stays.id]
    job = cast.member.order(room, "Spy")
    assert stays.take()["job_id"] == job["id"]
    assert hand.holds_nothing_new()
    the_problem(stranger.register(extension(room, "Spy"), worker_id=hand.id), 404, "room_not_found")


def test_a_machine_that_a_member_paired_goes_with_the_member(cast: Cast) -> None:
    room, member = cast.fresh_room(), cast.person("member")
    cast.owner.post(f"/api/rooms/{room}/members", json={"user": member.user})
    machine = paired(cast, room, member)
    late = member.post(f"/api/rooms/{room}/pair", json={}).json()["code"]
    machine.work(extension(room))
    cast.owner.delete(f"/api/rooms/{room}/members/{member.user}")

    assert cast.workers_of(room) == []
    the_problem(machine.register(extension(room)), 404, "room_not_found")
    token = cast.nobody.post("/api/login", json={"code": late}).json()["token"]
    the_problem(cast.bearer("late", token).register(extension(room)), 404, "room_not_found")


def test_a_machine_that_an_admin_paired_works_for_the_owner(cast: Cast) -> None:
    machine = paired(cast, cast.room, cast.admin)

    assert machine.user == cast.owner.user
    assert machine.register(extension(cast.room)).status_code == 201


def test_a_pairing_code_works_once_and_only_for_its_room(cast: Cast) -> None:
    code = cast.member.post(f"/api/rooms/{cast.room}/pair", json={}).json()["code"]
    typed = code.lower().replace("-", " ")
    first, second = (cast.nobody.post("/api/login", json={"code": typed}) for _ in range(2))
    machine = cast.bearer("machine", first.json()["token"])

    the_problem(second, 401, "unauthenticated")
    the_problem(machine.register(extension(cast.open)), 404, "room_not_found")
    the_problem(machine.register(extension(cast.room), extension(cast.open)), 404, "room_not_found")
    the_problem(machine.register(extension(None, "Mine")), 403, "forbidden")
    the_problem(machine.register(extension("a-room-of-my-own")), 404, "room_not_found")
    the_problem(machine.get(f"/api/rooms/{cast.room}/jobs"), 404, "room_not_found")
    the_problem(machine.post("/api/rooms", json={"name": "mine"}), 403, "forbidden")
    assert machine.register(extension(cast.room)).status_code == 201
    renewed = cast.bearer("machine", machine.post("/api/token/renew").json()["token"])
    the_problem(renewed.register(extension(cast.open)), 404, "room_not_found")


def test_a_paired_machine_cannot_take_over_other_workers_of_its_person(cast: Cast) -> None:
    machine = paired(cast, cast.room, cast.owner)
    theirs = cast.owner.work(extension(cast.open))

    answer = machine.register(extension(cast.room), worker_id=theirs.id)

    the_problem(answer, 404, "worker_not_found")
    hello = machine.listen().call("worker:hello", {"worker_id": theirs.id, "boot_id": "another boot"})
    assert hello["error"]["code"] == "worker_not_found"
    the_problem(machine.delete(f"/api/workers/{theirs.id}"), 404, "worker_not_found")


def test_an_invite_has_its_uses_and_its_room(cast: Cast) -> None:
    room, other = cast.fresh_room(), cast.fresh_room()
    code = invited(cast, room, uses=2)
    people = [cast.person("guest") for _ in range(3)]

    assert [join(person, room, code).status_code for person in people] == [201, 201, 403]
    assert [person.get(f"/api/rooms/{room}").status_code for person in people] == [200, 200, 404]
    assert join(people[2], room, invited(cast, other)).status_code == 403
    assert people[2].get(f"/api/rooms/{other}").status_code == 404
    withdrawn = invited(cast, room)
    cast.owner.delete(f"/api/rooms/{room}/invite")
    assert join(people[2], room, withdrawn).status_code == 403
    assert cast.nobody.post("/api/login", json={"code": withdrawn}).status_code == 401


def test_a_deleted_room_is_gone_for_members_not_for_who_submitted(cast: Cast) -> None:
    room = cast.fresh_room()
    ear = cast.member.listen(room)
    job = cast.member.order(room, "Nap")
    assert cast.owner.job(job["id"])["status"] == "pending"
    assert cast.owner.delete(f"/api/rooms/{room}").status_code == 200

    eventually(lambda: not ear.is_connected, what="the socket being cut")
    the_problem(cast.owner.get(f"/api/jobs/{job['id']}"), 404, "job_not_found")
    for person in (cast.member, cast.admin):
        assert person.job(job["id"])["status"] == "cancelled"
        the_problem(person.get(f"/api/rooms/{room}"), 404, "room_not_found")
        the_problem(person.submit(room, "Nap"), 404, "room_not_found")
        the_problem(person.register(extension(room)), 404, "room_not_found")
        the_problem(person.post("/api/rooms", json={"name": room.upper()}), 409, "name_taken")
        assert person.listen().call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    the_problem(cast.member.post(f"/api/jobs/{job['id']}/retry"), 403, "forbidden")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_room_is_made_with_a_name_that_leads_elsewhere(cast: Cast, name: str) -> None:
    the_problem(cast.guest.post("/api/rooms", json={"name": name}), 422, "invalid_name")
    the_problem(cast.guest.register(extension(name)), 422, "invalid_name")
    assert cast.guest.listen().call("room:join", {"room": name})["error"]["code"] == "invalid_name"


@pytest.mark.parametrize(
    "path",
    ["/api/rooms/..%2fjobs", "/docs/..%2f..%2fsigning.key", "/docs/%2e%2e/x", "/api/jobs/..%2f..%2fusers"],
)
def test_no_path_leads_out_of_its_place(cast: Cast, path: str) -> None:
    assert cast.guest.get(path).status_code in (404, 422)


@pytest.mark.parametrize("field", ["category", "name"])
@pytest.mark.parametrize("name", ["..", "a/b", "a\nb", "<script>", "", "x" * 65, "ｎａｍｅ"])  # noqa: RUF001
def test_no_extension_has_a_name_that_leads_elsewhere(cast: Cast, field: str, name: str) -> None:
    offered = {**extension(cast.room), field: name}

    the_problem(cast.owner.register(offered), 422, "invalid_name")
