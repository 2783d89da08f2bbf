"""Large bodies over a plain socket: received whole, however they arrive, and nothing beyond them."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from urllib.parse import urlsplit

import orjson
import pytest

from support.frame_messages import RoomFrames, name_of, numbered
from support.users import Person

PIECE = numbered(*range(20), atoms=2000)  # about 1 MB
PARTS = {"at once": len(PIECE), "in parts": 40_000, "but for its last byte": len(PIECE) - 1}


@pytest.fixture
def sock(ada: Person) -> Iterator[socket.socket]:
    address = urlsplit(ada.url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=10) as opened:
        yield opened


def head(frames: RoomFrames, *headers: str) -> bytes:
    lines = [f"POST {frames.path}/pieces HTTP/1.1", "Host: 127.0.0.1", *headers]
    lines.append(f"Authorization: Bearer {frames.person.token}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def length(content: bytes) -> str:
    return f"Content-Length: {len(content)}"


def read_response(sock: socket.socket) -> tuple[int, bytes]:
    response = HTTPResponse(sock)
    response.begin()
    return response.status, response.read()


def is_stored(frames: RoomFrames, content: bytes) -> bool:
    return frames.person.request("HEAD", f"{frames.path}/pieces/{name_of(content)}").status_code == 204


@pytest.mark.parametrize("arrival", PARTS)
def test_a_body_is_received_whole_however_it_arrives(
    sock: socket.socket, ada: Person, room: str, arrival: str
) -> None:
    frames = RoomFrames(ada, room)
    sock.sendall(head(frames, length(PIECE)))
    for start in range(0, len(PIECE), PARTS[arrival]):
        sock.sendall(PIECE[start : start + PARTS[arrival]])

    status, body = read_response(sock)

    assert (status, orjson.loads(body)["piece"]) == (201, name_of(PIECE))


def test_requests_behind_a_large_body_get_their_responses(
    sock: socket.socket, ada: Person, room: str
) -> None:
    frames = RoomFrames(ada, room)
    other = numbered(*range(20, 40), atoms=2000)
    sock.sendall(head(frames, length(PIECE)) + PIECE + head(frames, length(other)) + other)

    first, second = _read_two(sock)

    assert [orjson.loads(each)["piece"] for each in (first, second)] == [name_of(PIECE), name_of(other)]


def test_a_body_without_a_declared_length_is_received(sock: socket.socket, ada: Person, room: str) -> None:
    frames = RoomFrames(ada, room)
    sock.sendall(head(frames, "Transfer-Encoding: chunked"))
    sock.sendall(b"%x\r\n%b\r\n0\r\n\r\n" % (len(PIECE), PIECE))

    assert read_response(sock)[0] == 201
    assert is_stored(frames, PIECE)


def test_a_client_that_waits_for_100_continue_sends_its_body(
    sock: socket.socket, ada: Person, room: str
) -> None:
    frames = RoomFrames(ada, room)
    sock.sendall(head(frames, length(PIECE), "Expect: 100-continue"))
    assert sock.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
    sock.sendall(PIECE)

    assert read_response(sock)[0] == 201


def test_a_body_that_ends_early_leaves_nothing(sock: socket.socket, ada: Person, room: str) -> None:
    frames = RoomFrames(ada, room)
    sock.sendall(head(frames, length(PIECE)) + PIECE[: len(PIECE) // 2])
    sock.shutdown(socket.SHUT_WR)

    assert not sock.recv(4096).startswith(b"HTTP/1.1 2")
    assert not is_stored(frames, PIECE)
    assert frames.summary()["bytes"] == 0


def test_a_refused_body_leaves_the_connection_usable(sock: socket.socket, ada: Person, room: str) -> None:
    frames = RoomFrames(ada, room)
    for content, status in ((bytes(len(PIECE)), 422), (PIECE, 201)):
        sock.sendall(head(frames, length(content)) + content)
        assert read_response(sock)[0] == status


def _read_two(sock: socket.socket) -> list[bytes]:
    """The bodies of two responses on one connection."""
    bodies = []
    with sock.makefile("rb") as stream:
        for _ in range(2):
            size = 0
            assert stream.readline().startswith(b"HTTP/1.1 201")
            while (line := stream.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    size = int(line.partition(b":")[2])
            bodies.append(stream.read(size))
    return bodies
