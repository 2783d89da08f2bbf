"""Questions of jobs, answers, and what workers record of providers."""

from __future__ import annotations

from typing import Any

import pytest

from support.users import OPEN, Document, Meet, Person, SocketWorker, extension, fence, the_problem

SCHEMA = {
    "type": "object",
    "properties": {"keep": {"type": "boolean"}},
    "required": ["keep"],
    "additionalProperties": False,
}


def running(worker: SocketWorker, person: Person, room: str) -> Document:
    """A job that the worker has begun."""
    person.order(room)
    item = worker.take()
    assert worker.start(item) is None
    return item


@pytest.fixture
def worker(ada: Person, room: str) -> SocketWorker:
    return ada.work(extension(room), slots=2)


@pytest.fixture
def item(worker: SocketWorker, bob: Person, room: str) -> Document:
    """A running job of Bob's with an open question."""
    item = running(worker, bob, room)
    assert worker.ask(item, schema=SCHEMA, timeout_ms=60_000)["answers"] == [None]
    return item


def answer(person: Person, item: Document, values: Any, number: int = 1) -> Any:
    return person.post(f"/api/jobs/{item['job_id']}/questions/{number}/answer", json={"answer": values})


def test_a_question_is_listed_in_its_room_and_with_its_job(bob: Person, item: Document, room: str) -> None:
    (found,) = bob.items(f"/api/rooms/{room}/questions")

    assert bob.items(f"/api/jobs/{item['job_id']}/questions") == [found]
    assert (found["id"], found["job_id"], found["room"], found["user"]) == (1, item["job_id"], room, bob.user)
    assert (found["text"], found["schema"], found["state"]) == ("keep?", SCHEMA, "open")
    assert (found["answer"], found["answered_by"], found["answered_at"]) == (None, None, None)
    assert found["asked_at"] < found["expires_at"]


def test_everybody_in_an_open_room_may_answer_and_the_worker_hears_of_it(
    bob: Person, meet: Meet, worker: SocketWorker, item: Document, room: str
) -> None:
    eve = meet("eve")
    ear = bob.listen(room)
    given = answer(eve, item, {"keep": True})

    assert (given.status_code, given.json()["state"], given.json()["answered_by"]) == (
        200,
        "answered",
        eve.user,
    )
    assert given.json()["answer"] == {"keep": True}
    expected = {"job_id": item["job_id"], "room": room, "question_id": 1, "by": eve.user}
    assert ear.expect("question:answered") == expected
    assert worker.expect("job:answered") == {"job_id": item["job_id"], "question_id": 1}
    (again,) = worker.ask(item)["questions"]
    assert (again["answer"], again["answered_by"]) == ({"keep": True}, eve.user)
    assert bob.items(f"/api/rooms/{room}/questions") == []


def test_a_new_question_is_announced_once(bob: Person, worker: SocketWorker, room: str) -> None:
    ear = bob.listen(room)
    item = running(worker, bob, room)
    first, again = worker.ask(item), worker.ask(item)
    asked = ear.expect("question:asked")
    ear.flush()

    assert asked == {
        "job_id": item["job_id"],
        "room": room,
        "user": bob.user,
        "question_id": 1,
        "text": "keep?",
    }
    assert first["questions"] == again["questions"]
    assert len(ear.items("question:asked")) == 1


def test_an_answer_has_to_fit_the_schema(bob: Person, item: Document) -> None:
    refused = the_problem(answer(bob, item, {"keep": "perhaps"}), 422, "invalid_data")

    assert [fault["path"] for fault in refused["errors"]] == ["/keep"]
    the_problem(answer(bob, item, {}), 422, "invalid_data")
    the_problem(answer(bob, item, True), 422, "invalid_request")


def test_the_first_answer_counts(bob: Person, meet: Meet, item: Document) -> None:
    assert answer(bob, item, {"keep": True}).status_code == 200
    refused = the_problem(answer(meet("eve"), item, {"keep": False}), 409, "question_closed")

    assert (refused["reason"], refused["by"]) == ("answered", bob.user)
    assert answer(bob, item, {"keep": True}).status_code == 200


def test_a_question_of_an_ended_job_is_closed(
    bob: Person, worker: SocketWorker, item: Document, room: str
) -> None:
    assert worker.finish(item) is None
    refused = the_problem(answer(bob, item, {"keep": True}), 409, "question_closed")
    (found,) = bob.items(f"/api/jobs/{item['job_id']}/questions")

    assert (refused["reason"], found["state"]) == ("ended", "closed")
    assert bob.items(f"/api/rooms/{room}/questions") == []


