"""The task facade against the documents of the task queue that it stands in for."""

from __future__ import annotations

import pytest

from support.users import Document, Person, SocketWorker, extension, fence, the_problem
from workroom.testing.processes import eventually

FIELDS: dict[str, type | tuple[type, ...]] = {
    "task_id": str,
    "actor": str,
    "concurrency_identifier": (str, type(None)),
    "concurrency_limit": (int, type(None)),
    "status": str,
    "priority": int,
    "payload": dict,
    "result": (dict, type(None)),
    "error": (dict, type(None)),
    "progress": dict,
    "created_at": str,
    "started_at": (str, type(None)),
    "completed_at": (str, type(None)),
    "worker_id": (str, type(None)),
    "heartbeat_at": (str, type(None)),
    "retry_count": int,
    "max_retries": int,
}


@pytest.fixture
def actor(room: str) -> str:
    return f"actor-{room}"


@pytest.fixture
def painter(root: Person, actor: str, room: str) -> SocketWorker:
    """A worker that is this actor, in public."""
    policy = {
        "actor": actor,
        "retries": 3,
        "concurrency": {"key": "{provider}", "limits": {"slow": 1}, "default": 4},
    }
    return root.work(extension(None, actor.replace("-", "_"), policy=policy))


def read(person: Person, task: Document) -> Document:
    response = person.get(f"/api/task/{task['task_id']}")
    assert response.status_code == 200, response.text
    document: Document = response.json()
    assert {name: isinstance(document[name], kind) for name, kind in FIELDS.items()} == dict.fromkeys(
        FIELDS, True
    )
    assert set(document) == set(FIELDS)
    return document


def test_a_task_has_the_fields_of_the_task_queue(
    ada: Person, painter: SocketWorker, actor: str, room: str
) -> None:
    payload = {"workflow_run_id": room, "provider": "slow", "params": {"prompt": "a cat"}}
    response = ada.post("/api/task", json={"actor": actor, "payload": payload})
    assert response.status_code == 202
    task = response.json()
    assert (task["status"], task["actor"], task["payload"]) == ("queued", actor, payload)
    item = painter.take()
    assert task["task_id"] == f"tq_{item['job_id']}"
    assert item["room"] == room

    queued = read(ada, task)
    assert (queued["status"], queued["progress"]["message"], queued["progress"]["elapsed_ms"]) == (
        "queued",
        "Queued",
        0,
    )
    assert (queued["concurrency_identifier"], queued["concurrency_limit"]) == ("slow", 1)
    assert (queued["retry_count"], queued["max_retries"]) == (0, 3)

    painter.start(item)
    assert read(ada, task)["progress"]["message"] == "Processing"
    painter.progress(item, message="painting", elapsed_ms=5000, fraction=0.5)
    eventually(lambda: read(ada, task)["progress"]["message"] == "painting", 10, "progress")
    processing = read(ada, task)
    assert (processing["status"], processing["worker_id"]) == ("processing", painter.id)
    assert processing["progress"]["message"] == "painting"
    assert processing["progress"]["elapsed_ms"] >= 5000

    painter.finish(item, result={"urls": ["a.png"]})
    completed = read(ada, task)
    assert (completed["status"], completed["result"]) == ("completed", {"urls": ["a.png"]})
    assert completed["progress"]["message"] == "Completed"
    assert completed["completed_at"] >= completed["started_at"] >= completed["created_at"]


def test_a_failed_and_a_cancelled_task_have_a_reason(
    ada: Person, painter: SocketWorker, actor: str, room: str
) -> None:
    error = {"type": "GenerationError", "message": "no luck", "details": {"n": 1}, "stack_trace": "Traceback"}
    failed = ada.task(room, actor).json()
    item = painter.take()
    painter.start(item)
    painter.finish(item, "failed", error=error)
    cancelled = ada.task(room, actor).json()
    response = ada.delete(f"/api/task/{cancelled['task_id']}")
    assert (response.status_code, response.json()["status"]) == (200, "failed")

    document = read(ada, failed)
    assert (document["status"], document["error"]) == ("failed", error)
    assert document["progress"]["message"] == "Failed: no luck"
    document = read(ada, cancelled)
    assert (document["status"], document["error"]["type"]) == ("failed", "Cancelled")


