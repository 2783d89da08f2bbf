"""Getting into rooms, staying in them, and working for them without being let in."""

from __future__ import annotations

from typing import Any

import pytest

from support.access_scenario import AccessScenario, Bearer
from support.users import Person, extension, the_problem

ODD_NAMES = ["public", "Public", "ｐｕｂｌｉｃ", "GLOBAL", "..", ".", "a/b", "a\nb", "a\0b", "%2e%2e"]  # noqa: RUF001


def invited(scenario: AccessScenario, room: str, **body: Any) -> str:
    return str(scenario.owner.post(f"/api/rooms/{room}/invite", json=body).json()["code"])


def join(person: Person, room: str, code: str) -> Any:
    return person.post(f"/api/rooms/{room}/members", json={"code": code})


def paired(scenario: AccessScenario, room: str, by: Person) -> Bearer:
    code = by.post(f"/api/rooms/{room}/pair", json={}).json()["code"]
    answer = scenario.nobody.post("/api/login", json={"code": code}).json()
    assert (answer["role"], answer["room"]) == ("worker", room)
    return scenario.bearer(answer["user"], answer["token"])


def test_a_removed_member_is_disconnected_and_others_stay(scenario: AccessScenario) -> None:
    room, member, elsewhere = scenario.fresh_room(), scenario.person("member"), scenario.person("elsewhere")
    scenario.owner.post(f"/api/rooms/{room}/members", json={"user": member.user})
    job = member.order(room, "Nap")
    cut, watching, idle = member.listen(room), member.listen(), member.listen(scenario.open)
    watching.call("job:watch", {"job_id": job["id"]})
    kept = [scenario.owner.listen(room), scenario.guest.listen(scenario.open), elsewhere.listen(), idle]
    assert scenario.owner.delete(f"/api/rooms/{room}/members/{member.user}").status_code == 200

    cut.expect("subscription:ended", room=room)
    scenario.owner.post(f"/api/rooms/{room}/chat", json={"text": "alone"})
    kept[0].expect("chat:message", room=room)
    for ear in (cut, watching):
        ear.flush()
        assert ear.is_connected
        assert ear.items("chat:message") == []
    assert watching.items("subscription:ended") == []  # the job is theirs
    for ear in kept:
        ear.flush()
    again = member.listen()
    assert again.call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    the_problem(member.get(f"/api/rooms/{room}"), 404, "room_not_found")
    the_problem(member.submit(room, "Nap"), 404, "room_not_found")
    assert member.job(job["id"])["id"] == job["id"]  # it is theirs


def test_changing_a_private_room_disconnects_nobody_in_other_rooms(scenario: AccessScenario) -> None:
    room, ears = (
        scenario.fresh_room(),
        [scenario.guest.listen(scenario.open), scenario.guest.listen(), scenario.owner.listen()],
    )
    for body in ({"title": "a"}, {"private": False}, {"private": True}):
        assert scenario.owner.request("PATCH", f"/api/rooms/{room}", json=body).status_code == 200
    assert scenario.owner.delete(f"/api/rooms/{room}").status_code == 200

    for ear in ears:
        ear.flush()
        assert ear.is_connected


def test_making_a_room_private_disconnects_non_members_and_dismisses_their_workers(
    scenario: AccessScenario,
) -> None:
    room, stranger = scenario.fresh_room(private=False), scenario.person("stranger")
    cut, kept = stranger.listen(room), scenario.member.listen(room)
    scenario.owner.request("PATCH", f"/api/rooms/{room}", json={"workers": "anyone"})
    hand, stays = stranger.work(extension(room, "Spy")), scenario.member.work(extension(room, "Spy"))
    scenario.owner.request("PATCH", f"/api/rooms/{room}", json={"private": True})

    cut.expect("subscription:ended", room=room)
    kept.flush()
    assert [each["id"] for each in scenario.workers_of(room)] == [stays.id]
    job = scenario.member.order(room, "Spy")
    assert stays.take()["job_id"] == job["id"]
    assert hand.holds_nothing_new()
    the_problem(stranger.register(extension(room, "Spy"), worker_id=hand.id), 404, "room_not_found")


