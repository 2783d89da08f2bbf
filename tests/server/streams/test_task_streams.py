"""The stream of a task: progress, then its end, in the words of the task queue."""

from __future__ import annotations

import pytest

from support.stream_readers import Listener
from support.users import Document, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import eventually


@pytest.fixture
def painter(root: Person, room: str) -> SocketWorker:
    policy = {"actor": f"actor-{room}", "retries": 3}
    return root.work(extension(None, f"Actor_{room}".replace("-", "_"), policy=policy))


def listen(person: Person, task: Document, last_id: str = "") -> Listener:
    return Listener(person.url, f"/api/task/{task['task_id']}/stream", person.token, last_id)


def test_a_task_is_streamed_until_it_is_complete(ada: Person, painter: SocketWorker, room: str) -> None:
    task = ada.task(room, f"actor-{room}").json()
    ear = listen(ada, task)
    assert ear.expect("progress")["status"] == "queued"
    item = painter.take()
    painter.start(item)
    painter.progress(item, message="painting", elapsed_ms=1000)
    eventually(lambda: any(each["progress"]["message"] == "painting" for each in ear.named("progress")), 20)
    painter.finish(item, result={"urls": ["a.png"]})

    assert ear.expect("complete") == {"result": {"urls": ["a.png"]}}
    eventually(lambda: ear.is_over, what="the end of the stream")
    assert {each["status"] for each in ear.named("progress")} == {"queued", "processing"}
    for each in ear.named("progress"):
        assert {"elapsed_ms", "message", "updated_at"} <= set(each["progress"])


def test_a_task_that_fails_or_is_cancelled_ends_its_stream_with_error(
    ada: Person, painter: SocketWorker, room: str
) -> None:
    error = {"type": "GenerationError", "message": "no luck", "details": {}, "stack_trace": "Traceback"}
    failed = ada.task(room, f"actor-{room}").json()
    item = painter.take()
    painter.start(item)
    painter.finish(item, "failed", error=error)
    assert listen(ada, failed).expect("error") == {"error": error}

    cancelled = ada.task(room, f"actor-{room}").json()
    ear = listen(ada, cancelled)
    ada.delete(f"/api/jobs/{cancelled['task_id'].removeprefix('tq_')}")
    assert ear.expect("error")["error"]["type"] == "Cancelled"


def test_a_task_whose_worker_is_lost_reports_its_retry(
    ada: Person, root: Person, painter: SocketWorker, room: str
) -> None:
    task = ada.task(room, f"actor-{room}").json()
    ear = listen(ada, task)
    painter.start(painter.take())
    root.delete(f"/api/workers/{painter.id}")

    def messages() -> list[str]:
        return [each["progress"]["message"] for each in ear.named("progress")]

    eventually(lambda: "Retrying (attempt 1)" in messages(), what="the second try")
    assert messages()[-1] == "Retrying (attempt 1)"
    assert ada.get(f"/api/task/{task['task_id']}").json()["retry_count"] == 1


def test_the_stream_of_an_unknown_task_is_not_found(ada: Person) -> None:
    the_problem(ada.get("/api/task/tq_unknown/stream"), 404, "job_not_found")


def test_lines_are_streamed_and_resumed_without_gap_or_repeat(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    path = f"/api/jobs/{job['id']}/stream"
    item = worker.take()
    worker.start(item)
    worker.log(item, "a", "b")
    first = Listener(ada.url, path, ada.token, "")
    assert [line["text"] for line in first.expect("log")["lines"]] == ["a", "b"]
    worker.log(item, "c", first=3)
    eventually(lambda: len(first.named("log")) == 2, 20, "the second batch")
    worker.log(item, "d", first=4)
    worker.finish(item)
    first.expect("end")

    def texts(ear: Listener) -> list[str]:
        return [line["text"] for each in ear.named("log") for line in each["lines"]]

    assert texts(first) == ["a", "b", "c", "d"]
    again = Listener(ada.url, path, ada.token, "")
    again.expect("end")
    assert texts(again) == ["a", "b", "c", "d"]
