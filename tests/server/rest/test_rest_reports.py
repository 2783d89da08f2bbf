"""What a worker reports by REST, and what of it is believed."""

from __future__ import annotations

import pytest

from support.users import Document, Meet, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import eventually


def given_a_job(person: Person, room: str) -> tuple[SocketWorker, Document]:
    """A worker with one slot that was just given a job."""
    worker = person.work(extension(room))
    person.order(room)
    return worker, worker.take()


def record(person: Person, item: Document) -> tuple[Document, list[Document]]:
    """All that is known of a job."""
    return person.job(item["job_id"]), person.items(f"/api/jobs/{item['job_id']}/history")


def test_a_job_is_reported_with_the_words_processing_and_finished(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)

    started = worker.put_status(item, "processing")
    ended = worker.put_status(item, "finished", result={"answer": 42}, run_ms=1.5)

    assert (started.status_code, started.json()["status"]) == (200, "running")
    job = ended.json()
    assert (ended.status_code, job["status"], job["result"]) == (200, "completed", {"answer": 42})
    assert (job["worker"], job["attempt"], job["version"]) == (worker.id, 1, 4)
    assert job["assigned_at"] <= job["started_at"] <= job["completed_at"]
    assert job["wait_time_ms"] >= 0
    assert job["execution_time_ms"] >= 0


