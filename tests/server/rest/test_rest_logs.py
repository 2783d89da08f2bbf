"""What workers report of what jobs print, and who reads it."""

from __future__ import annotations

import pytest

from support.users import Document, Meet, Person, SocketWorker, extension, fence, lines, the_problem


@pytest.fixture
def worker(ada: Person, room: str) -> SocketWorker:
    return ada.work(extension(room))


@pytest.fixture
def item(ada: Person, worker: SocketWorker, room: str) -> Document:
    """A job that runs."""
    ada.order(room)
    item = worker.take()
    assert worker.start(item) is None
    return item


def texts(person: Person, item: Document, **params: object) -> list[str]:
    return [line["text"] for line in person.items(f"/api/jobs/{item['job_id']}/logs", **params)]


def test_lines_come_by_socket_and_by_rest_and_are_read_in_pages(
    ada: Person, worker: SocketWorker, item: Document
) -> None:
    assert worker.log(item, "a", "b") is None
    assert worker.post_logs(item, "c", first=3).json() == {}

    page = ada.get(f"/api/jobs/{item['job_id']}/logs", params={"limit": 2}).json()
    assert page["next_after"] == 2
    assert page["items"][0] == {
        "seq": 1,
        "attempt": 1,
        "at": "2026-01-20T12:00:00.000Z",
        "stream": "stdout",
        "text": "a",
    }
    rest = ada.get(f"/api/jobs/{item['job_id']}/logs", params={"after": 2}).json()
    assert ([line["text"] for line in rest["items"]], rest["next_after"]) == (["c"], None)


def test_watchers_of_a_job_receive_each_line_once(ada: Person, worker: SocketWorker, item: Document) -> None:
    ear = ada.listen()
    ear.call("job:watch", {"job_id": item["job_id"]})
    worker.log(item, "a")
    worker.log(item, "a")
    worker.log(item, "a", "b")
    worker.finish(item)
    ear.expect("job:state_changed", status="completed")

    heard = ear.items("job:log")
    assert [(each["job_id"], each["attempt"]) for each in heard] == [(item["job_id"], 1)] * 2
    assert [line["text"] for each in heard for line in each["lines"]] == ["a", "b"]


@pytest.mark.parametrize("wrong", [{"token": "guessed"}, {"attempt": 2}])
def test_a_stale_attempt_prints_nothing(
    ada: Person, worker: SocketWorker, item: Document, wrong: Document
) -> None:
    the_problem(worker.post_logs({**item, **wrong}, "x"), 409, "stale_attempt")
    assert worker.log({**item, **wrong}, "x")["code"] == "stale_attempt"

    assert texts(ada, item) == []


def test_after_the_end_lines_are_read_but_not_added(
    ada: Person, worker: SocketWorker, item: Document
) -> None:
    worker.log(item, "a")
    worker.finish(item)

    the_problem(worker.post_logs(item, "late", first=2), 409, "stale_attempt")
    assert texts(ada, item) == ["a"]


def test_only_the_worker_s_keeper_reports_lines(
    bob: Person, worker: SocketWorker, item: Document, ada: Person
) -> None:
    body = {"worker_id": worker.id, "attempt": 1, "token": item["token"], "lines": lines("x")}
    the_problem(bob.post(f"/api/jobs/{item['job_id']}/logs", json=body), 403, "forbidden")

    assert texts(ada, item) == []


def test_who_may_not_see_a_job_may_not_read_its_lines(ada: Person, meet: Meet, room: str) -> None:
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True})
    worker = ada.work(extension(room))
    job = ada.order(room)
    worker.take()

    the_problem(meet("eve").get(f"/api/jobs/{job['id']}/logs"), 404, "job_not_found")
    the_problem(ada.get("/api/jobs/unknown/logs"), 404, "job_not_found")


@pytest.mark.parametrize(
    "wrong",
    [
        {"lines": []},
        {"lines": [{"seq": 0}]},
        {"lines": "x"},
        {"lines": [{"seq": 1, "at": "noon", "text": "x"}]},
    ],
)
def test_odd_reports_are_refused(worker: SocketWorker, item: Document, wrong: Document) -> None:
    (problem,) = worker.call("job:log", [{**fence(item), **wrong}])["answers"]
    assert problem["code"] == "invalid_request"
