"""Bad input: one clear problem each time, and nothing has changed."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from support.users import Document, Person, SocketWorker, extension, the_problem
from workroom.testing.processes import ServerProcess

STRICT: Document = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "additionalProperties": False,
}


@dataclass
class Scene:
    """A room with an open and a strict extension, a worker, and one running job."""

    room: str
    ada: Person
    root: Person
    worker: SocketWorker
    item: Document

    def state(self) -> Any:
        """Everything that a refused request must leave as it was."""
        return (
            self.ada.items(f"/api/rooms/{self.room}/jobs"),
            self.ada.items(f"/api/rooms/{self.room}/extensions"),
            self.ada.items(f"/api/rooms/{self.room}/workers"),
            self.ada.items(f"/api/jobs/{self.item['job_id']}/history"),
            self.ada.get(f"/api/rooms/{self.room}/extensions/analysis/Echo/data").json(),
            [room for room in self.ada.rooms() if room["name"].startswith(self.room)],
        )

    def send(
        self, content: bytes | Iterator[bytes], path: str | None = None, method: str = "POST", **headers: str
    ) -> httpx.Response:
        """Send bytes as they are; by default as a submit."""
        path = path or f"/api/rooms/{self.room}/extensions/analysis/Echo/submit"
        typed = {"Content-Type": "application/json", **headers}
        return self.ada.request(method, path, content=content, headers=typed)

    def register(self, content: bytes) -> httpx.Response:
        return self.send(content, "/api/workers/register")

    def report(self, content: bytes) -> httpx.Response:
        return self.send(content, f"/api/jobs/{self.item['job_id']}/status", "PUT")


@pytest.fixture
def scene(room: str, ada: Person, root: Person) -> Scene:
    worker = ada.work(extension(room), extension(room, "Strict", schema=STRICT))
    ada.order(room, data={"n": 1})
    item = worker.take()
    worker.start(item)
    return Scene(room, ada, root, worker, item)


def deep(levels: int, opening: bytes = b"[", closing: bytes = b"]", heart: bytes = b"") -> bytes:
    return opening * levels + heart + closing * levels


MALFORMED: dict[str, bytes] = {
    "cut off": b'{"data":',
    "two documents": b"{}{}",
    "single quotes": b"{'data': {}}",
    "not UTF-8": b'{"data":{"a":"\xff"}}',
    "NaN": b'{"data":{"a":NaN}}',
    "Infinity": b'{"data":{"a":-Infinity}}',
    "a number that overflows": b'{"data":{"a":1e999}}',
    "a hundred thousand lists": b'{"data":{"a":' + deep(100_000) + b"}}",
    "a hundred thousand objects": b'{"data":' + deep(100_000, b'{"a":', b"}", b"1") + b"}",
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_json_is_malformed(scene: Scene, content: bytes) -> None:
    before = scene.state()

    the_problem(scene.send(content), 400, "malformed_json")

    assert scene.state() == before


@pytest.mark.parametrize("levels", [250, 300, 600, 1000])
def test_nesting_is_either_kept_or_refused_but_never_breaks_the_server(scene: Scene, levels: int) -> None:
    before = scene.state()

    response = scene.send(b'{"data":{"a":' + deep(levels) + b"}}")

    if response.status_code == 202:
        assert scene.ada.job(response.json()["id"])["data"] == {"a": json.loads(deep(levels))}
    else:
        assert response.status_code in (400, 422), response.text
        assert scene.state() == before


@pytest.mark.parametrize(
    "content",
    [b'{"machine":{"a":%b},"extensions":[%b]}', b'{"extensions":[%b]}'],
    ids=["machine", "schema"],
)
def test_a_deep_registration_never_breaks_the_server(scene: Scene, content: bytes) -> None:
    named = f'"room":"{scene.room}","category":"analysis","name":"Deep"'.encode()
    if b"machine" in content:
        sent = content % (deep(300), b'{%b,"schema":{"type":"object"}}' % named)
    else:
        sent = content % (b'{%b,"schema":{"type":"object","default":%b}}' % (named, deep(300)))
    before = scene.state()

    response = scene.register(sent)

    assert response.status_code in (400, 422), response.text
    assert scene.state() == before


def test_a_deep_result_never_breaks_the_server(scene: Scene) -> None:
    named = {"worker_id": scene.worker.id, "attempt": 1, "token": scene.item["token"], "status": "completed"}
    before = scene.state()

    response = scene.report(json.dumps(named).encode()[:-1] + b',"result":' + deep(300) + b"}")

    assert response.status_code in (400, 422), response.text
    assert scene.state() == before


DEEP_BODIES = {
    "submit": ("POST", "rooms/{room}/extensions/analysis/Echo/submit", b'{"data":{"a":%b}}'),
    "batch": (
        "POST",
        "rooms/{room}/jobs/batch",
        b'{"jobs":[{"category":"analysis","name":"Echo","data":{"a":%b}}]}',
    ),
    "group": (
        "POST",
        "rooms/{room}/groups",
        b'{"jobs":[{"category":"analysis","name":"Echo","data":{"a":%b}}]}',
    ),
    "preset": ("PUT", "rooms/{room}/presets/analysis/Echo/room/deep", b'{"data":{"a":%b}}'),
    "document": ("PUT", "rooms/{room}/state/notes", b'{"a":%b}'),
    "record": ("PUT", "rooms/{room}/records/shots/s1", b'{"body":{"a":%b}}'),
}


@pytest.mark.parametrize("name", DEEP_BODIES)
def test_a_deep_body_is_refused_by_every_route(scene: Scene, name: str) -> None:
    method, path, content = DEEP_BODIES[name]
    path = f"/api/{path.replace('{room}', scene.room)}"

    response = scene.send(content % deep(300), path, method, **{"Idempotency-Key": f"deep {name}"})

    assert response.status_code in (400, 422), response.text
    assert response.json()["code"] != "not_found"


WRONG_FORM: dict[str, tuple[bytes, str]] = {
    "a list": (b"[]", "/"),
    "a text": (b'"data"', "/"),
    "null": (b"null", "/"),
    "no body": (b"", "/"),
    "an unknown field": (b'{"data":{},"worker":"x"}', "/worker"),
    "data that is a list": (b'{"data":[]}', "/data"),
    "data that is null": (b'{"data":null}', "/data"),
    "a priority that is a word": (b'{"data":{},"priority":"high"}', "/priority"),
    "a priority that is a list": (b'{"data":{},"priority":[1]}', "/priority"),
}


@pytest.mark.parametrize(("content", "path"), WRONG_FORM.values(), ids=WRONG_FORM)
def test_json_of_the_wrong_form_is_refused_with_its_path(scene: Scene, content: bytes, path: str) -> None:
    before = scene.state()

    problem = the_problem(scene.send(content), 422, "invalid_request")

    assert [fault["path"] for fault in problem["errors"]] == [path]
    assert scene.state() == before


REGISTRATIONS: dict[str, Document] = {
    "no extensions": {"extensions": []},
    "extensions missing": {"slots": 1},
    "no slots": {"slots": 0},
    "slots in words": {"slots": "many"},
    "an id that is too short": {"worker_id": "box"},
    "an unknown field": {"gpus": 8},
    "a machine that is a text": {"machine": "box"},
    "an extension that is a text": {"extensions": ["Echo"]},
    "a schema that is a list": {"extensions": [{**extension("r"), "schema": []}]},
    "a policy with an unknown field": {"extensions": [extension("r", policy={"colour": "red"})]},
    "a policy that asks too much": {"extensions": [extension("r", policy={"priority": 11})]},
}


@pytest.mark.parametrize("body", REGISTRATIONS.values(), ids=REGISTRATIONS)
def test_a_registration_of_the_wrong_form_is_refused(scene: Scene, body: Document) -> None:
    before = scene.state()
    extensions = {} if body == {"slots": 1} else {"extensions": [extension(scene.room, "New")]}

    response = scene.ada.post("/api/workers/register", json={**extensions, **body})

    assert the_problem(response, 422, "invalid_request")["errors"]
    assert scene.state() == before


def test_a_huge_number_of_faults_makes_a_small_answer(scene: Scene) -> None:
    keys = ",".join(f'"key{number}":1' for number in range(60_000))
    before = scene.state()

    response = scene.send(
        f'{{"data":{{{keys}}}}}'.encode(), f"/api/rooms/{scene.room}/extensions/analysis/Strict/submit"
    )

    the_problem(response, 422, "invalid_data")
    assert len(response.content) < 20_000
    assert scene.state() == before


def test_a_huge_number_of_keys_is_kept_if_the_schema_allows_them(scene: Scene) -> None:
    data = {f"key{number}": number for number in range(60_000)}

    job = scene.ada.order(scene.room, data=data)

    assert scene.ada.job(job["id"])["data"] == data


def chunks(megabytes: int) -> Iterator[bytes]:
    yield b'{"data":{"a":"'
    for _ in range(megabytes * 10):
        yield b"x" * 100_000
    yield b'"}}'


@pytest.mark.parametrize(
    "content",
    [lambda: b"".join(chunks(3)), lambda: chunks(3)],
    ids=["declared", "in chunks"],
)
def test_a_body_that_is_too_large_is_refused(
    scene: Scene, content: Callable[[], bytes | Iterator[bytes]]
) -> None:
    before = scene.state()

    the_problem(scene.send(content()), 413, "body_too_large")

    assert scene.state() == before


def raw(server: ServerProcess, sent: bytes, *, hang_up: bool = False) -> bytes:
    """Speak HTTP by hand; what the server says until it hangs up."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(sent)
        if hang_up:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while received := connection.recv(65536):
            answer += received
    return answer


