"""Who may cancel a job, and what happens to it."""

from __future__ import annotations

import pytest

from support.users import Meet, Person, extension, the_problem


def test_somebody_else_cannot_cancel_my_job(ada: Person, bob: Person, meet: Meet, room: str) -> None:
    ada.register(extension(room))
    job = bob.order(room)

    the_problem(meet("eve").delete(f"/api/jobs/{job['id']}"), 403, "forbidden")

    assert bob.job(job["id"])["status"] == "pending"
    assert len(bob.items(f"/api/jobs/{job['id']}/history")) == 1


@pytest.mark.parametrize("who", ["submitter", "owner of the room", "admin"])
def test_its_submitter_the_rooms_owner_and_admins_can(
    ada: Person, bob: Person, root: Person, room: str, who: str
) -> None:
    ada.register(extension(room))
    job = bob.order(room)
    person = {"submitter": bob, "owner of the room": ada, "admin": root}[who]

    cancelled = person.delete(f"/api/jobs/{job['id']}")

    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    last = bob.items(f"/api/jobs/{job['id']}/history")[-1]
    assert (last["status"], last["actor"], last["version"]) == ("cancelled", person.user, 2)


def test_cancelling_twice_is_cancelling_once(ada: Person, room: str) -> None:
    ada.register(extension(room))
    job = ada.order(room)
    first = ada.delete(f"/api/jobs/{job['id']}").json()

    again = ada.delete(f"/api/jobs/{job['id']}")

    assert (again.status_code, again.json()) == (200, first)


def test_a_job_that_has_ended_cannot_be_cancelled(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.run(worker.take())
    before = ada.job(job["id"])

    the_problem(ada.delete(f"/api/jobs/{job['id']}"), 409, "illegal_transition")
    assert ada.job(job["id"]) == before


def test_an_unknown_job_cannot_be_cancelled(ada: Person) -> None:
    the_problem(ada.delete("/api/jobs/unknown"), 404, "job_not_found")


@pytest.mark.parametrize("started", [False, True])
def test_the_worker_is_notified_and_keeps_its_slot_until_it_confirms(
    ada: Person, room: str, started: bool
) -> None:
    worker = ada.work(extension(room))
    job, waiting = ada.order(room), ada.order(room)
    item = worker.take()
    if started:
        worker.start(item)

    assert ada.delete(f"/api/jobs/{job['id']}").json()["status"] == "cancelled"

    told = worker.expect("job:cancel")
    assert (told["job_id"], told["attempt"]) == (job["id"], 1)
    assert worker.holds_nothing_new()
    assert worker.finish(item, "cancelled") is None
    assert worker.take()["job_id"] == waiting["id"]


def test_the_end_of_a_cancelled_job_is_refused_but_frees_the_slot(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job, waiting = ada.order(room), ada.order(room)
    item = worker.take()
    worker.start(item)
    ada.delete(f"/api/jobs/{job['id']}")

    the_problem(worker.put_status(item, "completed", result="too late"), 409, "stale_attempt")

    assert ada.job(job["id"])["result"] is None
    assert worker.take()["job_id"] == waiting["id"]


def test_a_cancelled_job_cannot_be_started(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    ada.delete(f"/api/jobs/{job['id']}")

    assert worker.start(item)["code"] == "stale_attempt"
    assert ada.job(job["id"])["started_at"] is None
