"""Requests that are almost right: each is refused, and the answer says what is wrong."""

from __future__ import annotations

import re
import socket
import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest

from support.frame_messages import encode
from support.stream_readers import Listener
from support.users import (
    Document,
    LoopThread,
    Person,
    SocketWorker,
    extension,
    fence,
    plain_http,
    the_problem,
)
from workroom import Extension, Room
from workroom.server.app import rest
from workroom.settings import Settings
from workroom.testing.processes import ServerProcess, eventually
from workroom.testing.valkey import Valkey

FORM = {"type": "object", "properties": {"provider": {"type": "string"}, "sizes": {"type": "array"}}}


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("{provider", "braces do not match"),
        ("{providr}", "did you mean 'provider'?"),
        ("{provider}/{size.x}", "no field 'size.x'"),
        ("{sizes}", "'sizes' is a list"),
        ("", "empty"),
    ],
)
def test_a_mistyped_concurrency_template_is_refused_at_registration(
    ada: Person, room: str, key: str, why: str
) -> None:
    policy = {"concurrency": {"key": key}}
    problem = the_problem(ada.register(extension(room, schema=FORM, policy=policy)), 422, "invalid_request")

    assert why in problem["detail"]
    policy = {"concurrency": {"key": "{provider}"}}
    assert ada.register(extension(room, schema=FORM, policy=policy)).status_code == 201


def test_an_actor_in_a_room_is_refused_with_the_reason(ada: Person, root: Person, room: str) -> None:
    policy: dict[str, Any] = {"actor": f"painter-{room}"}
    problem = the_problem(ada.register(extension(room, "Paint", policy=policy)), 422, "invalid_request")

    assert "register it as public" in problem["detail"]
    assert root.register(extension(None, f"Paint-{room}", policy=policy)).status_code == 201


