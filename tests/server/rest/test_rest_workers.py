"""The life of a worker, and whose it is."""

from __future__ import annotations

import pytest

from support.users import Person, extension, fence, the_problem

CALLS = [
    ("GET", ""),
    ("GET", "/jobs"),
    ("PUT", "/heartbeat"),
    ("POST", "/shutdown"),
    ("DELETE", ""),
]


def call(person: Person, method: str, worker: str, path: str, session: int = 0) -> tuple[int, str]:
    body = {"session": session} if path == "/heartbeat" else None
    response = person.request(method, f"/api/workers/{worker}{path}", json=body)
    return response.status_code, response.json().get("code", "")


def test_a_worker_is_shown_with_what_it_does(ada: Person, room: str) -> None:
    worker = ada.work(extension(room), name="gpu-box", slots=3, machine={"host": "gpu", "cards": 2})
    ada.order(room)
    worker.start(worker.take())
    ada.order(room)
    worker.take()

    shown = ada.get(f"/api/workers/{worker.id}").json()

    assert (shown["id"], shown["user"], shown["name"], shown["slots"]) == (worker.id, ada.user, "gpu-box", 3)
    assert shown["machine"] == {"host": "gpu", "cards": 2}
    assert (shown["state"], shown["assigned_jobs"], shown["running_jobs"]) == ("running", 1, 1)
    offered = {"scope": "room", "room": room, "category": "analysis", "name": "Echo"}
    assert shown["extensions"] == [offered]


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_somebody_elses_worker_is_not_mine_to_use(
    ada: Person, bob: Person, room: str, method: str, path: str
) -> None:
    worker = ada.work(extension(room))

    is_reading = (method, path) == ("GET", "")
    expected = (200, "") if is_reading else (403, "forbidden")
    assert call(bob, method, worker.id, path, worker.session) == expected
    assert ada.get(f"/api/workers/{worker.id}").json()["state"] == "idle"


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_an_admin_may_use_any_worker(ada: Person, root: Person, room: str, method: str, path: str) -> None:
    worker = ada.work(extension(room))

    assert call(root, method, worker.id, path, worker.session) == (200, "")


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_an_unknown_worker_is_not_found(ada: Person, method: str, path: str) -> None:
    assert call(ada, method, "no-such-worker", path) == (404, "worker_not_found")


def test_the_fleet_and_the_room_list_the_worker(ada: Person, root: Person, room: str) -> None:
    worker = ada.work(extension(room))

    assert worker.id in [each["id"] for each in root.items("/api/workers")]
    in_room = [each["id"] for each in ada.items(f"/api/rooms/{room}/workers")]
    assert worker.id in in_room
    elsewhere = ada.create_room(f"{room}-else")
    assert worker.id not in [each["id"] for each in ada.items(f"/api/rooms/{elsewhere}/workers")]


def test_the_reply_to_a_heartbeat_lists_what_to_drop(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    unknown = {"job_id": "unknown", "attempt": 1, "token": "x"}
    body = {"session": worker.session, "holds": [{**unknown, "phase": "begun"}]}

    answer = ada.put(f"/api/workers/{worker.id}/heartbeat", json=body)

    assert (answer.status_code, answer.json()) == (200, {"drop": [unknown], "cancel": []})


def test_the_reply_to_a_heartbeat_lists_what_to_cancel(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    ada.delete(f"/api/jobs/{job['id']}")
    body = {"session": worker.session, "seen": item["number"], "holds": [{**fence(item), "phase": "begun"}]}

    answer = ada.put(f"/api/workers/{worker.id}/heartbeat", json=body)

    assert answer.json() == {"drop": [], "cancel": [fence(item)]}


def test_the_heartbeat_of_an_older_session_is_refused(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    newer = ada.speak_for(worker.id)

    assert newer.session > worker.session
    assert call(ada, "PUT", worker.id, "/heartbeat", worker.session) == (409, "stale_session")
    assert worker.call("worker:heartbeat", {"session": worker.session})["error"]["code"] == "stale_session"
    assert call(ada, "PUT", worker.id, "/heartbeat", newer.session) == (200, "")


def test_a_polite_goodbye_gives_back_what_was_not_started(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.take()

    assert ada.post(f"/api/workers/{worker.id}/shutdown").status_code == 200

    assert ada.job(job["id"])["status"] == "pending"
    assert ada.get(f"/api/workers/{worker.id}").json()["state"] == "offline"
    assert ada.work(extension(room)).take()["job_id"] == job["id"]


def test_an_extension_stays_when_its_last_worker_leaves(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    old = ada.order(room)
    worker.run(worker.take())

    def away() -> list[bool]:
        listed = ada.items(f"/api/rooms/{room}/extensions")
        return [each["away_since"] is not None for each in listed if each["scope"] == "room"]

    assert away() == [False]
    ada.post(f"/api/workers/{worker.id}/shutdown")
    assert away() == [True]

    waiting = [ada.order(room), ada.post(f"/api/jobs/{old['id']}/retry").json()]
    assert [ada.job(job["id"])["waiting_for"]["code"] for job in waiting] == ["no_worker"] * 2
    other = ada.work(extension(room))
    for _ in waiting:
        other.run(other.take())
    assert [ada.job(job["id"])["status"] for job in waiting] == ["completed"] * 2
    assert away() == [False]


def test_an_extension_taken_off_the_list_leaves_but_not_before_its_jobs(ada: Person, room: str) -> None:
    worker = ada.work(extension(room), extension(room, "Free"), extension(room, "Kept"))
    job = ada.order(room)
    worker.take()

    assert ada.register(extension(room, "Kept"), worker_id=worker.id).status_code == 200

    the_problem(ada.submit(room, "Free"), 404, "extension_not_found")
    ada.order(room)
    for each in ada.items(f"/api/rooms/{room}/jobs"):
        ada.delete(f"/api/jobs/{each['id']}")
    ada.post(f"/api/workers/{worker.id}/shutdown")
    the_problem(ada.submit(room), 404, "extension_not_found")
    assert ada.job(job["id"])["name"] == "Echo"


def test_a_worker_that_is_forced_out_loses_what_it_runs(ada: Person, root: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)

    assert root.delete(f"/api/workers/{worker.id}").status_code == 200

    failed = ada.job(job["id"])
    assert (failed["status"], failed["error"]["type"]) == ("failed", "WorkerLost")
    assert worker.finish(item)["code"] == "stale_attempt"
    assert worker.id not in [each["id"] for each in root.items("/api/workers")]
    assert worker.hello()["error"]["code"] == "worker_dismissed"


def test_a_worker_that_left_may_register_again_under_its_id(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    ada.post(f"/api/workers/{worker.id}/shutdown")

    assert ada.register(extension(room), worker_id=worker.id).status_code == 200
    assert worker.hello()["session"] > worker.session
    ada.order(room)
    worker.run(worker.take())
