"""Events received by socket: by which clients, and in which order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.users import Document, Meet, Person, SocketListener, extension
from workroom.testing.processes import eventually

LIFE = ["pending", "assigned", "running", "completed"]


def steps(client: SocketListener, job_id: str) -> list[Document]:
    return client.items("job:state_changed", job_id=job_id)


def test_each_state_of_a_job_is_received_once_and_in_order(
    ada: Person, bob: Person, meet: Meet, room: str
) -> None:
    worker = ada.work(extension(room))
    submitter, submitter_inside, member = bob.listen(), bob.listen(room), meet("eve").listen(room)
    stranger = meet("mallory").listen(ada.create_room(f"{room}-else"))

    job = bob.order(room)
    worker.run(worker.take())

    for client in (submitter, submitter_inside, member):
        client.expect("job:state_changed", job_id=job["id"], status="completed")
        client.flush()
        assert [step["status"] for step in steps(client, job["id"])] == LIFE
        assert [step["version"] for step in steps(client, job["id"])] == [1, 2, 3, 4]
    stranger.flush()
    assert stranger.items("job:state_changed") == []


def test_a_state_change_carries_job_time_room_and_user(ada: Person, room: str) -> None:
    client = ada.listen(room)
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.run(worker.take())

    received = client.expect("job:state_changed", job_id=job["id"], status="running")

    history = ada.items(f"/api/jobs/{job['id']}/history")
    assert received == history[2]
    assert received["worker"] == worker.id
    assert (received["created_at"], received["started_at"]) == (job["created_at"], received["at"])
    assert received["completed_at"] is None


def test_the_end_of_a_job_carries_its_times(ada: Person, room: str) -> None:
    client = ada.listen(room)
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.run(worker.take())
    ended = client.expect("job:state_changed", job_id=job["id"], status="completed")

    stored = ada.job(job["id"])
    times = ("created_at", "started_at", "completed_at")
    assert [ended[time] for time in times] == [stored[time] for time in times]


def test_the_order_holds_when_many_work_in_many_rooms_at_once(ada: Person, meet: Meet, room: str) -> None:
    rooms = [ada.create_room(f"{room}-{number}") for number in range(6)]
    worker = ada.work(*(extension(each) for each in rooms), slots=50)
    client = meet("eve").listen(*rooms)
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
    eventually(lambda: len(client.items("job:state_changed")) == total * len(LIFE))

    lives: dict[str, list[str]] = {}
    for step in client.items("job:state_changed"):
        lives.setdefault(step["job_id"], []).append(step["status"])
    assert [life for life in lives.values() if life != LIFE] == []


def test_a_client_that_left_a_room_receives_none_of_its_events(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    client, stays = bob.listen(room), bob.listen(room)
    assert client.call("room:leave", {"room": room.upper()}) == {"room": room}

    job = ada.order(room)

    stays.expect("job:state_changed", job_id=job["id"])
    client.flush()
    assert client.items("job:state_changed") == []


def test_every_event_is_a_list(ada: Person, root: Person, room: str) -> None:
    client = root.listen(room)
    client.call("fleet:watch")
    worker = ada.work(extension(room))
    job = ada.order(room)
    client.call("job:watch", {"job_id": job["id"]})
    item = worker.take()
    worker.start(item)
    worker.progress(item, fraction=0.5)
    root.submit(room, "Theme", category="settings")
    ada.delete(f"/api/jobs/{job['id']}")
    worker.expect("job:cancel")
    ada.delete(f"/api/workers/{worker.id}")
    client.expect("worker:state_changed", worker=worker.id, state="offline")
    client.expect("data:changed")
    client.expect("presence:changed")

    received = client.heard + worker.heard

    assert {event for event, _ in received} == {
        *("job:assigned", "job:cancel", "job:state_changed", "job:progress"),
        *("extensions:changed", "worker:state_changed", "worker:dismissed", "data:changed"),
        "presence:changed",
    }
    assert all(isinstance(items, list) and items for _, items in received)


def test_changed_extensions_are_published_to_their_room_only(ada: Person, bob: Person, room: str) -> None:
    client, elsewhere = bob.listen(room), bob.listen(bob.create_room(f"{room}-else"))
    changed = {"scope": "room", "room": room, "category": "analysis"}

    worker = ada.register(extension(room)).json()["worker_id"]
    client.expect("extensions:changed")
    assert client.items("extensions:changed") == [changed]

    ada.post(f"/api/workers/{worker}/shutdown")
    eventually(lambda: len(client.items("extensions:changed")) == 2)
    assert client.items("extensions:changed") == [changed, changed]
    elsewhere.flush()
    assert elsewhere.items("extensions:changed", room=room) == []


def test_changed_public_extensions_are_published_to_everyone(root: Person, bob: Person, room: str) -> None:
    client = bob.listen()
    category = f"c{room}"

    worker = root.register(extension(None, category=category)).json()["worker_id"]
    client.expect("extensions:changed", category=category)

    root.post(f"/api/workers/{worker}/shutdown")
    eventually(lambda: len(client.items("extensions:changed", category=category)) == 2)
    assert client.items("extensions:changed", category=category)[1] == {
        "scope": "public",
        "room": None,
        "category": category,
    }


def test_another_worker_of_an_extension_changes_no_extension(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    client = bob.listen(room)

    bob.register(extension(room))

    client.flush()
    assert client.items("extensions:changed") == []


def test_worker_states_are_published_to_their_room_and_to_the_fleet(
    ada: Person, root: Person, meet: Meet, room: str
) -> None:
    inside, outside, fleet = (
        ada.listen(room),
        meet("eve").listen(ada.create_room(f"{room}-else")),
        root.listen(),
    )
    assert fleet.call("fleet:watch") == {}

    worker = ada.work(extension(room))
    ada.order(room)
    worker.run(worker.take())
    inside.expect("job:state_changed", status="completed")
    ada.post(f"/api/workers/{worker.id}/shutdown")

    for client in (inside, fleet):
        client.expect("worker:state_changed", worker=worker.id, state="offline")
        states = [each["state"] for each in client.items("worker:state_changed", worker=worker.id)]
        lived = iter(["idle", "assigned", "running", "idle", "offline"])
        assert all(state in lived for state in states), f"{states}: those in between may be left out"
        assert all(each["since"] for each in client.items("worker:state_changed"))
    outside.flush()
    assert outside.items("worker:state_changed", worker=worker.id) == []


def test_only_an_admin_watches_the_fleet(ada: Person) -> None:
    assert ada.listen().call("fleet:watch")["error"]["code"] == "forbidden"


def test_progress_is_received_by_the_watchers_of_the_job(ada: Person, bob: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    watching, stopped, inside = bob.listen(), bob.listen(), bob.listen(room)
    for client in (watching, stopped):
        answer = client.call("job:watch", {"job_id": job["id"]})
        assert answer == {"job_id": job["id"], "version": 3, "status": "running", "progress": None}
    assert stopped.call("job:unwatch", {"job_id": job["id"]}) == {"job_id": job["id"]}

    worker.progress(item, fraction=0.25, message="relaxing")
    worker.put_progress(item, fraction=0.5)

    eventually(lambda: len(watching.items("job:progress")) == 2)
    received = watching.items("job:progress", job_id=job["id"])
    assert [each["progress"]["fraction"] for each in received] == [0.25, 0.5]
    assert received[0]["progress"]["message"] == "relaxing"
    for client in (stopped, inside):
        client.flush()
        assert client.items("job:progress") == []


def test_a_late_watcher_receives_the_progress_so_far(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    worker.progress(item, fraction=0.25)
    client = ada.listen()

    answer = eventually(lambda: client.call("job:watch", {"job_id": job["id"]})["progress"])

    assert answer["fraction"] == 0.25


def test_refused_progress_is_not_published(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    client = ada.listen()
    client.call("job:watch", {"job_id": job["id"]})

    assert worker.progress(item, fraction=0.25)["code"] == "stale_attempt"

    client.flush()
    assert client.items("job:progress") == []


@pytest.mark.parametrize("event", ["job:watch", "job:unwatch", "room:join", "room:leave"])
@pytest.mark.parametrize("body", [None, {}, [], "x", {"room": 5, "job_id": 5}])
def test_a_malformed_event_gets_a_problem(ada: Person, event: str, body: object) -> None:
    assert ada.listen().call(event, body)["error"]["code"] == "invalid_request"


def test_an_unknown_job_cannot_be_watched(ada: Person) -> None:
    assert ada.listen().call("job:watch", {"job_id": "unknown"})["error"]["code"] == "job_not_found"


@pytest.mark.parametrize("name", ["public", "Ｇlobal", "..", ""])  # noqa: RUF001
def test_a_reserved_room_cannot_be_joined(ada: Person, name: str) -> None:
    assert ada.listen().call("room:join", {"room": name})["error"]["code"] == "invalid_name"


def test_a_state_of_a_worker_carries_its_jobs_and_when_it_began(ada: Person, room: str) -> None:
    client, worker = ada.listen(room), ada.work(extension(room))
    idle = client.expect("worker:state_changed", worker=worker.id, state="idle")
    job = ada.order(room)
    item = worker.take()
    assigned = client.expect("worker:state_changed", worker=worker.id, state="assigned")
    worker.start(item)
    running = client.expect("worker:state_changed", worker=worker.id, state="running")

    assert [each["jobs"] for each in (idle, assigned, running)] == [[], [job["id"]], [job["id"]]]
    assert idle["since"] <= assigned["since"] <= running["since"]