def test_a_machine_that_a_member_paired_goes_with_the_member(scenario: AccessScenario) -> None:
    room, member = scenario.fresh_room(), scenario.person("member")
    scenario.owner.post(f"/api/rooms/{room}/members", json={"user": member.user})
    machine = paired(scenario, room, member)
    late = member.post(f"/api/rooms/{room}/pair", json={}).json()["code"]
    machine.work(extension(room))
    scenario.owner.delete(f"/api/rooms/{room}/members/{member.user}")

    assert scenario.workers_of(room) == []
    the_problem(machine.register(extension(room)), 404, "room_not_found")
    token = scenario.nobody.post("/api/login", json={"code": late}).json()["token"]
    the_problem(scenario.bearer("late", token).register(extension(room)), 404, "room_not_found")


def test_a_machine_that_an_admin_paired_works_for_the_owner(scenario: AccessScenario) -> None:
    machine = paired(scenario, scenario.room, scenario.admin)

    assert machine.user == scenario.owner.user
    assert machine.register(extension(scenario.room)).status_code == 201


def test_a_pairing_code_works_once_and_only_for_its_room(scenario: AccessScenario) -> None:
    code = scenario.member.post(f"/api/rooms/{scenario.room}/pair", json={}).json()["code"]
    typed = code.lower().replace("-", " ")
    first, second = (scenario.nobody.post("/api/login", json={"code": typed}) for _ in range(2))
    machine = scenario.bearer("machine", first.json()["token"])

    the_problem(second, 401, "unauthenticated")
    the_problem(machine.register(extension(scenario.open)), 404, "room_not_found")
    the_problem(machine.register(extension(scenario.room), extension(scenario.open)), 404, "room_not_found")
    the_problem(machine.register(extension(None, "Mine")), 403, "forbidden")
    the_problem(machine.register(extension("a-room-of-my-own")), 404, "room_not_found")
    the_problem(machine.get(f"/api/rooms/{scenario.room}/jobs"), 404, "room_not_found")
    the_problem(machine.post("/api/rooms", json={"name": "mine"}), 403, "forbidden")
    assert machine.register(extension(scenario.room)).status_code == 201
    renewed = scenario.bearer("machine", machine.post("/api/token/renew").json()["token"])
    the_problem(renewed.register(extension(scenario.open)), 404, "room_not_found")


def test_a_paired_machine_cannot_take_over_other_workers_of_its_person(scenario: AccessScenario) -> None:
    machine = paired(scenario, scenario.room, scenario.owner)
    theirs = scenario.owner.work(extension(scenario.open))

    answer = machine.register(extension(scenario.room), worker_id=theirs.id)

    the_problem(answer, 404, "worker_not_found")
    hello = machine.listen().call("worker:hello", {"worker_id": theirs.id, "boot_id": "another boot"})
    assert hello["error"]["code"] == "worker_not_found"
    the_problem(machine.delete(f"/api/workers/{theirs.id}"), 404, "worker_not_found")


def test_an_invite_has_its_uses_and_its_room(scenario: AccessScenario) -> None:
    room, other = scenario.fresh_room(), scenario.fresh_room()
    code = invited(scenario, room, uses=2)
    people = [scenario.person("guest") for _ in range(3)]

    assert [join(person, room, code).status_code for person in people] == [201, 201, 403]
    assert [person.get(f"/api/rooms/{room}").status_code for person in people] == [200, 200, 404]
    assert join(people[2], room, invited(scenario, other)).status_code == 403
    assert people[2].get(f"/api/rooms/{other}").status_code == 404
    withdrawn = invited(scenario, room)
    scenario.owner.delete(f"/api/rooms/{room}/invite")
    assert join(people[2], room, withdrawn).status_code == 403
    assert scenario.nobody.post("/api/login", json={"code": withdrawn}).status_code == 401


def test_an_invite_that_leads_nowhere_gets_the_same_sentence_whatever_is_wrong_with_it(
    scenario: AccessScenario,
) -> None:
    room = scenario.fresh_room()
    expired, used = invited(scenario, room, seconds=0.001), invited(scenario, room, uses=1)
    assert join(scenario.person("guest"), room, used).status_code == 201
    guest = scenario.person("guest")

    refusals = [
        the_problem(join(guest, where, code), 403, "forbidden")["detail"]
        for where, code in ((room, expired), (room, used), (room, "AAAA-BBBB-CCCC"), (scenario.gone, "AAAA"))
    ]

    assert set(refusals) == {"this invite is not valid, was used up or has expired"}