def test_a_question_that_was_not_asked_cannot_be_answered(bob: Person, item: Document) -> None:
    the_problem(answer(bob, item, {"keep": True}, number=2), 404, "question_not_found")
    the_problem(answer(bob, item, {"keep": True}, number=0), 422, "invalid_request")


def test_an_answer_that_is_too_large_is_refused(bob: Person, worker: SocketWorker, room: str) -> None:
    item = running(worker, bob, room)
    worker.ask(item)

    assert answer(bob, item, {"text": "x" * 63_000}).status_code == 200
    worker.ask(item, "more")
    refused = the_problem(answer(bob, item, {"text": "x" * 64_000}, number=2), 413, "body_too_large")
    assert refused["max_bytes"] == 64_000


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"schema": {"type": "string"}}, "invalid_schema"),
        ({"schema": {"type": "object", "$ref": "http://example.org/x"}}, "invalid_schema"),
        ({"schema": {"type": "object", "title": "x" * 100_000}}, "invalid_schema"),
        ({"schema": []}, "invalid_request"),
        ({"text": ""}, "invalid_request"),
        ({"text": "x" * 4001}, "invalid_request"),
        ({"key": "x" * 201}, "invalid_request"),
        ({"timeout_ms": 0}, "invalid_request"),
        ({"more": 1}, "invalid_request"),
    ],
)
def test_a_question_that_nobody_could_answer_is_refused(
    bob: Person, worker: SocketWorker, room: str, fields: Document, code: str
) -> None:
    item = running(worker, bob, room)
    reply = worker.ask(item, **fields)

    assert (reply["answers"][0]["code"], reply["questions"]) == (code, [None])
    assert bob.items(f"/api/rooms/{room}/questions") == []


def test_one_bad_question_does_not_affect_the_others(bob: Person, worker: SocketWorker, room: str) -> None:
    item = running(worker, bob, room)
    named = {**fence(item), "text": "t"}
    reply = worker.call(
        "job:ask",
        [
            {**named, "key": "a"},
            {**named, "key": "b", "schema": {"type": "object"}},
            {**named, "key": "c", "schema": {"type": "string"}},
        ],
    )

    assert [each and each["code"] for each in reply["answers"]] == ["invalid_request", None, "invalid_schema"]
    assert [each and each["key"] for each in reply["questions"]] == [None, "b", None]


def test_one_job_may_have_two_hundred_entries(bob: Person, worker: SocketWorker, room: str) -> None:
    item = running(worker, bob, room)
    intents = [{**fence(item), "provider": "p", "digest": str(number)} for number in range(201)]
    answers = worker.call("job:intend", intents)["answers"]

    assert answers[:200] == [None] * 200
    assert answers[200]["code"] == "quota_exceeded"
    assert len(bob.job(item["job_id"])["intents"]) == 200


def test_ids_of_providers_are_shown_with_the_job(bob: Person, worker: SocketWorker, room: str) -> None:
    item = running(worker, bob, room)
    worker.call("job:intend", [{**fence(item), "provider": "leonardo", "digest": "d-1"}])
    first = {**fence(item), "provider": "leonardo", "id": "g-1"}
    answers = worker.call("job:external", [first, first, {**first, "id": "g-2"}])["answers"]
    job = bob.job(item["job_id"])

    assert answers[:2] == [None, None]
    assert (answers[2]["code"], answers[2]["id"]) == ("external_taken", "g-1")
    assert [(each["provider"], each["id"], each["attempt"]) for each in job["external"]] == [
        ("leonardo", "g-1", 1)
    ]
    assert [(each["provider"], each["digest"], each["attempt"]) for each in job["intents"]] == [
        ("leonardo", "d-1", 1)
    ]


def test_an_id_of_a_cancelled_attempt_is_accepted(bob: Person, worker: SocketWorker, room: str) -> None:
    item = running(worker, bob, room)
    bob.delete(f"/api/jobs/{item['job_id']}")
    sent = {**fence(item), "provider": "leonardo"}

    assert worker.call("job:external", [{**sent, "id": "g-1"}])["answers"] == [None]
    assert worker.call("job:intend", [{**sent, "digest": "d"}])["answers"][0]["code"] == "stale_attempt"
    assert [each["id"] for each in bob.job(item["job_id"])["external"]] == ["g-1"]