def test_the_history_lists_when_who_and_which_attempt(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.run(item)

    steps = ada.items(f"/api/jobs/{item['job_id']}/history")

    assert [step["status"] for step in steps] == ["pending", "assigned", "running", "completed"]
    assert [step["version"] for step in steps] == [1, 2, 3, 4]
    assert [step["attempt"] for step in steps] == [0, 1, 1, 1]
    assert steps[0]["actor"] == ada.user
    assert [step["worker"] for step in steps] == [None, worker.id, worker.id, worker.id]
    assert [step["at"] for step in steps] == sorted(step["at"] for step in steps)


def test_the_history_of_an_unknown_job_is_not_found(ada: Person) -> None:
    the_problem(ada.get("/api/jobs/unknown/history"), 404, "job_not_found")


ERROR = {"type": "ValueError", "message": "no frames", "details": {"part": "gear"}, "stack_trace": "line 1"}


def test_the_stack_trace_is_for_the_submitter_the_extensions_owner_and_admins(
    ada: Person, bob: Person, root: Person, meet: Meet, room: str
) -> None:
    worker = ada.work(extension(room))
    job = bob.order(room)
    item = worker.take()
    worker.put_status(item, "running")

    worker.put_status(item, "failed", error=ERROR)

    for reader in (ada, bob, root):
        assert reader.job(job["id"])["error"] == ERROR
    stranger = meet("eve")
    assert stranger.job(job["id"])["error"] == {**ERROR, "stack_trace": None}
    (listed,) = stranger.items(f"/api/rooms/{room}/jobs")
    assert listed["error"]["stack_trace"] is None


def test_a_job_that_cannot_be_started_may_fail_at_once(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)

    assert worker.put_status(item, "failed", error=ERROR).json()["status"] == "failed"


@pytest.mark.parametrize("wrong", [{"token": "guessed"}, {"attempt": 2}])
@pytest.mark.parametrize("status", ["running", "completed", "failed", "cancelled"])
def test_a_stale_attempt_is_refused_and_changes_nothing(
    ada: Person, room: str, status: str, wrong: Document
) -> None:
    worker, item = given_a_job(ada, room)
    worker.start(item)
    before = record(ada, item)

    the_problem(worker.put_status({**item, **wrong}, status), 409, "stale_attempt")

    assert record(ada, item) == before


def test_an_attempt_that_was_taken_over_is_stale(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    ada.delete(f"/api/workers/{worker.id}")
    second = ada.work(extension(room))
    again = second.take()
    assert (again["job_id"], again["attempt"]) == (item["job_id"], 2)

    the_problem(worker.put_status(item, "running"), 409, "stale_attempt")
    the_problem(worker.put_status(item, "completed", result="old"), 409, "stale_attempt")

    second.run(again, "new")
    assert ada.job(item["job_id"])["result"] == "new"


def test_an_identical_report_is_accepted_again(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    assert worker.put_status(item, "running", nonce="process-1").status_code == 200
    running = record(ada, item)

    assert worker.put_status(item, "running", nonce="process-1").status_code == 200
    assert record(ada, item) == running

    worker.put_status(item, "completed", result=1)
    completed = record(ada, item)

    assert worker.put_status(item, "completed", result=1).status_code == 200
    assert record(ada, item) == completed


def test_an_end_repeated_with_another_result_is_refused(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.run(item, "first")
    before = record(ada, item)

    the_problem(worker.put_status(item, "completed", result="second"), 409, "stale_attempt")
    assert record(ada, item) == before


def test_a_second_executor_cannot_start_the_same_attempt(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.put_status(item, "running", nonce="process-1")
    before = record(ada, item)

    the_problem(worker.put_status(item, "running", nonce="process-2"), 409, "stale_attempt")
    assert record(ada, item) == before


@pytest.mark.parametrize("status", ["failed", "cancelled", "running"])
def test_an_end_is_final(ada: Person, room: str, status: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.run(item, "done")
    before = record(ada, item)

    the_problem(worker.put_status(item, status), 409, "stale_attempt")
    assert record(ada, item) == before


def test_a_job_cannot_complete_before_it_has_started(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    before = record(ada, item)

    the_problem(worker.put_status(item, "completed", result=1), 409, "illegal_transition")

    assert record(ada, item) == before


@pytest.mark.parametrize(
    ("started", "wrong"),
    [(False, {}), (False, {"token": "guessed"}), (True, {"token": "guessed"})],
    ids=["too early", "wrong token", "wrong token of a running job"],
)
@pytest.mark.parametrize("way", ["socket", "rest"])
def test_a_refused_end_does_not_free_the_slot(
    ada: Person, room: str, way: str, started: bool, wrong: Document
) -> None:
    """One slot, one job at a time: what was refused has changed nothing, here either."""
    worker, item = given_a_job(ada, room)
    waiting = ada.order(room)
    if started:
        worker.start(item)

    report = worker.finish if way == "socket" else worker.put_status
    report({**item, **wrong}, "completed")
    later = ada.order(room)
    worker.start(item)

    assert worker.holds_nothing_new()
    assert [ada.job(each["id"])["status"] for each in (waiting, later)] == ["pending", "pending"]
    worker.finish(item)
    assert worker.take()["job_id"] == waiting["id"]


@pytest.mark.parametrize("status", ["pending", "assigned", "asleep", "", 5, None])
def test_a_report_with_another_word_is_refused(ada: Person, room: str, status: str) -> None:
    worker, item = given_a_job(ada, room)
    before = record(ada, item)

    the_problem(worker.put_status(item, status), 422, "invalid_request")
    assert record(ada, item) == before


def test_somebody_else_cannot_report_for_my_worker(ada: Person, bob: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    before = record(ada, item)
    named = {"worker_id": worker.id, "attempt": item["attempt"], "token": item["token"]}

    the_problem(
        bob.put(f"/api/jobs/{item['job_id']}/status", json={**named, "status": "running"}), 403, "forbidden"
    )
    assert record(ada, item) == before


def test_a_worker_cannot_report_on_the_attempt_of_another(ada: Person, bob: Person, room: str) -> None:
    _, item = given_a_job(ada, room)
    other = bob.work(extension(room))
    before = record(ada, item)

    the_problem(other.put_status(item, "running"), 409, "stale_attempt")
    assert record(ada, item) == before


def test_an_unknown_worker_cannot_report(ada: Person, room: str) -> None:
    _, item = given_a_job(ada, room)
    body = {"worker_id": "nobody", "attempt": 1, "token": item["token"], "status": "running"}

    the_problem(ada.put(f"/api/jobs/{item['job_id']}/status", json=body), 404, "worker_not_found")


def test_nothing_can_be_reported_on_an_unknown_job(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)

    the_problem(worker.put_status({**item, "job_id": "unknown"}, "running"), 404, "job_not_found")
    the_problem(worker.put_progress({**item, "job_id": "unknown"}), 404, "job_not_found")


def test_an_attempt_beyond_all_numbers_is_refused(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)

    response = worker.put_status({**item, "attempt": 2**63}, "running")

    assert response.status_code in (409, 422), response.text


def test_progress_is_kept_with_the_job(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.start(item)

    answer = worker.put_progress(item, fraction=0.4, message="relaxing", current=2, total=5, elapsed_ms=1200)

    assert answer.status_code == 200

    kept: Document = eventually(lambda: ada.job(item["job_id"])["progress"])
    updated_at = kept.pop("updated_at")
    assert kept == {"fraction": 0.4, "message": "relaxing", "current": 2, "total": 5, "elapsed_ms": 1200}
    assert updated_at


def test_progress_of_a_job_that_does_not_run_is_refused(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)

    the_problem(worker.put_progress(item, fraction=0.1), 409, "stale_attempt")
    worker.run(item)
    the_problem(worker.put_progress(item, fraction=0.1), 409, "stale_attempt")
    assert ada.job(item["job_id"])["progress"] is None


@pytest.mark.parametrize("report", [{"fraction": 1.1}, {"fraction": -0.1}, {"colour": "red"}])
def test_odd_progress_is_refused(ada: Person, room: str, report: Document) -> None:
    worker, item = given_a_job(ada, room)
    worker.start(item)

    the_problem(worker.put_progress(item, **report), 422, "invalid_request")
    assert ada.job(item["job_id"])["progress"] is None


def test_a_message_that_is_too_long_is_truncated_not_lost(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.start(item)
    worker.put_progress(item, fraction=0.5, message="x" * 5000)
    progress: Document = eventually(lambda: ada.job(item["job_id"])["progress"])
    worker.put_status(item, "failed", error={"type": "E" * 300, "message": "y" * 20_000})

    error = ada.job(item["job_id"])["error"]

    assert (progress["fraction"], progress["message"]) == (0.5, "x" * 1000)
    assert (error["type"], error["message"]) == ("E" * 200, "y" * 10_000)


def test_a_result_larger_than_a_megabyte_is_refused_and_the_job_goes_on(ada: Person, room: str) -> None:
    worker, item = given_a_job(ada, room)
    worker.start(item)

    the_problem(worker.put_status(item, "completed", result="x" * 1_000_001), 413, "body_too_large")

    assert ada.job(item["job_id"])["status"] == "running"
    assert worker.put_status(item, "completed", result="x" * 900_000).status_code == 200
