"""Lists of jobs, their place in the queue, and the numbers of an extension."""

from __future__ import annotations

from typing import Any

import pytest

from support.users import Document, Person, extension, the_problem
from workroom.testing.processes import eventually

pytestmark = pytest.mark.either_mode


def pages(person: Person, path: str, **params: Any) -> list[list[Document]]:
    """Every page of a list, by its cursor."""
    found: list[list[Document]] = []
    cursor: Document = {}
    while True:
        page = person.get(path, params={**params, **cursor}).json()
        found.append(page["items"])
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


def ids(jobs: list[Document]) -> list[str]:
    return [job["id"] for job in jobs]


def stats(person: Person, room: str, name: str = "Echo") -> Document:
    answer: Document = person.get(f"/api/rooms/{room}/extensions/room/analysis/{name}/stats").json()
    assert answer.pop("keys") == {}
    return answer


@pytest.mark.parametrize(("limit", "sizes"), [(2, [2, 2, 1]), (5, [5]), (4, [4, 1]), (500, [5])])
def test_the_jobs_of_a_room_come_in_pages_newest_first(
    ada: Person, room: str, limit: int, sizes: list[int]
) -> None:
    ada.register(extension(room))
    submitted = [ada.order(room)["id"] for _ in range(5)]

    found = pages(ada, f"/api/rooms/{room}/jobs", limit=limit)

    assert [len(page) for page in found] == sizes
    assert [job["id"] for page in found for job in page] == submitted[::-1]


def test_a_job_that_comes_in_between_shifts_no_page(ada: Person, room: str) -> None:
    ada.register(extension(room))
    submitted = [ada.order(room)["id"] for _ in range(4)]
    first = ada.get(f"/api/rooms/{room}/jobs", params={"limit": 2}).json()

    ada.order(room)
    second = ada.get(f"/api/rooms/{room}/jobs", params={"limit": 2, "cursor": first["next_cursor"]}).json()

    assert ids(first["items"] + second["items"]) == submitted[::-1]


def test_the_jobs_of_a_room_can_be_filtered(ada: Person, room: str) -> None:
    ada.register(extension(room), extension(room, "Other"))
    echo, other, gone = ada.order(room), ada.order(room, "Other"), ada.order(room, "Other")
    ada.delete(f"/api/jobs/{gone['id']}")
    path = f"/api/rooms/{room}/jobs"

    assert ids(ada.items(path, status="cancelled")) == [gone["id"]]
    assert ids(ada.items(path, extension="analysis/Echo")) == [echo["id"]]
    assert ids(ada.items(path, status="pending", extension="analysis/Other")) == [other["id"]]
    assert ada.items(path, status="failed") == []