def test_a_job_that_waits_says_so_and_its_worker_gets_another_one(
    ada: Person, bob: Person, room: str
) -> None:
    worker = ada.work(extension(room), slots=1)
    item = running(worker, bob, room)
    worker.ask(item, timeout_ms=60_000)
    suspend = {**fence(item), "waits": {"code": "answer", "of": "1"}}
    freed = worker.call("job:suspend", [suspend])
    waiting = bob.job(item["job_id"])
    other = running(worker, bob, room)

    assert freed == {"answers": [None], "freed": [True]}
    assert (waiting["status"], waiting["waiting_for"]["code"]) == ("running", "answer")
    assert (waiting["waiting_for"]["key"], waiting["waiting_for"]["until"] is None) == ("1", False)

    bob.order(room)
    assert worker.call("job:suspend", [{**fence(item), "waits": None}])["freed"] == [False]
    assert bob.job(item["job_id"])["waiting_for"] is None
    assert worker.finish(other) is None
    assert worker.holds_nothing_new()  # its slot is for the job that has its answer
    assert worker.finish(item) is None
    worker.run(worker.take())


@pytest.mark.parametrize(("code", "is_freed"), [("answer", False), ("children", True)])
def test_four_times_as_many_as_there_are_slots_wait_without_one(
    ada: Person, bob: Person, room: str, code: str, is_freed: bool
) -> None:
    """Beyond these, only a job that waits for a child frees its slot, and only for children."""
    worker = ada.work(extension(room), slots=1)
    freed = []
    for _ in range(5):
        item = running(worker, bob, room)
        waits = {"code": code, "of": item["job_id"]}
        freed += worker.call("job:suspend", [{**fence(item), "waits": waits}])["freed"]
    bob.order(room)

    assert freed == [True] * 4 + [is_freed]
    assert bob.job(item["job_id"])["waiting_for"]["code"] == code
    assert worker.holds_nothing_new()

    assert worker.call("job:suspend", [{**fence(item), "waits": None}])["answers"] == [None]
    assert worker.finish(item) is None
    worker.run(worker.take())


def test_a_hello_and_a_heartbeat_restore_what_waits(ada: Person, bob: Person, room: str) -> None:
    worker = ada.work(extension(room), slots=1)
    item = running(worker, bob, room)
    held = {**fence(item), "phase": "begun", "suspended": True}
    session = worker.hello(holds=[held], seen=item["number"])["session"]
    other = running(worker, bob, room)
    bob.order(room)
    holds = [held, {**fence(other), "phase": "begun"}]
    beat = worker.call("worker:heartbeat", {"session": session, "holds": holds, "seen": other["number"]})

    assert beat["drop"] == []
    assert worker.holds_nothing_new()


def test_children_are_listed(ada: Person, bob: Person, meet: Meet, worker: SocketWorker, room: str) -> None:
    item = running(worker, bob, room)
    token = f"job.{item['job_id']}.{item['attempt']}.{item['token']}"
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    children = [
        ada.post(path, json={"data": {"n": n}}, headers={"Authorization": f"Bearer {token}"}).json()["id"]
        for n in range(3)
    ]
    first = ada.get(f"/api/jobs/{item['job_id']}/children", params={"limit": 2}).json()
    rest = ada.get(
        f"/api/jobs/{item['job_id']}/children", params={"limit": 2, "cursor": first["next_cursor"]}
    ).json()

    assert [each["id"] for each in [*first["items"], *rest["items"]]] == children[::-1]
    assert {each["parent"] for each in first["items"]} == {item["job_id"]}
    assert ada.items(f"/api/jobs/{children[0]}/children") == []
    the_problem(meet("eve").get("/api/jobs/nothing/children"), 404, "job_not_found")


def test_the_questions_of_a_room_come_in_pages_that_are_not_too_large(ada: Person, room: str) -> None:
    """`limit` counts jobs; a page of large questions ends early."""
    worker = ada.work(extension(room), slots=22)
    schema = {**OPEN, "description": "x" * 90_000}
    items = [running(worker, ada, room) for _ in range(22)]
    for item in items:
        asked = [{**fence(item), "key": str(n), "text": "keep?", "schema": schema} for n in range(10)]
        assert worker.call("job:ask", asked)["answers"] == [None] * 10
    path = f"/api/rooms/{room}/questions"

    first = ada.get(path, params={"limit": 500}).json()
    second = ada.get(path, params={"limit": 500, "cursor": first["next_cursor"]}).json()
    assert [len(first["items"]), len(second["items"])] == [200, 20]
    assert second["next_cursor"] is None
    asking = [each["job_id"] for each in first["items"] + second["items"]]
    assert list(dict.fromkeys(asking)) == [item["job_id"] for item in items[::-1]]
    few = ada.get(path, params={"limit": 3}).json()
    assert (len(few["items"]), few["next_cursor"] is None) == (30, False)
