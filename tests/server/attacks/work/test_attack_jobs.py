"""What the token of a job can be used for by whoever runs the job, and what text can do."""

from __future__ import annotations

import pytest
import socketio

from support.access_scenario import AccessScenario, Bearer, job_token
from support.users import Document, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import eventually

NASTY = "<script>alert(1)</script>\r\nSet-Cookie: a=b\x1b[2J\u202e\u2028"


def running(
    scenario: AccessScenario, room: str, name: str, **policy: object
) -> tuple[SocketWorker, Document, Bearer]:
    """A worker of the owner's that runs a job of the member's, and what speaks for the job."""
    hand = scenario.owner.work(extension(room, name, policy=policy))
    scenario.member.order(room, name)
    item = hand.take()
    assert hand.start(item) is None
    return hand, item, scenario.bearer(scenario.member.user, job_token(item))


def test_a_job_acts_in_its_room_as_long_as_it_runs(scenario: AccessScenario) -> None:
    hand, item, job = running(scenario, scenario.room, "Acting")
    assert job.order(scenario.room, "Nap")["user"] == scenario.member.user
    ear = job.listen(scenario.room)
    assert hand.finish(item) is None

    eventually(lambda: not ear.is_connected, what="the socket being cut")
    the_problem(job.get(f"/api/jobs/{item['job_id']}"), 401, "unauthenticated")
    the_problem(job.submit(scenario.room, "Nap"), 401, "unauthenticated")
    with pytest.raises(socketio.exceptions.ConnectionError):
        job.listen()


def test_a_job_that_was_not_started_acts_nowhere(scenario: AccessScenario) -> None:
    hand = scenario.owner.work(extension(scenario.room, "Waiting"))
    scenario.member.order(scenario.room, "Waiting")
    job = scenario.bearer(scenario.member.user, job_token(hand.take()))

    the_problem(job.get(f"/api/rooms/{scenario.room}"), 401, "unauthenticated")


def test_a_job_acts_in_no_other_room(scenario: AccessScenario) -> None:
    """Though its submitter is at home there."""
    _, _, job = running(scenario, scenario.room, "Straying")
    other = scenario.fresh_room()
    theirs = scenario.member.order(other, "Nap")

    for room in (other, scenario.open, "a-room-of-my-own"):
        the_problem(job.get(f"/api/rooms/{room}"), 404, "room_not_found")
        the_problem(job.submit(room, "Nap"), 404, "room_not_found")
        assert job.listen().call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    the_problem(job.get(f"/api/jobs/{theirs['id']}"), 404, "job_not_found")
    the_problem(job.delete(f"/api/jobs/{theirs['id']}"), 404, "job_not_found")


def test_a_job_is_not_its_submitter(scenario: AccessScenario) -> None:
    """It has the name, and none of the rights over people, rooms, workers and tokens."""
    _, item, job = running(scenario, scenario.room, "Posing")
    worker = scenario.member.register(extension(scenario.room, "Echo")).json()["worker_id"]
    me = f"/api/rooms/{scenario.room}/members/{scenario.member.user}"

    the_problem(job.delete(me), 403, "forbidden")
    members = scenario.owner.get(f"/api/rooms/{scenario.room}/members").json()["items"]
    assert scenario.member.user in members
    the_problem(job.post("/api/token/renew"), 403, "forbidden")
    the_problem(job.post("/api/token/revoke", json={}), 403, "forbidden")
    the_problem(job.post("/api/stream-ticket"), 403, "forbidden")
    the_problem(job.delete(f"/api/workers/{worker}"), 404, "worker_not_found")
    the_problem(job.register(extension(scenario.room, "Echo"), worker_id=worker), 403, "forbidden")
    the_problem(job.delete(f"/api/jobs/{item['job_id']}"), 403, "forbidden")
    the_problem(job.get(f"/api/users/{scenario.member.user}/jobs"), 404, "job_not_found")
    the_problem(job.post(f"/api/rooms/{scenario.room}/members", json={"code": "x"}), 403, "forbidden")
    assert scenario.member.get("/api/users/me").status_code == 200