def test_tasks_are_listed_by_their_workflow_run(
    ada: Person, painter: SocketWorker, actor: str, room: str
) -> None:
    runs = [room, f"Run {room}/ü", f"run {room}/ü"]
    made = {run: [ada.task(run, actor).json()["task_id"] for _ in range(2)] for run in runs}
    ada.work(extension(room))
    ada.order(room)  # a job that is no task

    for run, tasks in made.items():
        found = ada.items("/api/task", workflow_run_id=run)
        assert [task["task_id"] for task in found] == tasks[::-1]
        assert {task["payload"]["workflow_run_id"] for task in found} == {run}
    (newest,) = ada.items("/api/task", workflow_run_id=room, limit=1)
    assert newest["task_id"] == made[room][-1]


def test_tasks_are_listed_by_their_interaction(
    ada: Person, painter: SocketWorker, actor: str, room: str
) -> None:
    made = {name: ada.task(room, actor, interaction_id=name).json()["task_id"] for name in ("one", "two")}

    found = ada.items("/api/task", workflow_run_id=room, interaction_id="two")
    assert [task["task_id"] for task in found] == [made["two"]]
    assert ada.items("/api/task", workflow_run_id=room, interaction_id="three") == []


def test_a_task_without_a_workflow_run_is_in_its_caller_s_own_room(
    ada: Person, painter: SocketWorker, actor: str
) -> None:
    task = ada.task(None, actor).json()

    own = painter.take()["room"]
    assert own.startswith(f"own-{ada.user}-")
    assert ada.get(f"/api/rooms/{own}").json()["private"] is True
    assert [each["task_id"] for each in ada.items("/api/task")] == [task["task_id"]]


def test_an_unknown_actor_is_refused(ada: Person, room: str) -> None:
    the_problem(ada.task(room, "nobody"), 422, "unknown_actor")
    the_problem(ada.post("/api/task", json={"payload": {}}), 422, "invalid_request")


def test_what_is_no_task_is_not_found(ada: Person, room: str) -> None:
    ada.work(extension(room))
    job = ada.order(room)

    for unknown in ("tq_unknown", "unknown", job["id"], f"tq_{job['id']}"):
        the_problem(ada.get(f"/api/task/{unknown}"), 404, "job_not_found")


def test_an_actor_of_one_room_only_is_refused_and_nobody_s_actor(ada: Person, room: str) -> None:
    offered = ada.register(extension(room, policy={"actor": f"private-{room}"}))

    the_problem(offered, 422, "invalid_request")
    the_problem(ada.task(room, f"private-{room}"), 422, "unknown_actor")


def test_the_heartbeat_of_a_task_is_that_of_its_worker(
    ada: Person, painter: SocketWorker, actor: str, room: str
) -> None:
    task = ada.task(room, actor).json()
    item = painter.take()
    assert read(ada, task)["heartbeat_at"] is None
    painter.start(item)
    painter.progress(item, message="painting", elapsed_ms=1)
    first = read(ada, task)["heartbeat_at"]

    hold = {**fence(item), "phase": "begun"}
    beat = {"session": painter.session, "holds": [hold], "seen": item["number"]}
    eventually(
        lambda: painter.call("worker:heartbeat", beat) and read(ada, task)["heartbeat_at"] > first,
        10,
        "a later heartbeat",
    )


def test_the_concurrency_identifier_of_a_task_has_the_defaults_of_the_schema(
    ada: Person, root: Person, actor: str, room: str
) -> None:
    schema = {"type": "object", "properties": {"provider": {"type": "string", "default": "slow"}}}
    policy = {"actor": actor, "concurrency": {"key": "{provider}", "limits": {"slow": 2}, "default": 4}}
    root.work(extension(None, actor.replace("-", "_"), schema=schema, policy=policy))

    task = read(ada, ada.task(room, actor).json())

    assert (task["concurrency_identifier"], task["concurrency_limit"]) == ("slow", 2)


def test_only_its_submitter_cancels_a_task(
    ada: Person, bob: Person, painter: SocketWorker, actor: str, room: str
) -> None:
    task = ada.task(room, actor).json()
    path = f"/api/task/{task['task_id']}"

    the_problem(bob.delete(path), 403, "forbidden")
    the_problem(ada.delete("/api/task/tq_unknown"), 404, "job_not_found")
    assert ada.delete(path).json()["error"]["type"] == "Cancelled"
    assert ada.delete(path).status_code in (200, 409)
