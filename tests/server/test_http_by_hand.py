"""HTTP, by hand: whatever is asked in whatever way, every answer comes whole and in its order."""

from __future__ import annotations

import socket
from http.client import HTTPResponse
from urllib.parse import urlsplit

import orjson
import pytest
from people import Person, extension


def connected(person: Person) -> socket.socket:
    address = urlsplit(person.url)
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=10)


def request(method: str, path: str, person: Person, body: bytes = b"", *more: str) -> bytes:
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {person.token}", *more]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def answer(line: socket.socket, method: str = "GET") -> tuple[int, bytes]:
    response = HTTPResponse(line, method=method)
    response.begin()
    return response.status, response.read()


def test_a_head_alone_is_answered_and_the_connection_goes_on(ada: Person) -> None:
    with connected(ada) as line:
        line.sendall(request("HEAD", "/healthz", ada))
        assert answer(line, "HEAD") == (405, b"")

        line.sendall(request("GET", "/healthz", ada))
        assert answer(line)[0] == 200


@pytest.mark.parametrize("count", [2, 5])
def test_requests_that_do_not_wait_for_answers_are_answered_in_their_order(
    ada: Person, room: str, count: int
) -> None:
    ada.register(extension(room))
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    bodies = [orjson.dumps({"data": {"n": n}}) for n in range(count)]
    with connected(ada) as line, line.makefile("rb") as heard:
        line.sendall(b"".join(request("POST", path, ada, body) for body in bodies))
        found = [_next(heard) for _ in bodies]

    assert [orjson.loads(body)["data"] for body in found] == [{"n": n} for n in range(count)]


def test_who_asks_to_hang_up_has_the_whole_answer_first(ada: Person, room: str) -> None:
    with connected(ada) as line, line.makefile("rb") as heard:
        line.sendall(request("GET", "/api/rooms", ada, b"", "Connection: close"))
        whole = heard.read()

    head, _, body = whole.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert orjson.loads(body)


def test_who_submits_and_asks_to_hang_up_has_the_whole_answer_first(ada: Person, room: str) -> None:
    ada.register(extension(room))
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    with connected(ada) as line, line.makefile("rb") as heard:
        line.sendall(request("POST", path, ada, b'{"data": {"n": 1}}', "Connection: close"))
        head, _, body = heard.read().partition(b"\r\n\r\n")

    assert b"connection: close" in head
    assert orjson.loads(body)["data"] == {"n": 1}


def test_a_path_that_is_too_long_for_the_short_way_is_refused_by_the_long_one(ada: Person, room: str) -> None:
    answered = ada.post(f"/api/rooms/{room}/extensions/analysis/{'x' * 9000}/submit", json={"data": {}})

    assert answered.status_code == 404
    assert answered.json()["code"] == "extension_not_found"


def _next(heard: socket.SocketIO) -> bytes:
    """The body of the next of several answers."""
    length = 0
    assert heard.readline().startswith(b"HTTP/1.1 202")
    while (line := heard.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return heard.read(length)
