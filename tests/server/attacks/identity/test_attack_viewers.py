"""A viewer of a private room reads everything in it, and changes nothing, whatever they try."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from support.access_scenario import AccessScenario
from support.route_table import ROUTES
from support.users import Person, extension, the_problem

CHANGES: list[tuple[str, str, Any]] = [
    ("POST", "/api/rooms/{room}/chat", {"text": "hello"}),
    ("POST", "/api/rooms/{room}/files?name=a.txt", None),
    ("DELETE", "/api/rooms/{room}/files/{file}", None),
    ("POST", "/api/rooms/{room}/extensions/analysis/Nap/submit", {"data": {}}),
    ("POST", "/api/rooms/{room}/extensions/settings/Theme/submit", {"data": {}}),
    ("POST", "/api/rooms/{room}/jobs/batch", {"jobs": [{"category": "analysis", "name": "Nap"}]}),
    ("POST", "/api/rooms/{room}/jobs/retry", None),
    ("POST", "/api/jobs/{done}/retry", None),
    ("DELETE", "/api/jobs/{job}", None),
    ("PATCH", "/api/jobs/{job}", {"name": "mine"}),
    ("POST", "/api/task", {"actor": "painter", "payload": {"workflow_run_id": "{room}"}}),
    ("DELETE", "/api/task/{task}", None),
    ("PUT", "/api/rooms/{room}/state/metadata", {"a": 1}),
    ("PATCH", "/api/rooms/{room}/state/metadata", {"a": 1}),
    ("DELETE", "/api/rooms/{room}/state/{document}", None),
    ("POST", "/api/rooms/{room}/undo", None),
    ("POST", "/api/rooms/{room}/redo", None),
    ("POST", "/api/rooms/{room}/versions/1/restore", None),
    ("POST", "/api/rooms/{room}/locks/frames", {"token": "a-token-of-sixteen"}),
    ("PATCH", "/api/rooms/{room}/locks/frames", {"token": "a-token-of-sixteen"}),
    ("POST", "/api/rooms/{room}/locks/frames/break", None),
    ("PUT", "/api/rooms/{room}/presets/analysis/Nap/mine/wide", {"data": {}}),
    ("DELETE", "/api/rooms/{room}/presets/analysis/Echo/room/wide", None),
    ("POST", "/api/rooms/{room}/pair", {}),
    ("POST", "/api/rooms/{room}/invite", {}),
    ("POST", "/api/rooms/{room}/members", {"user": "{viewer}", "role": "member"}),
    ("DELETE", "/api/rooms/{room}/members/{member}", None),
    ("PATCH", "/api/rooms/{room}", {"private": False}),
    ("DELETE", "/api/rooms/{room}", None),
    ("POST", "/api/rooms/{room}/extensions/room/analysis/Echo/pause", None),
    ("POST", "/api/workers/register", {"extensions": [extension("{room}", "Mine")]}),
    ("POST", "/api/workers/{worker}/drain", None),
    ("DELETE", "/api/workers/{worker}", None),
    ("POST", "/api/rooms/{room}/groups", {"jobs": [{"category": "analysis", "name": "Nap"}]}),
    ("POST", "/api/groups/{group}/jobs", {"jobs": []}),
    ("POST", "/api/groups/{group}/cancel", None),
    ("POST", "/api/groups/{group}/pause", None),
    ("POST", "/api/groups/{group}/resume", None),
    ("POST", "/api/groups/{group}/retry", None),
    ("POST", "/api/jobs/{asking}/questions/1/answer", {"answer": {}}),
    ("POST", "/api/rooms/{room}/frames?op=append", None),
    ("POST", "/api/rooms/{room}/frames/edit", {"op": "append", "sources": []}),
    ("POST", "/api/rooms/{room}/frames/pieces", None),
    ("PUT", "/api/rooms/{room}/frames/pieces/{digest}", None),
    ("PUT", "/api/rooms/{room}/records/shots/s1", {"body": {}}),
    ("DELETE", "/api/rooms/{room}/records/shots/s1", None),
    ("POST", "/api/workers/{waiting}/accept", {}),
    ("POST", "/api/workers/{waiting}/refuse", {}),
    ("POST", "/api/rooms/{room}/extensions/room/analysis/Echo/resume", None),
    ("DELETE", "/api/rooms/{room}/invite", None),
]
ELSEWHERE = {
    ("POST", "/api/login"): "it is for nobody's room",
    ("PATCH", "/api/users/me"): "it changes the person",
    ("POST", "/api/users/me/password"): "the same",
    ("POST", "/api/token/renew"): "the same",
    ("POST", "/api/token/revoke"): "the same",
    ("POST", "/api/stream-ticket"): "it opens what the token reads",
    ("POST", "/api/rooms/{room}/view-link"): "it shows what the viewer sees",
    ("POST", "/api/users"): "for admins",
    ("PATCH", "/api/users/{user}"): "for admins",
    ("POST", "/api/tokens"): "for admins",
    ("POST", "/api/admin/jobs/actions"): "for admins",
    ("POST", "/api/rooms"): "a room of their own",
    ("POST", "/api/rooms/{room}/jobs/actions"): "has a test of its own",
    ("DELETE", "/api/rooms/{room}/locks/{target}"): "for the token that acquired the lock",
    ("PUT", "/api/jobs/{job_id}/status"): "for the worker",
    ("PUT", "/api/jobs/{job_id}/progress"): "for the worker",
    ("POST", "/api/jobs/{job_id}/logs"): "for the worker",
    ("PUT", "/api/jobs/{job_id}/artifacts/{name}"): "for the running attempt",
    ("PUT", "/api/jobs/{job_id}/preview"): "for the running attempt",
    ("POST", "/api/jobs/{job_id}/positions"): "for the running attempt",
    ("PUT", "/api/workers/{worker_id}/heartbeat"): "for the worker",
    ("POST", "/api/workers/{worker_id}/shutdown"): "for the worker",
}
"""Routes that change something, but not for a viewer of the room."""


def invite(scenario: AccessScenario, room: str, **body: Any) -> str:
    response = scenario.owner.post(f"/api/rooms/{room}/invite", json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["code"])


def join(person: Person, room: str, code: str) -> httpx.Response:
    return person.post(f"/api/rooms/{room}/members", json={"code": code})


def make(scenario: AccessScenario, room: str, person: Person, role: str) -> httpx.Response:
    return scenario.owner.post(f"/api/rooms/{room}/members", json={"user": person.user, "role": role})


def role_of(person: Person, room: str) -> str:
    return str(person.get(f"/api/rooms/{room}").json()["role"])


def names_in(scenario: AccessScenario, path: str, body: Any) -> dict[str, str]:
    """Only what the request names: to make everything each time would be more than one person may save."""
    things = {
        **scenario.things(),
        "viewer": lambda: scenario.viewer.user,
        "asking": scenario.fresh_asking,
        "waiting": scenario.fresh_waiting,
    }
    return {name: make() for name, make in things.items() if f"{{{name}}}" in f"{path} {body}"}


def filled(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, names) for each in value]
    return value.format(**names) if isinstance(value, str) and "{" in value else value


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=[f"{m} {p}" for m, p, _ in CHANGES])
def test_no_verb_of_a_viewer_changes_anything(
    scenario: AccessScenario, method: str, path: str, body: Any
) -> None:
    names = names_in(scenario, path, body)
    response = scenario.viewer.request(method, filled(path, names), json=filled(body, names))

    the_problem(response, 403, "forbidden")
    assert role_of(scenario.viewer, scenario.room) == "viewer"


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=[f"{m} {p}" for m, p, _ in CHANGES])
def test_no_verb_of_a_view_link_changes_anything(
    scenario: AccessScenario, method: str, path: str, body: Any
) -> None:
    """Its token has the name of an owner, and none of their rights."""
    names = names_in(scenario, path, body)
    linked = scenario.linked(scenario.owner, scenario.room)

    response = linked.request(method, filled(path, names), json=filled(body, names))

    assert response.status_code in (403, 404), response.text
    assert linked.get(f"/api/rooms/{scenario.room}").json()["role"] == "viewer"


def test_every_route_that_changes_something_was_tried() -> None:
    def shape(path: str) -> str:
        return re.sub(r"\{\w+\}", "{}", path.partition("?")[0])

    patterns = {
        (method, path): re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(path)))
        for method, path in ROUTES
        if method != "GET"
    }
    tried = [(method, shape(path)) for method, path, _ in CHANGES]
    missing = [
        route
        for route, pattern in patterns.items()
        if not any(method == route[0] and pattern.fullmatch(path) for method, path in tried)
    ]

    assert set(missing) == ELSEWHERE.keys()


def test_the_group_of_a_member_who_became_a_viewer_stays_as_it_is(scenario: AccessScenario) -> None:
    room, person = scenario.fresh_room(), scenario.person("grouper")
    make(scenario, room, person, "member")
    scenario.worker.register(extension(room))
    body = {"jobs": [{"category": "analysis", "name": "Echo"}], "open": True}
    made = person.post(f"/api/rooms/{room}/groups", json=body).json()["group"]["id"]
    make(scenario, room, person, "viewer")

    for change in ("jobs", "cancel", "pause", "retry"):
        sent: Any = {"jobs": []} if change == "jobs" else None
        the_problem(person.post(f"/api/groups/{made}/{change}", json=sent), 403, "forbidden")
    assert person.get(f"/api/groups/{made}").json()["open"] is True


def test_a_view_link_changes_nothing_of_its_maker(scenario: AccessScenario) -> None:
    """Its token has the name of who made the group and the job."""
    linked = scenario.linked(scenario.member, scenario.room)
    group, job = scenario.fresh_group(), scenario.fresh_asking()

    the_problem(linked.post(f"/api/groups/{group}/jobs", json={"jobs": []}), 403, "forbidden")
    the_problem(linked.delete(f"/api/jobs/{job}"), 403, "forbidden")
    answer = linked.post(f"/api/jobs/{job}/questions/1/answer", json={"answer": {}})
    the_problem(answer, 403, "forbidden")


def test_actions_on_many_jobs_are_refused_one_by_one(scenario: AccessScenario) -> None:
    job = str(scenario.item["job_id"])
    for action in ("star", "cancel", "retry"):
        body = {"action": action, "jobs": [job]}
        response = scenario.viewer.post(f"/api/rooms/{scenario.room}/jobs/actions", json=body)
        assert [entry["error"]["code"] for entry in response.json()["items"]] == ["forbidden"]

    assert scenario.member.job(job)["status"] == "running"


def test_a_viewer_hears_the_room_on_a_socket_and_says_nothing(scenario: AccessScenario) -> None:
    ear = scenario.viewer.listen(scenario.room)
    lock = {"room": scenario.room, "target": "quiet", "token": "a-token-of-sixteen"}
    submit = {"room": scenario.room, "category": "analysis", "name": "Nap", "data": {}}
    said = {
        event: ear.call(event, body)["error"]["code"]
        for event, body in {
            "job:submit": submit,
            "lock:acquire": lock,
            "lock:refresh": lock,
            "lock:message": {**lock, "message": "mine"},
            "lock:break": {"room": scenario.room, "target": "quiet"},
        }.items()
    }

    assert set(said.values()) == {"forbidden"}
    scenario.member.post(f"/api/rooms/{scenario.room}/chat", json={"text": "is anybody there?"})
    ear.expect("chat:message", room=scenario.room)


def test_a_viewing_link_makes_viewers_and_no_more(scenario: AccessScenario) -> None:
    room, person = scenario.fresh_room(), scenario.person("reader")
    code = invite(scenario, room, role="viewer", uses=1)
    the_problem(
        person.post(f"/api/rooms/{room}/members", json={"code": code, "role": "member"}),
        422,
        "invalid_request",
    )
    assert join(person, room, code).json()["role"] == "viewer"

    the_problem(person.post(f"/api/rooms/{room}/chat", json={"text": "hello"}), 403, "forbidden")
    assert scenario.owner.get(f"/api/rooms/{room}/members").json()["viewers"] == sorted(
        [person.user, scenario.viewer.user]
    )
    the_problem(join(scenario.person("late"), room, code), 403, "forbidden")


def test_opening_the_link_again_uses_nothing_up(scenario: AccessScenario) -> None:
    room, first, second = scenario.fresh_room(), scenario.person("first"), scenario.person("second")
    code = invite(scenario, room, role="viewer", uses=2)
    for _ in range(3):
        assert join(first, room, code).status_code == 201

    assert join(second, room, code).json()["role"] == "viewer"


def test_a_viewing_link_takes_nothing_from_a_member_and_an_invite_raises_a_viewer(
    scenario: AccessScenario,
) -> None:
    room, member, viewer = scenario.fresh_room(), scenario.person("member"), scenario.person("viewer")
    make(scenario, room, member, "member")
    make(scenario, room, viewer, "viewer")

    assert join(member, room, invite(scenario, room, role="viewer")).json()["role"] == "member"
    assert join(viewer, room, invite(scenario, room)).json()["role"] == "member"
    assert viewer.post(f"/api/rooms/{room}/chat", json={"text": "hello"}).status_code == 201


def test_a_removed_viewer_does_not_return_with_the_old_link(scenario: AccessScenario) -> None:
    room, person = scenario.fresh_room(), scenario.person("reader")
    code = invite(scenario, room, role="viewer")
    join(person, room, code)
    assert scenario.owner.delete(f"/api/rooms/{room}/members/{person.user}").status_code == 200

    the_problem(join(person, room, code), 403, "forbidden")
    the_problem(person.get(f"/api/rooms/{room}"), 404, "room_not_found")


def test_withdrawing_invites_withdraws_viewing_links(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    code = invite(scenario, room, role="viewer")
    scenario.owner.delete(f"/api/rooms/{room}/invite")

    the_problem(join(scenario.person("late"), room, code), 403, "forbidden")


def test_an_open_room_has_no_viewers(scenario: AccessScenario) -> None:
    room = scenario.fresh_room(private=False)

    the_problem(
        scenario.owner.post(f"/api/rooms/{room}/invite", json={"role": "viewer"}), 422, "invalid_request"
    )
    the_problem(make(scenario, room, scenario.guest, "viewer"), 422, "invalid_request")


def test_a_viewer_may_work_while_the_room_is_open(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    scenario.owner.request("PATCH", f"/api/rooms/{room}", json={"private": False})
    assert role_of(scenario.viewer, room) == "member"
    scenario.owner.request("PATCH", f"/api/rooms/{room}", json={"private": True})

    assert role_of(scenario.viewer, room) == "viewer"


def test_the_workers_and_machines_of_a_member_who_becomes_a_viewer_go(scenario: AccessScenario) -> None:
    room, person = scenario.fresh_room(), scenario.person("demoted")
    make(scenario, room, person, "member")
    code = person.post(f"/api/rooms/{room}/pair", json={}).json()["code"]
    paired = scenario.nobody.post("/api/login", json={"code": code}).json()
    machine = scenario.bearer(paired["user"], paired["token"])
    person.work(extension(room, "Theirs"))
    assert len(scenario.workers_of(room)) == 1
    assert make(scenario, room, person, "viewer").json()["role"] == "owner"

    assert scenario.workers_of(room) == []
    the_problem(person.register(extension(room, "Theirs")), 403, "forbidden")
    the_problem(machine.register(extension(room, "Theirs")), 404, "room_not_found")


def test_an_upload_that_a_member_began_is_refused_once_they_only_view(scenario: AccessScenario) -> None:
    room, person = scenario.fresh_room(), scenario.person("uploader")
    make(scenario, room, person, "member")

    def content() -> Any:
        yield b"first"
        make(scenario, room, person, "viewer")
        yield b"second"

    response = person.post(f"/api/rooms/{room}/files", params={"name": "a.txt"}, content=content())

    assert response.status_code in (403, 404), response.text
    assert scenario.owner.items(f"/api/rooms/{room}/files") == []


def test_the_running_job_of_a_member_who_became_a_viewer_ends_as_it_began(scenario: AccessScenario) -> None:
    """Its token is the job's, not the person's; they may still cancel it."""
    room, person = scenario.fresh_room(), scenario.person("submitter")
    make(scenario, room, person, "member")
    hand = scenario.worker.work(extension(room))
    job = person.order(room)
    item = hand.take()
    assert hand.start(item) is None
    make(scenario, room, person, "viewer")
    token = f"job.{item['job_id']}.{item['attempt']}.{item['token']}"
    running = scenario.bearer(person.user, token)

    assert running.post(f"/api/rooms/{room}/chat", json={"text": "half done"}).status_code == 201
    the_problem(person.post(f"/api/jobs/{job['id']}/retry"), 403, "forbidden")
    assert person.delete(f"/api/jobs/{job['id']}").status_code == 200
    the_problem(running.post(f"/api/rooms/{room}/chat", json={"text": "again"}), 401, "unauthenticated")