def head(scene: Scene, length: int) -> bytes:
    return (
        f"POST /api/rooms/{scene.room}/extensions/analysis/Echo/submit HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {scene.ada.token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\nConnection: close\r\n\r\n"
    ).encode()


def test_a_declared_length_is_refused_before_the_body_comes(scene: Scene, server: ServerProcess) -> None:
    answer = raw(server, head(scene, 50_000_000) + b'{"data":')

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"body_too_large"' in answer


def test_a_body_shorter_than_declared_is_no_job(scene: Scene, server: ServerProcess) -> None:
    before = scene.state()

    raw(server, head(scene, 1000) + b'{"data":{}}', hang_up=True)

    assert scene.state() == before


def test_a_body_longer_than_declared_is_truncated_and_malformed(scene: Scene, server: ServerProcess) -> None:
    before = scene.state()

    answer = raw(server, head(scene, 20) + b'{"data":{"a":"' + b"x" * 1000 + b'"}}')

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code":"malformed_json"' in answer
    assert scene.state() == before


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/api/jobs/x/y", "/api/rooms/a/b/c", "/metrics2"])
def test_an_unknown_address_is_not_found(ada: Person, path: str) -> None:
    the_problem(ada.get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/api/rooms"), ("POST", "/api/users/me"), ("PUT", "/api/jobs/x"), ("GET", "/api/login")],
)
def test_a_wrong_method_is_refused(ada: Person, method: str, path: str) -> None:
    the_problem(ada.request(method, path), 405, "method_not_allowed")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_job_is_not_found(ada: Person, method: str) -> None:
    the_problem(ada.request(method, "/api/jobs/0198-nothing"), 404, "job_not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/rooms"),
        ("POST", "/api/rooms/x/extensions/analysis/Nap/submit"),
        ("POST", "/api/workers/register"),
        ("PUT", "/api/jobs/x/status"),
        ("DELETE", "/api/jobs/x"),
    ],
)
def test_without_a_token_nothing_is_done(anyone: httpx.Client, method: str, path: str) -> None:
    the_problem(anyone.request(method, path, json={}), 401, "unauthenticated")


def test_an_internal_error_reveals_nothing_internal(scene: Scene) -> None:
    """Whatever of the above still breaks must not show a trace to who asked."""
    response = scene.send(b'{"data":{"a":' + deep(300) + b"}}")

    assert "Traceback" not in response.text
    assert ".py" not in response.text
