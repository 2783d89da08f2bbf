"""What is heard by socket, by whom, and in which order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from people import Document, Ear, Meet, Person, extension

from workroom.testing.processes import eventually

LIFE = ["pending", "assigned", "running", "completed"]


def steps(ear: Ear, job_id: str) -> list[Document]:
    return ear.items("job:state_changed", job_id=job_id)


def test_the_life_of_a_job_is_heard_once_each_in_order(
    ada: Person, bob: Person, meet: Meet, room: str
) -> None:
    worker = ada.work(extension(room))
    submitter, submitter_inside, member = bob.listen(), bob.listen(room), meet("eve").listen(room)
    stranger = meet("mallory").listen(f"{room}-else")

    job = bob.order(room)
    worker.run(worker.take())

    for ear in (submitter, submitter_inside, member):
        ear.expect("job:state_changed", job_id=job["id"], status="completed")
        ear.settle()
        assert [step["status"] for step in steps(ear, job["id"])] == LIFE
        assert [step["version"] for step in steps(ear, job["id"])] == [1, 2, 3, 4]
    stranger.settle()
    assert stranger.items("job:state_changed") == []


def test_a_change_says_what_when_where_and_who(ada: Person, room: str) -> None:
    ear = ada.listen(room)
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.run(worker.take())

    heard = ear.expect("job:state_changed", job_id=job["id"], status="running")

    history = ada.items(f"/api/jobs/{job['id']}/history")
    assert heard == history[2]
    assert heard["worker"] == worker.id


def test_the_order_holds_when_many_work_in_many_rooms_at_once(ada: Person, meet: Meet, room: str) -> None:
    rooms = [f"{room}-{number}" for number in range(6)]
    worker = ada.work(*(extension(each) for each in rooms), slots=50)
    ear = meet("eve").listen(*rooms)
    people = [meet("user") for _ in range(4)]
    jobs = [{"category": "analysis", "name": "Echo"}] * 3

    def submit(person: Person) -> None:
        for each in rooms:
            person.post(f"/api/rooms/{each}/jobs/batch", json={"jobs": jobs})

    total = len(people) * len(rooms) * len(jobs)
    with ThreadPoolExecutor() as pool:
        submitting = [pool.submit(submit, person) for person in people]
        for _ in range(total):
            worker.run(worker.take())
        for each in submitting:
            each.result()
    eventually(lambda: len(ear.items("job:state_changed")) == total * len(LIFE))

    lives: dict[str, list[str]] = {}
    for step in ear.items("job:state_changed"):
        lives.setdefault(step["job_id"], []).append(step["status"])
    assert [life for life in lives.values() if life != LIFE] == []


def test_who_leaves_a_room_hears_no_more_of_it(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    ear, stays = bob.listen(room), bob.listen(room)
    assert ear.call("room:leave", {"room": room.upper()}) == {"room": room}

    job = ada.order(room)

    stays.expect("job:state_changed", job_id=job["id"])
    ear.settle()
    assert ear.items("job:state_changed") == []


def test_every_event_is_a_list(ada: Person, root: Person, room: str) -> None:
    ear = root.listen(room)
    ear.call("fleet:watch")
    worker = ada.work(extension(room))
    job = ada.order(room)
    ear.call("job:watch", {"job_id": job["id"]})
    item = worker.take()
    worker.start(item)
    worker.progress(item, fraction=0.5)
    root.submit(room, "Theme", category="settings")
    ada.delete(f"/api/jobs/{job['id']}")
    worker.expect("job:cancel")
    ada.delete(f"/api/workers/{worker.id}")
    ear.expect("worker:state_changed", worker=worker.id, state="offline")
    ear.expect("data:changed")

    heard = ear.heard + worker.heard

    assert {event for event, _ in heard} == {
        *("job:assigned", "job:cancel", "job:state_changed", "job:progress"),
        *("extensions:changed", "worker:state_changed", "data:changed"),
    }
    assert all(isinstance(items, list) and items for _, items in heard)


def test_extensions_that_come_and_go_are_told_to_their_room_only(ada: Person, bob: Person, room: str) -> None:
    ear, elsewhere = bob.listen(room), bob.listen(f"{room}-else")
    changed = {"scope": "room", "room": room, "category": "analysis"}

    worker = ada.register(extension(room)).json()["worker_id"]
    ear.expect("extensions:changed")
    assert ear.items("extensions:changed") == [changed]

    ada.post(f"/api/workers/{worker}/shutdown")
    eventually(lambda: len(ear.items("extensions:changed")) == 2)
    assert ear.items("extensions:changed") == [changed, changed]
    elsewhere.settle()
    assert elsewhere.items("extensions:changed", room=room) == []


def test_public_extensions_that_come_and_go_are_told_to_everyone(
    root: Person, bob: Person, room: str
) -> None:
    ear = bob.listen()
    category = f"c{room}"

    worker = root.register(extension(None, category=category)).json()["worker_id"]
    ear.expect("extensions:changed", category=category)

    root.post(f"/api/workers/{worker}/shutdown")
    eventually(lambda: len(ear.items("extensions:changed", category=category)) == 2)
    assert ear.items("extensions:changed", category=category)[1] == {
        "scope": "public",
        "room": None,
        "category": category,
    }


def test_a_worker_that_serves_what_is_there_changes_no_extension(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    ear = bob.listen(room)

    bob.register(extension(room))

    ear.settle()
    assert ear.items("extensions:changed") == []


def test_the_states_of_a_worker_are_told_to_its_room_and_to_the_fleet(
    ada: Person, root: Person, meet: Meet, room: str
) -> None:
    inside, outside, fleet = ada.listen(room), meet("eve").listen(f"{room}-else"), root.listen()
    assert fleet.call("fleet:watch") == {}

    worker = ada.work(extension(room))
    ada.order(room)
    worker.run(worker.take())
    inside.expect("job:state_changed", status="completed")
    ada.post(f"/api/workers/{worker.id}/shutdown")

    for ear in (inside, fleet):
        ear.expect("worker:state_changed", worker=worker.id, state="offline")
        states = [each["state"] for each in ear.items("worker:state_changed", worker=worker.id)]
        lived = iter(["idle", "assigned", "running", "idle", "offline"])
        assert all(state in lived for state in states), f"{states}: those in between may be left out"
        assert all(each["since"] for each in ear.items("worker:state_changed"))
    outside.settle()
    assert outside.items("worker:state_changed", worker=worker.id) == []


def test_only_an_admin_watches_the_fleet(ada: Person) -> None:
    assert ada.listen().call("fleet:watch")["error"]["code"] == "forbidden"


def test_progress_is_heard_by_who_watches_the_job(ada: Person, bob: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    watching, stopped, inside = bob.listen(), bob.listen(), bob.listen(room)
    for ear in (watching, stopped):
        answer = ear.call("job:watch", {"job_id": job["id"]})
        assert answer == {"job_id": job["id"], "version": 3, "status": "running", "progress": None}
    assert stopped.call("job:unwatch", {"job_id": job["id"]}) == {"job_id": job["id"]}

    worker.progress(item, fraction=0.25, message="relaxing")
    worker.put_progress(item, fraction=0.5)

    eventually(lambda: len(watching.items("job:progress")) == 2)
    heard = watching.items("job:progress", job_id=job["id"])
    assert [each["progress"]["fraction"] for each in heard] == [0.25, 0.5]
    assert heard[0]["progress"]["message"] == "relaxing"
    for ear in (stopped, inside):
        ear.settle()
        assert ear.items("job:progress") == []


def test_who_watches_later_is_told_the_progress_so_far(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    worker.progress(item, fraction=0.25)
    ear = ada.listen()

    answer = eventually(lambda: ear.call("job:watch", {"job_id": job["id"]})["progress"])

    assert answer["fraction"] == 0.25


def test_refused_progress_is_heard_by_nobody(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    ear = ada.listen()
    ear.call("job:watch", {"job_id": job["id"]})

    assert worker.progress(item, fraction=0.25)["code"] == "stale_attempt"

    ear.settle()
    assert ear.items("job:progress") == []


@pytest.mark.parametrize("event", ["job:watch", "job:unwatch", "room:join", "room:leave"])
@pytest.mark.parametrize("body", [None, {}, [], "x", {"room": 5, "job_id": 5}])
def test_an_event_of_the_wrong_form_is_answered_with_a_problem(ada: Person, event: str, body: object) -> None:
    assert ada.listen().call(event, body)["error"]["code"] == "invalid_request"


def test_an_unknown_job_cannot_be_watched(ada: Person) -> None:
    assert ada.listen().call("job:watch", {"job_id": "unknown"})["error"]["code"] == "job_not_found"


@pytest.mark.parametrize("name", ["public", "Ｇlobal", "..", ""])  # noqa: RUF001
def test_a_reserved_room_cannot_be_joined(ada: Person, name: str) -> None:
    assert ada.listen().call("room:join", {"room": name})["error"]["code"] == "invalid_name"
