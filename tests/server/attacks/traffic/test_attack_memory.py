"""What a hostile connection can make the server hold: a megabyte before login, twenty after."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from support.raw_connections import FIRST, MORE, PING, WHOLE, RawWebSocket, dial, frame, memory_of, push
from support.users import LoopThread, Person, extension
from workroom.testing.processes import ServerProcess, eventually

COUNT = 50
MB = 1_000_000
SLACK = 20 * MB  # that a server may grow by in any case


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """With the limits that every server has, and time enough to look at it."""
    with ServerProcess(tmp_path_factory.mktemp("target"), head_timeout=120, body_timeout=120) as server:
        yield server
        assert "Traceback" not in server.log


@pytest.fixture(scope="module")
def eve(target: ServerProcess, loop_thread: LoopThread) -> Iterator[Person]:
    person = Person(loop_thread, target.url, "eve")
    yield person
    person.close()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def head(path: str, *lines: str, method: str = "POST") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def half_a_head(wire: socket.socket) -> None:
    wire.sendall(b"GET / HTTP/1.1\r\n")
    push(wire, b"A: b\r\n", 32_000)


def half_a_body(wire: socket.socket) -> None:
    wire.sendall(head("/api/login", "Content-Type: application/json", "Transfer-Encoding: chunked"))
    push(wire, b"10000\r\n" + b" " * 65_536 + b"\r\n", 4 * MB)


def half_a_large_body(wire: socket.socket) -> None:
    wire.sendall(head("/api/login", "Content-Type: application/json", "Content-Length: 1000000"))
    push(wire, b" " * 65_536, 999_999)


def half_a_file(wire: socket.socket) -> None:
    wire.sendall(head("/api/rooms/lab/files?name=x", "Content-Length: 100000000"))
    push(wire, b" " * 65_536, 4 * MB)


def many_requests(wire: socket.socket) -> None:
    wire.settimeout(1)
    push(wire, head("/openapi.json", method="GET") * 1000, MB)


def a_large_answer(wire: socket.socket) -> None:
    wire.sendall(head("/openapi.json", method="GET") * 20)


@pytest.mark.parametrize(
    "attack", [half_a_head, half_a_body, half_a_large_body, half_a_file, many_requests, a_large_answer]
)
def test_a_stranger_holds_a_megabyte_by_http(
    target: ServerProcess, stack: ExitStack, attack: Callable[[socket.socket], None]
) -> None:
    before = memory_of(target)
    for _ in range(COUNT):
        attack(stack.enter_context(dial(target.url, receive_buffer=4096)))
    until_quiet(target)

    assert memory_of(target) - before < COUNT * MB


def half_a_frame(wire: RawWebSocket) -> None:
    wire.send(frame(WHOLE, b"40" + b"x" * 16_000, 16_384))


def half_a_huge_frame(wire: RawWebSocket) -> None:
    push(wire.wire, frame(WHOLE, b"40" + b"x" * 65_536, 17 * MB), 4 * MB)


def empty_fragments(wire: RawWebSocket) -> None:
    wire.send(frame(FIRST, b"40"))
    push(wire.wire, frame(MORE, b"") * 10_000, 2 * MB)


def early_messages(wire: RawWebSocket) -> None:
    push(wire.wire, frame(0x82, b"x") * 10_000, 2 * MB)


def pings(wire: RawWebSocket) -> None:
    push(wire.wire, frame(PING, b"x" * 125) * 1000, 3 * MB)


@pytest.mark.parametrize("attack", [half_a_frame, half_a_huge_frame, empty_fragments, early_messages, pings])
def test_a_stranger_holds_a_megabyte_by_socket(
    target: ServerProcess, stack: ExitStack, attack: Callable[[RawWebSocket], None]
) -> None:
    before = memory_of(target)
    for _ in range(COUNT):
        attack(stack.enter_context(RawWebSocket(target.url, receive_buffer=4096)))
    until_quiet(target)

    assert memory_of(target) - before < COUNT * MB


def until_quiet(server: ServerProcess) -> None:
    """What was sent is read: the server answers."""
    with dial(server.url) as wire:
        wire.sendall(head("/healthz", method="GET"))
        assert wire.recv(65_536).startswith(b"HTTP/1.1 200")


def connected(target: ServerProcess, stack: ExitStack, person: Person, **options: Any) -> RawWebSocket:
    wire = stack.enter_context(RawWebSocket(target.url, **options))
    assert str(wire.connect(person.token)).startswith("40")
    return wire


def test_a_guest_holds_twenty_megabytes_in_a_half_sent_frame(
    target: ServerProcess, stack: ExitStack, eve: Person
) -> None:
    before = memory_of(target)
    for _ in range(COUNT):
        wire = connected(target, stack, eve)
        wire.send(frame(WHOLE, b"42" + b"x" * (5 * MB - 3), 5 * MB))
    until_quiet(target)

    assert memory_of(target) - before < COUNT * 20 * MB


def test_forty_thousand_waits_do_not_outlive_their_socket(target: ServerProcess, eve: Person) -> None:
    eve.create_room("waits")
    eve.register(extension("waits"))
    job = eve.order("waits")
    before = memory_of(target)
    with ExitStack() as stack:
        wire = connected(target, stack, eve)
        for first in range(1, 40_001, 1000):
            waits = [
                f'42{first + n}["job:wait",{{"job_id":"{job["id"]}","seconds":20}}]' for n in range(1000)
            ]
            wire.send(b"".join(frame(WHOLE, wait.encode()) for wait in waits))
            assert wire.call(50_000 + first, "job:unwatch", {"job_id": "x"}) == {"job_id": "x"}
        assert memory_of(target) - before < 20 * MB + SLACK

        again = connected(target, stack, eve)
        wire.close()
        again.say(f'421["job:wait",{{"job_id":"{job["id"]}","seconds":20}}]')
        eve.delete(f"/api/jobs/{job['id']}")
        assert again.reply(1)["job"]["status"] == "cancelled"
    assert memory_of(target) - before < 20 * MB + SLACK


def test_watchers_that_never_read_hold_what_is_queued_and_no_more(
    target: ServerProcess, stack: ExitStack, eve: Person
) -> None:
    """By socket and by stream; each is closed, or is told less."""
    eve.create_room("loud")
    worker = eve.work(extension("loud"))
    item = begun(worker, eve)
    for _ in range(20):
        wire = connected(target, stack, eve, receive_buffer=4096)
        assert "room" in wire.call(1, "room:join", {"room": "loud"})
        assert "status" in wire.call(2, "job:watch", {"job_id": item["job_id"]})
        stream = stack.enter_context(dial(target.url, receive_buffer=4096))
        path = f"/api/jobs/{item['job_id']}/stream"
        stream.sendall(head(path, f"Authorization: Bearer {eve.token}", method="GET"))
        assert stream.recv(200).startswith(b"HTTP/1.1 200")
    before = memory_of(target)
    for number in range(400):
        worker.log(item, "x" * 9000 + str(number), first=number + 1)
        worker.progress(item, message="x" * 900)

    eventually(lambda: memory_of(target) - before < 20 * 20 * MB, 10)


def test_a_closed_socket_is_forgotten_at_once(target: ServerProcess, stack: ExitStack, eve: Person) -> None:
    def come_and_go(times: int) -> None:
        for _ in range(times):
            with RawWebSocket(target.url) as wire:
                assert str(wire.connect(eve.token)).startswith("40")
        until_quiet(target)

    come_and_go(100)
    before = memory_of(target)
    come_and_go(700)

    assert memory_of(target) - before < 10 * MB


def begun(worker: Any, person: Person) -> Any:
    person.order("loud")
    item = worker.take()
    assert worker.start(item) is None
    return item


def test_acting_on_many_large_jobs_at_once_reads_none_of_their_values(
    target: ServerProcess, eve: Person
) -> None:
    room = eve.create_room("large")
    eve.register(extension(room))
    jobs = [eve.order(room, data={"text": "x" * 990_000})["id"] for _ in range(60)]
    before = memory_of(target)

    def star(_: int) -> int:
        body = {"action": "star", "jobs": jobs}
        return eve.post(f"/api/rooms/{room}/jobs/actions", json=body).status_code

    with ThreadPoolExecutor(10) as pool:
        assert set(pool.map(star, range(10))) == {200}
    assert memory_of(target) - before < SLACK + 60 * MB


def test_lists_of_large_jobs_come_in_short_pages(target: ServerProcess, eve: Person) -> None:
    room = eve.create_room("lists")
    eve.register(extension(room))
    large = {"category": "analysis", "name": "Echo", "data": {"text": "x" * 990_000}}
    body = {"jobs": [large], "open": True}
    group = eve.post(f"/api/rooms/{room}/groups", json=body).json()["group"]["id"]
    for _ in range(39):
        assert eve.post(f"/api/groups/{group}/jobs", json=body).status_code == 202
    before = memory_of(target)

    listed = pages(eve, f"/api/rooms/{room}/jobs")
    assert len({job["id"] for page in listed for job in page["items"]}) == 40
    assert [len(page["items"]) for page in pages(eve, f"/api/groups/{group}/jobs")] == [17, 17, 6]
    assert [len(page["items"]) for page in pages(eve, f"/api/users/{eve.user}/jobs")][:2] == [17, 17]
    for job in [job for page in listed for job in page["items"]]:
        eve.delete(f"/api/jobs/{job['id']}")
    ended = [eve.get(f"/api/groups/{group}/ended", params={"limit": 500, "after": n}).json() for n in (0, 20)]
    assert [(len(each["items"]), each["next_after"]) for each in ended] == [(20, 20), (20, 40)]
    assert eve.get("/api/task", params={"workflow_run_id": room, "limit": 500}).json() == {"items": []}
    assert memory_of(target) - before < SLACK + 100 * MB


def pages(person: Person, path: str) -> list[Any]:
    """Every page of a list, each as long as it may be."""
    found = [person.get(path, params={"limit": 500}).json()]
    while found[-1]["next_cursor"] is not None:
        cursor = found[-1]["next_cursor"]
        found.append(person.get(path, params={"limit": 500, "cursor": cursor}).json())
    return found
