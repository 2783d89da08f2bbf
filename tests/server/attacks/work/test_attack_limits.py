"""Limits of a room's data and of jobs, each a setting: what fits is taken, and the next is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import count

import httpx
import pytest

from support.frame_messages import encode
from support.users import Document, LoopThread, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess

LIMITS = {
    "max_document": 100,
    "max_documents": 2,
    "max_documents_bytes": 150,
    "max_versions": 2,
    "max_record": 100,
    "max_records": 2,
    "max_records_bytes": 150,
    "max_locks": 2,
    "max_user_locks": 1,
    "max_lock_waiters": 0,
    "max_exchanges": 2,
    "max_exchanges_bytes": 1000,
    "max_answer": 50,
    "max_log_lines": 3,
    "max_log_bytes": 100,
    "max_preview": 10,
    "max_positions": 24,
    "max_delay": 10,
    "max_error_details": 50,
    "max_machine": 40,
    "max_guest_slots": 2,
    "max_slots": 3,
    "frames_rate": "3/day",
}
_numbers = count(1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("small"), **LIMITS) as server:
        yield server


@pytest.fixture
def people(small: ServerProcess, loop_thread: LoopThread) -> Iterator[list[Person]]:
    found = [Person(loop_thread, small.url, f"{name}-{next(_numbers)}") for name in ("ada", "bob", "eve")]
    yield found
    for person in found:
        person.close()


@pytest.fixture
def ada(people: list[Person]) -> Person:
    return people[0]


@pytest.fixture
def room(ada: Person) -> str:
    return ada.create_room(f"small-{next(_numbers)}")


@pytest.fixture
def worker(ada: Person, room: str) -> SocketWorker:
    return ada.work(extension(room), slots=2)


@pytest.fixture
def item(ada: Person, room: str, worker: SocketWorker) -> Document:
    """A running job."""
    ada.order(room)
    item = worker.take()
    assert worker.start(item) is None
    return item


def document(person: Person, room: str, key: str, size: int) -> httpx.Response:
    return person.put(f"/api/rooms/{room}/state/{key}", json="x" * (size - 2))


def record(person: Person, room: str, id: str, size: int) -> httpx.Response:
    frame = len('{"a":""}')
    return person.put(f"/api/rooms/{room}/records/shots/{id}", json={"body": {"a": "x" * (size - frame)}})


def lock(person: Person, room: str, target: str, **fields: float) -> httpx.Response:
    body = {"token": f"a-token-of-{person.user}", **fields}
    return person.post(f"/api/rooms/{room}/locks/{target}", json=body)


def test_a_document(ada: Person, room: str) -> None:
    assert document(ada, room, "a", 100).status_code == 200
    the_problem(document(ada, room, "a", 101), 413, "body_too_large")


def test_the_documents_of_a_room_together(ada: Person, room: str) -> None:
    assert document(ada, room, "a", 100).status_code == 200
    the_problem(document(ada, room, "b", 51), 403, "quota_exceeded")
    assert document(ada, room, "b", 50).status_code == 200
    assert document(ada, room, "a", 50).status_code == 200
    the_problem(document(ada, room, "c", 3), 403, "quota_exceeded")


def test_the_versions_of_a_room(ada: Person, room: str) -> None:
    for size in (10, 11, 12):
        assert document(ada, room, "a", size).status_code == 200

    undone = [ada.post(f"/api/rooms/{room}/undo").status_code for _ in range(3)]
    assert undone == [200, 200, 409]


def test_a_record(ada: Person, room: str) -> None:
    assert record(ada, room, "a", 100).status_code == 200
    the_problem(record(ada, room, "a", 101), 413, "body_too_large")


def test_the_records_of_a_room_together(ada: Person, room: str) -> None:
    assert record(ada, room, "a", 100).status_code == 200
    the_problem(record(ada, room, "b", 51), 403, "quota_exceeded")
    assert record(ada, room, "b", 50).status_code == 200
    assert record(ada, room, "a", 50).status_code == 200
    the_problem(record(ada, room, "c", 20), 403, "quota_exceeded")


def test_the_locks_of_a_room_of_a_user_and_of_those_who_wait(people: list[Person], room: str) -> None:
    ada, bob, eve = people
    assert lock(ada, room, "a").status_code == 200
    the_problem(lock(ada, room, "b"), 403, "quota_exceeded")
    the_problem(lock(bob, room, "a", wait=1), 403, "quota_exceeded")
    assert lock(bob, room, "b").status_code == 200
    the_problem(lock(eve, room, "c"), 403, "quota_exceeded")


def test_what_a_job_exchanges(worker: SocketWorker, item: Document) -> None:
    assert worker.ask(item, "large", text="x" * 1001)["answers"][0]["code"] == "quota_exceeded"
    assert [worker.ask(item, key)["answers"] for key in ("a", "b")] == [[None], [None]]
    assert worker.ask(item, "c")["answers"][0]["code"] == "quota_exceeded"


def test_an_answer(ada: Person, worker: SocketWorker, item: Document) -> None:
    worker.ask(item)
    path, frame = f"/api/jobs/{item['job_id']}/questions/1/answer", len('{"a":""}')

    the_problem(ada.post(path, json={"answer": {"a": "x" * (51 - frame)}}), 413, "body_too_large")
    assert ada.post(path, json={"answer": {"a": "x" * (50 - frame)}}).status_code == 200


@pytest.mark.parametrize(
    ("texts", "kept"), [(["a", "b", "c", "d"], ["a", "b", "c"]), (["x" * 90, "y" * 20], 1)]
)
def test_the_log_of_a_job(
    ada: Person, worker: SocketWorker, item: Document, texts: list[str], kept: list[str] | int
) -> None:
    assert worker.log(item, *texts) is None
    found = [each["text"] for each in ada.items(f"/api/jobs/{item['job_id']}/logs")]

    assert found[:3] == kept if isinstance(kept, list) else found[0] == texts[0]
    assert texts[-1] not in found


def test_what_a_job_shows(worker: SocketWorker, item: Document) -> None:
    assert worker.show(item, "text", b"x" * 10).is_success
    the_problem(worker.show(item, "text", b"x" * 11), 413, "body_too_large")
    assert worker.move(item, 0, b"\0" * 24).is_success
    the_problem(worker.move(item, 0, b"\0" * 36), 413, "body_too_large")


def test_the_details_of_an_error(ada: Person, worker: SocketWorker, room: str, item: Document) -> None:
    ada.order(room)
    other, frame = worker.take(), len('{"a":""}')
    assert worker.start(other) is None
    for each, size in ((item, 50), (other, 51)):
        error = {"type": "E", "message": "m", "details": {"a": "x" * (size - frame)}}
        assert worker.finish(each, "failed", error=error) is None

    details = [ada.job(each["job_id"])["error"]["details"] for each in (item, other)]
    assert [set(each) for each in details] == [{"a"}, {"note"}]


def test_the_time_to_which_a_job_is_put_off(ada: Person, worker: SocketWorker, room: str) -> None:
    assert ada.submit(room, delay_ms=10_000).status_code == 202
    the_problem(ada.submit(room, delay_ms=10_001), 422, "invalid_request")


def test_a_worker(ada: Person, room: str) -> None:
    frame = len('{"a":""}')
    assert ada.register(extension(room), slots=2, machine={"a": "x" * (40 - frame)}).status_code == 201
    the_problem(ada.register(extension(room), slots=3), 422, "invalid_request")
    the_problem(ada.register(extension(room), machine={"a": "x" * (41 - frame)}), 422, "invalid_request")


def test_a_worker_of_an_admin(small: ServerProcess, loop_thread: LoopThread, room: str) -> None:
    with closing(Person(loop_thread, small.url, "admin", ADMIN_PASSWORD)) as root:
        assert root.register(extension(room), slots=3).status_code == 201
        the_problem(root.register(extension(room), slots=4), 422, "invalid_request")


def test_the_rate_of_changes_of_frames(people: list[Person], room: str) -> None:
    ada, bob, _ = people

    def append(person: Person, number: int) -> httpx.Response:
        content = encode(1, value={"number": number})
        return person.post(f"/api/rooms/{room}/frames", params={"op": "append"}, content=content)

    assert [append(ada, number).status_code for number in range(3)] == [200] * 3
    the_problem(append(ada, 3), 429, "too_many_requests")
    assert append(bob, 4).status_code == 200