def test_the_jobs_of_a_room_can_be_those_of_one_person(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    mine, theirs = ada.order(room), bob.order(room)
    path = f"/api/rooms/{room}/jobs"

    assert ids(bob.items(path, user=ada.user)) == [mine["id"]]
    assert ids(ada.items(path, user=bob.user, status="pending")) == [theirs["id"]]
    assert ada.items(path, user="nobody") == []


@pytest.mark.parametrize(
    "params",
    [
        {"status": "asleep"},
        {"extension": "Echo"},
        {"limit": 0},
        {"limit": 501},
        {"cursor": 0},
        {"cursor": "x"},
    ],
)
def test_a_list_refuses_what_it_does_not_understand(ada: Person, room: str, params: Document) -> None:
    the_problem(ada.get(f"/api/rooms/{room}/jobs", params=params), 422, "invalid_request")


def test_a_cursor_beyond_all_numbers_is_refused(ada: Person, room: str) -> None:
    the_problem(ada.get(f"/api/rooms/{room}/jobs", params={"cursor": 2**63}), 422, "invalid_request")


def test_my_own_jobs_are_mine_to_see(ada: Person, bob: Person, root: Person, room: str) -> None:
    ada.register(extension(room), extension(ada.create_room(f"{room}-b")))
    mine = [ada.order(room)["id"], ada.order(f"{room}-b")["id"]]
    bob.order(room)
    path = f"/api/users/{ada.user}/jobs"

    assert ids(ada.items(path)) == mine[::-1]
    assert ids(root.items(path)) == mine[::-1]
    assert [len(page) for page in pages(ada, path, limit=1)] == [1, 1]
    the_problem(bob.get(path), 404, "job_not_found")


def test_my_unfinished_jobs_are_listed_without_those_that_ended(ada: Person, room: str) -> None:
    ada.register(extension(room))
    first, second = ada.order(room), ada.order(room)
    ada.delete(f"/api/jobs/{second['id']}").raise_for_status()
    path = f"/api/users/{ada.user}/jobs"

    assert ids(ada.items(path, unfinished=True)) == [first["id"]]
    assert [len(page) for page in pages(ada, path, limit=1, unfinished=True)] == [1]


def test_a_long_job_stays_among_my_unfinished_ones_however_many_follow(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    long = ada.order(room)
    worker.start(worker.take())
    items = [{"category": "analysis", "name": "Echo", "data": {}} for _ in range(120)]
    short = ada.post(f"/api/rooms/{room}/jobs/batch", json={"jobs": items}).json()["items"]
    action = {"action": "cancel", "jobs": [each["job"]["id"] for each in short]}
    ada.post(f"/api/rooms/{room}/jobs/actions", json=action).raise_for_status()

    path = f"/api/users/{ada.user}/jobs"
    assert ids(ada.items(path, unfinished=True, limit=100)) == [long["id"]]


def test_an_admin_finds_jobs_by_room_user_status_and_extension(
    ada: Person, bob: Person, root: Person, room: str
) -> None:
    ada.register(extension(room), extension(room, "Other"))
    first, second, third = ada.order(room), bob.order(room), ada.order(room, "Other")
    ada.delete(f"/api/jobs/{first['id']}")

    assert ids(root.items("/api/jobs", room=room)) == [third["id"], second["id"], first["id"]]
    assert ids(root.items("/api/jobs", room=room.upper(), user=bob.user)) == [second["id"]]
    assert ids(root.items("/api/jobs", user=ada.user, status="cancelled")) == [first["id"]]
    assert ids(root.items("/api/jobs", room=room, extension="analysis/Other")) == [third["id"]]
    assert [len(page) for page in pages(root, "/api/jobs", room=room, limit=2)] == [2, 1]


def test_the_jobs_of_a_worker_are_listed(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.take()
    ada.order(room)

    assert ids(ada.items(f"/api/workers/{worker.id}/jobs")) == [job["id"]]


def test_the_jobs_of_a_worker_come_in_pages_too(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    for _ in range(3):
        ada.order(room)
        worker.run(worker.take())

    assert [len(page) for page in pages(ada, f"/api/workers/{worker.id}/jobs", limit=2)] == [2, 1]


def test_pending_jobs_know_their_place_in_the_queue(ada: Person, room: str) -> None:
    ada.register(extension(room))
    jobs = [ada.order(room), ada.order(room), ada.order(room, priority=5)]

    assert [ada.job(job["id"])["queue_position"] for job in jobs] == [1, 2, 0]
    listed = {job["id"]: job["queue_position"] for job in ada.items(f"/api/rooms/{room}/jobs")}
    assert [listed[job["id"]] for job in jobs] == [1, 2, 0]


def test_the_queue_moves_up_when_a_job_is_taken_or_cancelled(ada: Person, room: str) -> None:
    ada.register(extension(room))
    first, second, third = (ada.order(room)["id"] for _ in range(3))

    ada.delete(f"/api/jobs/{second}")

    assert [ada.job(each)["queue_position"] for each in (first, second, third)] == [0, None, 1]


def test_the_numbers_of_an_extension_follow_its_workers_and_jobs(ada: Person, room: str) -> None:
    worker = ada.work(extension(room), slots=2)
    assert stats(ada, room) == {"idle_workers": 1, "busy_workers": 0, "pending_jobs": 0}

    ada.order(room)
    first = worker.take()
    assert stats(ada, room) == {"idle_workers": 1, "busy_workers": 0, "pending_jobs": 0}

    ada.order(room)
    worker.take()
    ada.order(room)
    assert stats(ada, room) == {"idle_workers": 0, "busy_workers": 1, "pending_jobs": 1}

    worker.run(first)
    worker.take()
    assert stats(ada, room) == {"idle_workers": 0, "busy_workers": 1, "pending_jobs": 0}


def test_a_worker_that_never_connected_is_neither_idle_nor_busy(ada: Person, room: str) -> None:
    ada.register(extension(room))
    ada.order(room)

    assert stats(ada, room) == {"idle_workers": 0, "busy_workers": 0, "pending_jobs": 1}


def test_the_list_of_extensions_carries_the_same_numbers(ada: Person, room: str) -> None:
    ada.work(extension(room))

    (shown,) = [each for each in ada.items(f"/api/rooms/{room}/extensions") if each["scope"] == "room"]

    numbers = ("idle_workers", "busy_workers", "pending_jobs")
    assert {name: shown[name] for name in numbers} == stats(ada, room)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("room/analysis/Unknown", 404, "extension_not_found"),
        ("public/analysis/Echo", 404, "extension_not_found"),
        ("room/analysis/echo", 404, "extension_not_found"),
        ("galaxy/analysis/Echo", 422, "invalid_request"),
    ],
)
def test_numbers_of_an_extension_that_is_not_there(
    ada: Person, room: str, path: str, status: int, code: str
) -> None:
    ada.register(extension(room))

    the_problem(ada.get(f"/api/rooms/{room}/extensions/{path}/stats"), status, code)


def test_the_overview_counts_every_extension_and_its_jobs(ada: Person, root: Person, room: str) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    worker.run(worker.take())
    last = ada.order(room)
    worker.take()

    def mine() -> list[Document]:
        return [each for each in root.items("/api/extensions/overview") if each["room"] == room]

    (usage,) = eventually(mine)
    assert usage["jobs"] == {"completed": 1, "assigned": 1}
    assert usage["last_job_at"] == last["created_at"]
    assert usage["recent"]["ends"] == 1
    assert usage["recent"]["failure_rate"] == 0
    assert usage["recent"]["since"] <= last["created_at"]
    assert usage["last_failure"] is None


def test_the_overview_has_percentiles_and_the_last_failure(ada: Person, root: Person, room: str) -> None:
    worker = ada.work(extension(room))
    ada.order(room)
    worker.run(worker.take())
    broken = ada.order(room)
    item = worker.take()
    worker.start(item)
    worker.finish(item, "failed", error={"type": "ValueError", "message": "too small"})

    def mine() -> list[Document]:
        found = [each for each in root.items("/api/extensions/overview") if each["room"] == room]
        return [each for each in found if each["recent"]["ends"] == 2]

    (usage,) = eventually(mine)
    ended = ada.get(f"/api/jobs/{broken['id']}").json()["completed_at"]
    assert usage["recent"]["failure_rate"] == 0.5
    for name in ("wait_time_ms", "execution_time_ms"):
        found = usage["recent"][name]
        assert 0 <= found["p50"] <= found["p90"] == found["p99"]
    assert usage["last_failure"] == {
        "job_id": broken["id"],
        "at": ended,
        "type": "ValueError",
        "message": "too small",
    }