def test_a_job_that_begins_again_elsewhere_leaves_its_old_socket_without_a_voice(
    scenario: AccessScenario,
) -> None:
    hand, item, job = running(scenario, scenario.room, "Again", retries=3)
    ear = job.listen()
    assert scenario.owner.delete(f"/api/workers/{hand.id}").status_code == 200

    eventually(
        lambda: scenario.member.job(item["job_id"])["status"] == "pending", what="the job being pending"
    )
    eventually(lambda: not ear.is_connected, what="the socket being closed")


def test_nobody_reports_for_the_worker_of_another(scenario: AccessScenario) -> None:
    hand, item, _ = running(scenario, scenario.room, "Reporting")
    report = {"worker_id": hand.id, "attempt": item["attempt"], "token": item["token"]}
    for person, status, code in (
        (scenario.guest, 404, "worker_not_found"),
        (scenario.other, 404, "worker_not_found"),
        (scenario.member, 403, "forbidden"),
    ):
        path = f"/api/jobs/{item['job_id']}"
        the_problem(person.put(f"{path}/status", json={**report, "status": "completed"}), status, code)
        the_problem(person.put(f"{path}/progress", json=report), status, code)
        beat = {"session": hand.session}
        the_problem(person.put(f"/api/workers/{hand.id}/heartbeat", json=beat), status, code)
    assert scenario.member.job(item["job_id"])["status"] == "running"
    assert hand.finish(item) is None


def test_the_stack_of_a_failure_is_for_who_submitted_and_who_offers(scenario: AccessScenario) -> None:
    hand, item, _ = running(scenario, scenario.room, "Failing")
    error = {"type": "Oops", "message": "no", "stack_trace": "in /home/secret.py"}
    assert hand.finish(item, "failed", error=error) is None
    third = scenario.person("third")
    scenario.owner.post(f"/api/rooms/{scenario.room}/members", json={"user": third.user})

    def stack(person: Person) -> object:
        return person.job(item["job_id"])["error"]["stack_trace"]

    assert stack(scenario.member) == stack(scenario.owner) == stack(scenario.admin) == "in /home/secret.py"
    assert stack(third) is None
    listed = third.items(f"/api/rooms/{scenario.room}/jobs", status="failed")
    assert {each["error"]["stack_trace"] for each in listed} == {None}


def test_text_comes_back_as_data_that_no_browser_runs(scenario: AccessScenario) -> None:
    room = scenario.fresh_room()
    scenario.owner.request("PATCH", f"/api/rooms/{room}", json={"title": NASTY[:200]})
    hand = scenario.owner.work(extension(room, "Echo"), name=NASTY[:100])
    job = scenario.member.order(room, data={"text": NASTY})
    item = hand.take()
    hand.start(item)
    assert hand.progress(item, message=NASTY) is None
    assert hand.finish(item, "failed", error={"type": NASTY, "message": NASTY}) is None
    paths = [
        f"/api/rooms/{room}",
        f"/api/jobs/{job['id']}",
        f"/api/rooms/{room}/workers",
        f"/api/jobs/{NASTY[:8]}",
    ]
    answers = [scenario.member.get(path) for path in paths]

    for answer in answers:
        assert answer.headers["content-type"] in ("application/json", "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "set-cookie" not in answer.headers
    assert answers[0].json()["title"] == NASTY
    assert answers[1].json()["error"]["message"] == NASTY
    assert answers[1].json()["data"] == {"text": NASTY}
    assert NASTY in [each["name"] for each in answers[2].json()["items"]]


@pytest.mark.parametrize("name", [NASTY[:20], "a\nb", "<b>", "a/b", "\u202eadmin", "a" * 65])
def test_names_with_more_than_letters_are_refused(scenario: AccessScenario, name: str) -> None:
    assert scenario.nobody.post("/api/login", json={"name": name}).status_code == 422
    assert (
        scenario.admin.post("/api/users", json={"name": name, "password": "long enough"}).status_code == 422
    )
