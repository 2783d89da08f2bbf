"""What the token of a job can be used for by whoever runs the job, and what text can do."""

from __future__ import annotations

import pytest
import socketio
from cast import Bearer, Cast, job_token
from people import Document, HandWorker, Person, extension, the_problem

from workroom.testing.processes import eventually

NASTY = "<script>alert(1)</script>\r\nSet-Cookie: a=b\x1b[2J\u202e\u2028"


def running(cast: Cast, room: str, name: str, **policy: object) -> tuple[HandWorker, Document, Bearer]:
    """A worker of the owner's that runs a job of the member's, and what speaks for the job."""
    hand = cast.owner.work(extension(room, name, policy=policy))
    cast.member.order(room, name)
    item = hand.take()
    assert hand.start(item) is None
    return hand, item, cast.bearer(cast.member.user, job_token(item))


def test_a_job_acts_in_its_room_as_long_as_it_runs(cast: Cast) -> None:
    hand, item, job = running(cast, cast.room, "Acting")
    assert job.order(cast.room, "Nap")["user"] == cast.member.user
    ear = job.listen(cast.room)
    assert hand.finish(item) is None

    eventually(lambda: not ear.is_connected, what="the socket being cut")
    the_problem(job.get(f"/api/jobs/{item['job_id']}"), 401, "unauthenticated")
    the_problem(job.submit(cast.room, "Nap"), 401, "unauthenticated")
    with pytest.raises(socketio.exceptions.ConnectionError):
        job.listen()


def test_a_job_that_was_not_started_acts_nowhere(cast: Cast) -> None:
    hand = cast.owner.work(extension(cast.room, "Waiting"))
    cast.member.order(cast.room, "Waiting")
    job = cast.bearer(cast.member.user, job_token(hand.take()))

    the_problem(job.get(f"/api/rooms/{cast.room}"), 401, "unauthenticated")


def test_a_job_acts_in_no_other_room(cast: Cast) -> None:
    """Though its submitter is at home there."""
    _, _, job = running(cast, cast.room, "Straying")
    other = cast.fresh_room()
    theirs = cast.member.order(other, "Nap")

    for room in (other, cast.open, "a-room-of-my-own"):
        the_problem(job.get(f"/api/rooms/{room}"), 404, "room_not_found")
        the_problem(job.submit(room, "Nap"), 404, "room_not_found")
        assert job.listen().call("room:join", {"room": room})["error"]["code"] == "room_not_found"
    the_problem(job.get(f"/api/jobs/{theirs['id']}"), 404, "job_not_found")
    the_problem(job.delete(f"/api/jobs/{theirs['id']}"), 404, "job_not_found")


def test_a_job_is_not_its_submitter(cast: Cast) -> None:
    """It has the name, and none of the rights over people, rooms, workers and tokens."""
    _, item, job = running(cast, cast.room, "Posing")
    worker = cast.member.register(extension(cast.room, "Echo")).json()["worker_id"]
    me = f"/api/rooms/{cast.room}/members/{cast.member.user}"

    the_problem(job.delete(me), 403, "forbidden")
    assert cast.member.user in cast.owner.items(f"/api/rooms/{cast.room}/members")
    the_problem(job.post("/api/token/renew"), 403, "forbidden")
    the_problem(job.post("/api/token/revoke", json={}), 403, "forbidden")
    the_problem(job.post("/api/stream-ticket"), 403, "forbidden")
    the_problem(job.delete(f"/api/workers/{worker}"), 404, "worker_not_found")
    the_problem(job.register(extension(cast.room, "Echo"), worker_id=worker), 403, "forbidden")
    the_problem(job.delete(f"/api/jobs/{item['job_id']}"), 403, "forbidden")
    the_problem(job.get(f"/api/users/{cast.member.user}/jobs"), 404, "job_not_found")
    the_problem(job.post(f"/api/rooms/{cast.room}/members", json={"code": "x"}), 403, "forbidden")
    assert cast.member.get("/api/users/me").status_code == 200


def test_a_job_that_begins_again_elsewhere_leaves_its_old_socket_without_a_voice(cast: Cast) -> None:
    hand, item, job = running(cast, cast.room, "Again", retries=3)
    ear = job.listen()
    assert cast.owner.delete(f"/api/workers/{hand.id}").status_code == 200

    eventually(lambda: cast.member.job(item["job_id"])["status"] == "pending", what="the job being pending")
    said = ear.call("room:join", {"room": cast.room})
    assert said["error"]["code"] == "unauthenticated"
    eventually(lambda: not ear.is_connected, what="the socket being cut")


def test_nobody_reports_for_the_worker_of_another(cast: Cast) -> None:
    hand, item, _ = running(cast, cast.room, "Reporting")
    report = {"worker_id": hand.id, "attempt": item["attempt"], "token": item["token"]}
    for person, status, code in (
        (cast.guest, 404, "worker_not_found"),
        (cast.other, 404, "worker_not_found"),
        (cast.member, 403, "forbidden"),
    ):
        path = f"/api/jobs/{item['job_id']}"
        the_problem(person.put(f"{path}/status", json={**report, "status": "completed"}), status, code)
        the_problem(person.put(f"{path}/progress", json=report), status, code)
        beat = {"session": hand.session}
        the_problem(person.put(f"/api/workers/{hand.id}/heartbeat", json=beat), status, code)
    assert cast.member.job(item["job_id"])["status"] == "running"
    assert hand.finish(item) is None


def test_the_stack_of_a_failure_is_for_who_submitted_and_who_offers(cast: Cast) -> None:
    hand, item, _ = running(cast, cast.room, "Failing")
    error = {"type": "Oops", "message": "no", "stack_trace": "in /home/secret.py"}
    assert hand.finish(item, "failed", error=error) is None
    third = cast.person("third")
    cast.owner.post(f"/api/rooms/{cast.room}/members", json={"user": third.user})

    def stack(person: Person) -> object:
        return person.job(item["job_id"])["error"]["stack_trace"]

    assert stack(cast.member) == stack(cast.owner) == stack(cast.admin) == "in /home/secret.py"
    assert stack(third) is None
    listed = third.items(f"/api/rooms/{cast.room}/jobs", status="failed")
    assert {each["error"]["stack_trace"] for each in listed} == {None}


def test_text_comes_back_as_data_that_no_browser_runs(cast: Cast) -> None:
    room = cast.fresh_room()
    cast.owner.request("PATCH", f"/api/rooms/{room}", json={"title": NASTY[:200]})
    hand = cast.owner.work(extension(room, "Echo"), name=NASTY[:100])
    job = cast.member.order(room, data={"text": NASTY})
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
    answers = [cast.member.get(path) for path in paths]

    for answer in answers:
        assert answer.headers["content-type"] in ("application/json", "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "set-cookie" not in answer.headers
    assert answers[0].json()["title"] == NASTY
    assert answers[1].json()["error"]["message"] == NASTY
    assert answers[1].json()["data"] == {"text": NASTY}
    assert NASTY in [each["name"] for each in answers[2].json()["items"]]


@pytest.mark.parametrize("name", [NASTY[:20], "a\nb", "<b>", "a b", "a/b", "\u202eadmin", "a" * 65])
def test_names_with_more_than_letters_are_refused(cast: Cast, name: str) -> None:
    assert cast.nobody.post("/api/login", json={"name": name}).status_code == 422
    assert cast.admin.post("/api/users", json={"name": name, "password": "long enough"}).status_code == 422
