"""HTTP over a plain socket: every response is complete and in the order of its request."""

from __future__ import annotations

import socket
from http.client import HTTPResponse
from io import BufferedReader
from urllib.parse import urlsplit

import orjson
import pytest

from support.users import Person, extension


def connected(person: Person) -> socket.socket:
    address = urlsplit(person.url)
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=10)


def request(method: str, path: str, person: Person, body: bytes = b"", *headers: str) -> bytes:
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {person.token}", *headers]
    if body:
        head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def read_response(sock: socket.socket, method: str = "GET") -> tuple[int, bytes]:
    response = HTTPResponse(sock, method=method)
    response.begin()
    return response.status, response.read()


def test_a_head_request_gets_a_response_and_the_connection_stays_open(ada: Person) -> None:
    with connected(ada) as sock:
        sock.sendall(request("HEAD", "/healthz", ada))
        assert read_response(sock, "HEAD") == (405, b"")

        sock.sendall(request("GET", "/healthz", ada))
        assert read_response(sock)[0] == 200


@pytest.mark.parametrize("count", [2, 5])
def test_pipelined_requests_get_their_responses_in_order(ada: Person, room: str, count: int) -> None:
    ada.register(extension(room))
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    bodies = [orjson.dumps({"data": {"n": n}}) for n in range(count)]
    with connected(ada) as sock, sock.makefile("rb") as stream:
        sock.sendall(b"".join(request("POST", path, ada, body) for body in bodies))
        found = [_next_body(stream) for _ in bodies]

    assert [orjson.loads(body)["data"] for body in found] == [{"n": n} for n in range(count)]


def test_the_response_is_complete_before_the_connection_closes(ada: Person, room: str) -> None:
    with connected(ada) as sock, sock.makefile("rb") as stream:
        sock.sendall(request("GET", "/api/rooms", ada, b"", "Connection: close"))
        whole = stream.read()

    head, _, body = whole.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert orjson.loads(body)


def test_the_response_of_a_submit_is_complete_before_the_connection_closes(ada: Person, room: str) -> None:
    ada.register(extension(room))
    path = f"/api/rooms/{room}/extensions/analysis/Echo/submit"
    with connected(ada) as sock, sock.makefile("rb") as stream:
        sock.sendall(request("POST", path, ada, b'{"data": {"n": 1}}', "Connection: close"))
        head, _, body = stream.read().partition(b"\r\n\r\n")

    assert b"connection: close" in head
    assert orjson.loads(body)["data"] == {"n": 1}


def test_a_path_too_long_for_the_submit_endpoint_is_refused_by_the_route(ada: Person, room: str) -> None:
    response = ada.post(f"/api/rooms/{room}/extensions/analysis/{'x' * 9000}/submit", json={"data": {}})

    assert response.status_code == 404
    assert response.json()["code"] == "extension_not_found"


def _next_body(stream: BufferedReader) -> bytes:
    """The body of the next response."""
    length = 0
    assert stream.readline().startswith(b"HTTP/1.1 202")
    while (line := stream.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return stream.read(length)
