"""What a worker sends over its socket: connect, hello, start, finish, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import socketio

from support.users import Document, LoopThread, Person, extension, fence
from workroom.testing.processes import ServerProcess

ASSIGNED = {"job_id", "attempt", "token", "number", "room", "user", "scope", "category", "name", "data"}


def refusal(loop_thread: LoopThread, url: str, auth: Any) -> Any:
    """Connect, and return the reason of the refusal."""
    reasons: list[Any] = []

    async def connect() -> None:
        client = socketio.AsyncClient(reconnection=False, handle_sigint=False)
        client.on("connect_error", reasons.append)
        try:
            with pytest.raises(socketio.exceptions.ConnectionError):
                await client.connect(url, auth=auth, transports=["websocket"], wait_timeout=20)
        finally:
            await client.shutdown()

    loop_thread.run(connect())
    return reasons[0] if reasons else None


@pytest.mark.parametrize(
    "auth", [None, {}, {"token": ""}, {"token": "x"}, {"token": 5}, {"token": ["x"]}, "x"]
)
def test_without_a_valid_token_the_connection_is_refused_with_a_problem(
    server: ServerProcess, loop_thread: LoopThread, auth: Any
) -> None:
    refused = refusal(loop_thread, server.url, auth)

    assert refused["data"]["code"] == "unauthenticated"
    assert refused["data"]["status"] == 401
    assert refused["message"]


def test_hello_returns_a_session_and_its_terms(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))

    reply = worker.hello()

    expected = {"heartbeat_ms": 5000, "lease_ms": 30_000, "drop": [], "cancel": []}
    assert {name: reply[name] for name in expected} == expected
    assert reply["session"] == worker.session + 1


def test_a_job_is_pushed_with_everything_needed_to_run_it(ada: Person, bob: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = bob.order(room, data={"n": [1, {"x": None}]})

    item = worker.take()

    assert item.keys() >= ASSIGNED
    assert (item["job_id"], item["attempt"], item["number"]) == (job["id"], 1, 1)
    assert (item["room"], item["user"], item["data"]) == (room, bob.user, job["data"])
    assert (item["scope"], item["category"], item["name"]) == ("room", "analysis", "Echo")


def test_large_values_are_fetched_not_pushed(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room, data={"a": "x" * 200_000})

    assert worker.take()["data"] is None
    assert ada.job(job["id"])["data"] == job["data"]


def test_no_more_jobs_are_pushed_than_there_are_slots(ada: Person, room: str) -> None:
    worker = ada.work(extension(room), slots=2)
    jobs = [ada.order(room)["id"] for _ in range(3)]
    first, _ = worker.take(), worker.take()

    assert worker.holds_nothing_new()

    worker.run(first)
    assert worker.take()["job_id"] == jobs[2]


def test_hello_without_a_worker_is_refused(ada: Person) -> None:
    problem = ada.listen().call("worker:hello", {"boot_id": "some boot"})["error"]

    assert problem["code"] == "invalid_request"
    assert "worker_id" in problem["detail"]


@pytest.mark.parametrize(("whose", "code"), [("mine", "worker_not_found"), ("another's", "forbidden")])
def test_hello_for_a_worker_that_is_not_mine_is_refused(
    ada: Person, bob: Person, room: str, loop_thread: LoopThread, whose: str, code: str
) -> None:
    worker_id = "never-registered" if whose == "mine" else ada.register(extension(room)).json()["worker_id"]

    async def hello() -> Document:
        client = socketio.AsyncClient(reconnection=False, handle_sigint=False)
        auth = {"token": bob.token, "worker_id": worker_id}
        await client.connect(bob.url, auth=auth, transports=["websocket"], wait_timeout=10)
        reply: Document = await client.call("worker:hello", {"boot_id": "some boot"})
        await client.disconnect()
        return reply

    assert loop_thread.run(hello())["error"]["code"] == code


@pytest.mark.parametrize(
    "event", ["worker:heartbeat", "worker:ask", "job:start", "job:finish", "job:progress"]
)
def test_nothing_is_reported_before_hello(ada: Person, event: str) -> None:
    body: Any = {"session": 1} if event.startswith("worker:") else []

    problem = ada.listen().call(event, body)["error"]

    assert (problem["code"], problem["status"], problem["retryable"]) == ("no_session", 409, True)
    assert "hello" in problem["detail"]


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("worker:hello", None),
        ("worker:hello", {"worker_id": "any", "boot_id": "short"}),
        ("worker:hello", {"worker_id": "any", "boot_id": "some boot", "colour": "red"}),
        ("worker:heartbeat", {}),
        ("worker:ask", {}),
        ("worker:heartbeat", {"session": "x"}),
        ("job:start", {}),
        ("job:start", [{"job_id": "x"}]),
        ("job:finish", [{"job_id": "x", "attempt": 1, "token": "t", "status": "asleep"}]),
        ("job:finish", [{"job_id": "x", "attempt": 1, "token": "t", "status": "running"}]),
        ("job:progress", [{"job_id": "x", "attempt": 1, "token": "t", "fraction": 2}]),
    ],
)
def test_a_malformed_report_gets_a_problem(ada: Person, room: str, event: str, body: Any) -> None:
    worker = ada.work(extension(room))

    reply = worker.call(event, body)
    problem = reply["answers"][0] if "answers" in reply else reply["error"]

    assert (problem["status"], problem["code"]) == (422, "invalid_request")
    assert problem["type"] == "urn:workroom:invalid_request"


def test_each_item_of_a_batch_has_its_own_result(ada: Person, room: str) -> None:
    worker = ada.work(extension(room), slots=2)
    for _ in range(2):
        ada.order(room)
    first, second = worker.take(), worker.take()
    stale = {**fence(first), "token": "guessed"}
    starts = [{**each, "nonce": worker.nonce} for each in (fence(first), stale, fence(second))]

    replies = worker.call("job:start", starts)["answers"]

    assert [reply and reply["code"] for reply in replies] == [None, "stale_attempt", None]
    ends = [{**each, "status": "completed"} for each in (stale, fence(second), fence(first))]
    replies = worker.call("job:finish", ends)["answers"]
    assert [reply and reply["code"] for reply in replies] == ["stale_attempt", None, None]


def test_finishing_before_starting_is_an_illegal_transition(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)

    assert worker.finish(worker.take())["code"] == "illegal_transition"
    assert ada.job(job["id"])["status"] == "assigned"


def test_a_repeated_start_and_a_repeated_end_are_harmless(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()

    assert [worker.start(item), worker.start(item)] == [None, None]
    assert [worker.finish(item, result=1), worker.finish(item, result=1)] == [None, None]
    assert ada.job(job["id"])["version"] == 4


def test_a_result_larger_than_a_megabyte_is_refused_by_socket_too(ada: Person, room: str) -> None:
    worker = ada.work(extension(room))
    job = ada.order(room)
    item = worker.take()
    worker.start(item)
    end = [{**fence(item), "status": "completed", "result": "x" * 1_000_001}]

    reply = worker.call("job:finish", end)

    problem = reply.get("error") or reply["answers"][0]
    assert problem["code"] == "body_too_large"
    assert ada.job(job["id"])["status"] == "running"