def test_who_is_in_the_room_uses_no_invite_up(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    code = invited(scenario, room, uses=1)

    for insider in (scenario.owner, scenario.member):
        assert join(insider, room, code).json()["name"] == room
    newcomer = scenario.person("guest")
    assert [join(newcomer, room, code).status_code for _ in range(2)] == [201, 201]
    assert join(scenario.person("guest"), room, code).status_code == 403


def test_a_deleted_room_is_gone_for_members_not_for_who_submitted(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    ear = scenario.member.listen(room)
    job = scenario.member.order(room, "Nap")
    assert scenario.owner.job(job["id"])["status"] == "pending"
    assert scenario.owner.delete(f"/api/rooms/{room}").status_code == 200

    ear.expect("subscription:ended", room=room, reason="the room was deleted")
    the_problem(scenario.owner.get(f"/api/jobs/{job['id']}"), 404, "job_not_found")
    for person in (scenario.member, scenario.admin):
        assert person.job(job["id"])["status"] == "cancelled"
        the_problem(person.get(f"/api/rooms/{room}"), 404, "room_not_found")
        the_problem(person.submit(room, "Nap"), 404, "room_not_found")
        the_problem(person.register(extension(room)), 404, "room_not_found")
        the_problem(person.post("/api/rooms", json={"name": room.upper()}), 409, "name_taken")
        assert person.listen().call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    the_problem(scenario.member.post(f"/api/jobs/{job['id']}/retry"), 403, "forbidden")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_room_is_made_with_a_name_that_leads_elsewhere(scenario: AccessScenario, name: str) -> None:
    the_problem(scenario.guest.post("/api/rooms", json={"name": name}), 422, "invalid_name")
    the_problem(scenario.guest.register(extension(name)), 422, "invalid_name")
    assert scenario.guest.listen().call("room:join", {"room": name})["error"]["code"] == "invalid_name"


@pytest.mark.parametrize(
    "path",
    ["/api/rooms/..%2fjobs", "/docs/..%2f..%2fsigning.key", "/docs/%2e%2e/x", "/api/jobs/..%2f..%2fusers"],
)
def test_no_path_leads_out_of_its_place(scenario: AccessScenario, path: str) -> None:
    assert scenario.guest.get(path).status_code in (404, 422)


@pytest.mark.parametrize("field", ["category", "name"])
@pytest.mark.parametrize("name", ["..", "a/b", "a\nb", "<script>", "", "x" * 65, "ｎａｍｅ"])  # noqa: RUF001
def test_no_extension_has_a_name_that_leads_elsewhere(
    scenario: AccessScenario, field: str, name: str
) -> None:
    offered = {**extension(scenario.room), field: name}

    the_problem(scenario.owner.register(offered), 422, "invalid_name")


def test_a_removed_member_does_not_come_back_by_the_invite_they_had(scenario: AccessScenario) -> None:
    room, member, other = scenario.fresh_room(), scenario.person("removed"), scenario.person("other")
    code = invited(scenario, room)
    assert join(member, room, code).status_code == 201
    assert scenario.owner.delete(f"/api/rooms/{room}/members/{member.user}").status_code == 200

    the_problem(join(member, room, code), 403, "forbidden")
    the_problem(member.get(f"/api/rooms/{room}"), 404, "room_not_found")
    assert join(other, room, code).status_code == 201
    assert join(member, room, invited(scenario, room)).status_code == 201


def test_who_left_by_themselves_may_come_back_by_the_same_invite(scenario: AccessScenario) -> None:
    room, member = scenario.fresh_room(), scenario.person("leaving")
    code = invited(scenario, room)
    assert join(member, room, code).status_code == 201
    assert member.delete(f"/api/rooms/{room}/members/{member.user}").status_code == 200

    assert join(member, room, code).status_code == 201


def test_the_owner_of_a_room_does_not_raise_the_priority_of_a_public_extension(
    scenario: AccessScenario,
) -> None:
    room = scenario.fresh_room()
    nap = {"category": "analysis", "name": "Nap", "data": {}, "priority": 9}

    the_problem(scenario.owner.submit(room, "Nap", priority=9), 403, "forbidden")
    (item,) = scenario.owner.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": [nap]}).json()["items"]
    assert item["error"]["code"] == "forbidden"
    by_socket = scenario.owner.listen().call("job:submit", {"room": room, **nap})
    assert by_socket["error"]["code"] == "forbidden"
    task = {"actor": "painter", "payload": {"workflow_run_id": room}, "priority": 9}
    the_problem(scenario.owner.post("/api/task", json=task), 403, "forbidden")
    assert scenario.admin.order(room, "Nap", priority=9)["priority"] == 9