ROUTES = [
    (method, path) for path, methods in rest(Settings()).openapi()["paths"].items() for method in methods
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_query_parameter_that_no_route_knows_is_refused_everywhere(
    root: Person, room: str, method: str, path: str
) -> None:
    filled = re.sub(r"\{\w+\}", room, path)
    answer = root.request(method, filled, params={"no_such_parameter": "1"})

    problem = the_problem(answer, 422, "invalid_request")
    assert problem["errors"] == [
        {"path": "/query/no_such_parameter", "message": "is not a parameter of this route"}
    ]


def test_a_mistyped_query_parameter_is_answered_with_the_right_one(
    ada: Person, root: Person, room: str
) -> None:
    for path, wrong, right in (
        (f"/api/rooms/{room}/jobs", "state", "status"),
        ("/api/task", "workflow_run", "workflow_run_id"),
        (f"/api/rooms/{room}/stream", "last_event", "last_event_id"),
    ):
        problem = the_problem(ada.get(path, params={wrong: "x"}), 422, "invalid_request")
        assert f"did you mean '{right}'?" in problem["detail"]


def test_a_query_parameter_that_is_given_twice_is_refused(root: Person, room: str) -> None:
    for query in ("room=a&room=b", "room=a&roomId=b", "roomId=a&roomId=b"):
        problem = the_problem(root.get(f"/api/jobs?{query}"), 422, "invalid_request")
        assert "more than once" in problem["detail"]


def test_room_id_is_understood_as_room(ada: Person, root: Person, room: str) -> None:
    ada.work(extension(room))
    job = ada.order(room)

    for name in ("room", "roomId"):
        assert [each["id"] for each in root.items("/api/jobs", **{name: room})] == [job["id"]]
        assert root.items("/api/jobs", **{name: f"not-{room}"}) == []


def test_the_words_of_a_task_queue_are_understood_as_filters(ada: Person, room: str) -> None:
    hand = ada.work(extension(room), slots=2)
    done, begun = ada.order(room)["id"], ada.order(room)["id"]
    taken = {item["job_id"]: item for item in (hand.take(), hand.take())}
    hand.run(taken[done])
    assert hand.start(taken[begun]) is None
    assigned, pending = ada.order(room)["id"], ada.order(room)["id"]
    hand.take()
    eventually(lambda: ada.items(f"/api/rooms/{room}/jobs", status="assigned"))

    def found(word: str) -> list[str]:
        return [each["id"] for each in ada.items(f"/api/rooms/{room}/jobs", status=word)]

    assert found("queued") == found("submitted") == [pending, assigned]
    assert found("processing") == found("running") == [begun]
    assert found("finished") == found("completed") == [done]
    the_problem(ada.get(f"/api/rooms/{room}/jobs", params={"status": "ready"}), 422, "invalid_request")


def test_a_number_is_no_boolean_and_a_boolean_no_number(ada: Person, room: str) -> None:
    hand = ada.work(extension(room))
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    value: Any
    for value in (False, True, "1", 1.5, [], {}):
        the_problem(ada.post(path, json={"data": {}, "priority": value}), 422, "invalid_request")
        batch = {"jobs": [{"category": "analysis", "name": "Echo", "priority": value}]}
        the_problem(ada.post(f"/api/rooms/{room}/jobs/batch", json=batch), 422, "invalid_request")
        the_problem(ada.post("/api/task", json={"actor": "a", "priority": value}), 422, "invalid_request")
    for value in (0, 1, "true", "no", None, []):
        body = {"name": f"{room}-private", "private": value}
        the_problem(ada.post("/api/rooms", json=body), 422, "invalid_request")
    ada.order(room)
    item = hand.take()
    for attempt in ("1", True, 1.5, None):
        wrong = {**item, "attempt": attempt}
        the_problem(hand.put_status(wrong, "running"), 422, "invalid_request")
        the_problem(hand.put_progress(wrong, fraction=0.5), 422, "invalid_request")
        the_problem(hand.post_logs(wrong, "hello"), 422, "invalid_request")


@pytest.mark.parametrize(
    "origin", ["http://[::1", "http://]", "http://[", "://", "http://[::1]extra:99999999"]
)
def test_an_origin_that_is_no_address_is_a_foreign_one(ada: Person, origin: str) -> None:
    answer = ada.post("/api/stream-ticket", headers={"Origin": origin})

    the_problem(answer, 403, "foreign_origin")


def test_a_method_that_an_address_does_not_take_is_answered_with_those_it_does(
    ada: Person, room: str
) -> None:
    for method, path, allowed in (
        ("PUT", f"/api/rooms/{room}", {"GET", "PATCH", "DELETE"}),
        ("DELETE", "/api/login", {"POST"}),
        ("PATCH", "/api/task", {"GET", "POST"}),
        ("POST", "/healthz", {"GET"}),
        ("POST", "/", {"GET", "HEAD"}),
    ):
        answer = ada.request(method, path)
        assert the_problem(answer, 405, "method_not_allowed")["allow"] == sorted(allowed)
        assert set(answer.headers["allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "kind",
    ["image/svg+xml", "image/x+xml", "image/vnd.foo+xml", "video/x.y+xml", "audio/xml", "chemical/a+xml"],
)
def test_markup_that_calls_itself_an_image_is_not_shown_in_the_page(
    ada: Person, room: str, kind: str
) -> None:
    ada.post("/api/rooms", json={"name": room})
    content = b"<x xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></x>"
    headers = {"Content-Type": kind}
    kept = ada.post(f"/api/rooms/{room}/files", params={"name": "a.bin"}, content=content, headers=headers)
    shown = ada.get(f"/api/rooms/{room}/files/{kept.json()['id']}", params={"inline": "1"})

    assert kept.status_code == 201
    assert shown.headers["content-type"] == "application/octet-stream"
    assert shown.headers["content-disposition"].startswith("attachment")


WRONG: list[Any] = [None, True, 1, 1.5, "x", [], {}, [{}], [None], [1], {"a": 1}, {"a": None}]
INTERNAL = re.compile(
    r"NoneType|[Dd]ictionary|[Ii]nstance|[Pp]ydantic|orjson|jsonschema|Traceback|<\w+\.|\w+(Body|Event|Report|Model)\b"
    r"|\b(dict|str|tuple|bytes|KeyError|ValueError|TypeError)\b"
)


def _bodies() -> list[tuple[str, str, list[str]]]:
    document = rest(Settings()).openapi()
    found = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None and "$ref" in content["schema"]:
                name = content["schema"]["$ref"].rpartition("/")[2]
                found.append((method, path, list(document["components"]["schemas"][name]["properties"])))
    return found


@pytest.mark.parametrize(("method", "path", "fields"), _bodies())
def test_no_answer_names_what_is_inside_the_server(
    root: Person, room: str, method: str, path: str, fields: list[str]
) -> None:
    filled = re.sub(r"\{\w+\}", room, path)
    for wrong in WRONG:
        for body in (wrong, dict.fromkeys(fields, wrong), {fields[0]: wrong, "k" * 100_000: wrong}):
            answer = root.request(method, filled, json=body)
            assert answer.status_code < 500
            assert len(answer.content) < 20_000
            if answer.status_code == 422:
                assert not INTERNAL.search(answer.text), answer.text


def test_the_data_directory_is_its_owners_alone(tmp_path: Path) -> None:
    for name, mode in (("new", None), ("wide", 0o755)):
        data_dir = tmp_path / name
        if mode is not None:
            data_dir.mkdir(mode=mode)
        with ServerProcess(data_dir):
            assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
            assert stat.S_IMODE((data_dir / "signing.key").stat().st_mode) == 0o600


def _garbage(url: str, content: bytes) -> None:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 20) as wire:
        wire.sendall(content)
        wire.recv(1000)


def test_the_noise_of_strangers_does_not_fill_the_log(tmp_path: Path) -> None:
    upgrade = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
    with ServerProcess(tmp_path / "data") as server, plain_http(server.url) as stranger:
        for _ in range(100):
            _garbage(server.url, b"garbage\r\n\r\n")
            _garbage(server.url, upgrade)
            assert stranger.get("/api/rooms").status_code == 401
            assert stranger.get("/socket.io/?EIO=4&transport=polling").status_code == 400
        log = server.log

    assert log.count("Invalid HTTP request received.") <= 1
    assert len(log.splitlines()) < 10, log


def batch_of(*numbers: int) -> dict[str, Any]:
    return {"jobs": [{"category": "analysis", "name": "Echo", "data": {"n": number}} for number in numbers]}


def test_a_batch_that_is_sent_again_is_the_same_jobs(ada: Person, bob: Person, room: str) -> None:
    ada.register(extension(room))
    path, key = f"/api/rooms/{room}/jobs/batch", {"Idempotency-Key": f"key of {room}"}
    first = ada.post(path, json=batch_of(1, 2, 3), headers=key)
    again = ada.post(path, json=batch_of(1, 2, 3), headers=key)

    ids = [entry["job"]["id"] for entry in first.json()["items"]]
    assert [entry["job"]["id"] for entry in again.json()["items"]] == ids
    assert len(set(ids)) == len(ada.items(f"/api/rooms/{room}/jobs")) == 3
    assert bob.post(path, json=batch_of(1), headers=key).status_code == 202
    assert ada.post(path, json=batch_of(1)).status_code == 202
    assert len(ada.items(f"/api/rooms/{room}/jobs")) == 5


def test_a_batch_with_a_known_key_and_another_body_is_refused_whole(ada: Person, room: str) -> None:
    ada.register(extension(room))
    path, key = f"/api/rooms/{room}/jobs/batch", {"Idempotency-Key": f"key of {room}"}
    ada.post(path, json=batch_of(1, 2), headers=key)

    for other in (batch_of(1), batch_of(2, 1), batch_of(1, 2, 3)):
        the_problem(ada.post(path, json=other, headers=key), 422, "idempotency_conflict")
    assert len(ada.items(f"/api/rooms/{room}/jobs")) == 2


def test_a_task_that_is_sent_again_is_the_same_task(ada: Person, root: Person, room: str) -> None:
    actor = f"singer-{room}"
    root.register(extension(None, f"Sing-{room}", policy={"actor": actor}))
    key = {"Idempotency-Key": f"key of {room}"}
    body = {"actor": actor, "payload": {"workflow_run_id": room}}
    first, again = (ada.post("/api/task", json=body, headers=key) for _ in range(2))

    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json()["task_id"] == again.json()["task_id"]
    assert len(ada.items("/api/task", workflow_run_id=room)) == 1
    other = {**body, "priority": 0}
    the_problem(ada.post("/api/task", json=other, headers=key), 422, "idempotency_conflict")


class Numbered(Extension, category="analysis"):
    n: int

    def run(self) -> None:
        """Nobody does."""


def test_many_jobs_are_submitted_exactly_once_over_kills_of_the_server(tmp_path: Path) -> None:
    batches, size = 40, 250
    with ServerProcess(tmp_path / "data") as server, Room("demo", server.url, user="ada") as room:
        room.register(Numbered)
        room.jobs()
        with ThreadPoolExecutor(4) as threads:
            numbers = [range(first * size, (first + 1) * size) for first in range(batches)]
            waiting = [
                threads.submit(room.submit_many, [Numbered(n=n) for n in part], priority=0)
                for part in numbers
            ]
            for done in (4, 12, 20, 28):
                eventually(lambda: sum(each.done() for each in waiting) >= done, 60)  # noqa: B023
                server.kill()
                server.restart()
            handles = [handle for each in waiting for handle in each.result(120)]
    with sqlite3.connect(tmp_path / "data" / "workroom.db") as database:
        found = database.execute("SELECT id, data FROM jobs").fetchall()

    assert {handle.id for handle in handles} == {job_id for job_id, _ in found}
    assert sorted(orjson.loads(data)["n"] for _, data in found) == list(range(batches * size))


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize("store", ["sqlite", "redis"])
def test_a_timeout_of_a_second_fires_at_its_time(
    tmp_path: Path, loop_thread: LoopThread, valkey: Valkey, store: str
) -> None:
    more = {"store": valkey.url} if store == "redis" else {}
    with ServerProcess(tmp_path / "data", sweep=1, **more) as server, ExitStack() as stack:
        ada = Person(loop_thread, server.url, "ada")
        stack.callback(ada.close)
        ada.post("/api/rooms", json={"name": "demo"})
        hand = ada.work(extension("demo", policy={"timeout": 1}), slots=5)
        late = [_seconds_late(ada, hand) for _ in range(5)]

    assert min(late) >= 0
    assert sorted(late)[2] < 0.2, late


def _seconds_late(ada: Person, hand: SocketWorker) -> float:
    """How long after its timeout a job ends."""
    ada.order("demo")
    item = hand.take()
    assert hand.start(item) is None
    job = eventually(lambda: _ended(ada.job(item["job_id"])), 20)
    started, ended = (datetime.fromisoformat(job[at]) for at in ("started_at", "completed_at"))
    return (ended - started).total_seconds() - 1


def _ended(job: Document) -> Document | None:
    return job if job["status"] == "failed" else None


class Streamed:
    """Every event of a stream must be one that OpenAPI describes, with no field besides."""

    def __init__(self, person: Person, path: str, operation: str, last_id: str = "") -> None:
        document = rest(Settings()).openapi()
        (found,) = [
            each["get"]["responses"]["200"]["content"]["text/event-stream"]["x-events"]
            for each in document["paths"].values()
            if each.get("get", {}).get("operationId") == operation
        ]
        schemas = {
            name: {"additionalProperties": False, **schema} if "properties" in schema else schema
            for name, schema in document["components"]["schemas"].items()
        }
        self.ear = Listener(person.url, path, person.token, last_id)
        self._schemas = {
            name: jsonschema_rs.Draft202012Validator({**schema, "components": {"schemas": schemas}})
            for name, schema in found.items()
        }

    def names(self) -> set[str]:
        heard = list(self.ear.heard)
        for event in heard:
            self._schemas[event.event].validate(event.json())
        return {event.event for event in heard}

    def missing(self) -> set[str]:
        return self._schemas.keys() - self.names()


def test_streams_match_openapi(ada: Person, bob: Person, room: str) -> None:
    here = Streamed(bob, f"/api/rooms/{room}/stream", "stream_room", last_id="0.1.1")
    again = Streamed(bob, f"/api/rooms/{room}/stream", "stream_room")
    again.ear.expect("open")
    hand = ada.work(extension(room))
    job = ada.order(room)["id"]
    told = Streamed(ada, f"/api/jobs/{job}/stream", "stream_job", last_id="0.1.1")
    item = hand.take()
    assert hand.start(item) is None
    hand.progress(item, fraction=0.5, current=1, total=2, message="half")
    hand.log(item, "hello")
    hand.show(item, "png", b"pixels")
    hand.save(item, "a.txt", b"1")
    hand.ask(item)
    hand.call("job:suspend", [{**fence(item), "waits": {"code": "answer", "of": "1"}}])
    ada.post(f"/api/jobs/{job}/questions/1/answer", json={"answer": {}})
    eventually(lambda: {"question", "answer", "suspended"} <= told.names())
    ada.post(f"/api/rooms/{room}/groups", json={"jobs": [{"category": "analysis", "name": "Echo"}]})
    ada.request("PATCH", f"/api/jobs/{job}", json={"starred": True})
    hand.finish(item, "failed", error={"type": "Oops", "message": "no"})
    ada.post(f"/api/rooms/{room}/chat", json={"text": "hello"})
    ada.post(f"/api/rooms/{room}/files", params={"name": "a.txt"}, content=b"1")
    ada.request("PUT", f"/api/rooms/{room}/presets/analysis/Echo/room/wide", json={"data": {}})
    ada.request("PUT", f"/api/rooms/{room}/state/notes", json={"a": 1})
    ada.post(f"/api/rooms/{room}/locks/notes", json={"token": "a-token-that-nobody-knows"})
    ada.post(f"/api/rooms/{room}/frames", params={"op": "append"}, content=encode(1, value={"a": 1}))
    ada.request("PUT", f"/api/rooms/{room}/records/shots/one", json={"body": {}})
    ada.listen(room)
    ada.request("PATCH", f"/api/rooms/{room}", json={"title": "another"})
    eventually(lambda: {"room", "presence"} <= here.names() & again.names())
    ada.request("PATCH", f"/api/rooms/{room}", json={"private": True})

    eventually(lambda: told.ear.is_over)
    assert told.missing() == {"closed"}
    eventually(lambda: not here.missing() - {"open"})
    eventually(lambda: not again.missing() - {"reset"})


def test_streams_of_tasks_match_openapi(ada: Person, root: Person, room: str) -> None:
    actor = f"dancer-{room}"
    hand = root.work(extension(None, f"Dance-{room}", policy={"actor": actor, "retries": 1}), slots=2)
    heard: set[str] = set()
    for status in ("completed", "failed"):
        task = ada.task(room, actor).json()["task_id"]
        told = Streamed(ada, f"/api/task/{task}/stream", "stream_task", last_id="0.1.1")
        item = hand.take()
        assert hand.start(item) is None
        hand.progress(item, fraction=0.5)
        hand.finish(item, status)
        eventually(lambda: told.ear.is_over)  # noqa: B023
        heard |= told.names()
    assert heard == {"progress", "complete", "error", "reset"}
