"""Requests that never end, and connections that do nothing: refused before they are read, closed in time."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from typing import Any

import orjson
import pytest

from support.raw_connections import RawWebSocket, code, dial, frame, push, rest, status, until_gone
from support.users import LoopThread, Person, extension, plain_http, the_problem
from workroom.testing.processes import ServerProcess

MAX_HEAD, MAX_HEADERS, MAX_PARTS = 4096, 20, 5000
MB = 1_000_000
BINARY, CLOSE = 0x82, 0x88


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose limits are met soon."""
    limits = {
        "head_timeout": 1,
        "body_timeout": 1,
        "idle_timeout": 1,
        "stall": 2,
        "max_head": MAX_HEAD,
        "max_headers": MAX_HEADERS,
        "max_json_parts": MAX_PARTS,
    }
    with ServerProcess(tmp_path_factory.mktemp("strict"), **limits) as server:
        yield server


@pytest.fixture(scope="module")
def eve(strict: ServerProcess, loop_thread: LoopThread) -> Iterator[Person]:
    person = Person(loop_thread, strict.url, "eve")
    yield person
    person.close()


@pytest.fixture
def wire(strict: ServerProcess) -> Iterator[socket.socket]:
    with dial(strict.url) as wire:
        yield wire


def head(method: str = "GET", path: str = "/healthz", *lines: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def first_status(wire: socket.socket) -> int:
    """Read one whole response; its status."""
    response = HTTPResponse(wire)
    response.begin()
    response.read()
    return response.status


def padded(size: int) -> bytes:
    """A head of exactly so many bytes."""
    short = head("GET", "/healthz", "Connection: close", "X-Pad: ")
    return short.replace(b"X-Pad: ", b"X-Pad: " + b"x" * (size - len(short)))


@pytest.mark.parametrize(("size", "expected"), [(MAX_HEAD, 200), (MAX_HEAD + 1, 431)])
def test_a_head_may_be_as_long_as_the_limit(wire: socket.socket, size: int, expected: int) -> None:
    wire.sendall(padded(size))

    assert status(rest(wire)) == expected


@pytest.mark.parametrize(("count", "expected"), [(MAX_HEADERS, 200), (MAX_HEADERS + 1, 431)])
def test_a_request_may_have_as_many_headers_as_the_limit(
    wire: socket.socket, count: int, expected: int
) -> None:
    wire.sendall(head("GET", "/healthz", "Connection: close", *["X: y"] * (count - 2)))

    assert status(rest(wire)) == expected


@pytest.mark.parametrize(
    "endless",
    [b"GET /" + b"x" * 65_536, b"X-More: " + b"y" * 1000 + b"\r\n", b"z" * 65_536, b"A: b\r\n" * 1000],
    ids=["line", "headers", "name", "many"],
)
def test_two_hundred_megabytes_of_headers_are_not_read(wire: socket.socket, endless: bytes) -> None:
    wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    sent = push(wire, endless, 200 * MB)

    assert sent < 20 * MB
    assert status(rest(wire)) in (400, 431)


def test_a_refused_header_names_the_limit(wire: socket.socket) -> None:
    wire.sendall(padded(MAX_HEAD + 1))
    answer = rest(wire)

    assert code(answer) == "head_too_large"
    assert str(MAX_HEAD).encode() in answer


@pytest.mark.parametrize(
    "endless", [b"1;" + b"x" * 60_000, b";x" * 30_000], ids=["one chunk", "many extensions"]
)
def test_endless_chunk_extensions_are_not_read(wire: socket.socket, eve: Person, endless: bytes) -> None:
    wire.sendall(head("POST", "/api/login", "Transfer-Encoding: chunked") + b"1")

    assert push(wire, endless, 200 * MB) < 20 * MB
    assert status(rest(wire)) in (400, 431)


def test_endless_trailers_are_not_read(wire: socket.socket) -> None:
    wire.sendall(head("POST", "/api/login", "Transfer-Encoding: chunked") + b"0\r\n")

    assert push(wire, b"X-More: yes\r\n" * 1000, 200 * MB) < 20 * MB


def test_a_body_of_single_bytes_is_a_body(wire: socket.socket) -> None:
    body = orjson.dumps({"name": "x" * 3000 + "!"})
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    wire.sendall(head("POST", "/api/login", "Transfer-Encoding: chunked", "Connection: close"))
    for begin in range(0, len(chunks), 1000):
        wire.sendall(chunks[begin : begin + 1000])

    assert status(rest(wire)) == 422


def test_a_trailer_is_no_header(wire: socket.socket, eve: Person) -> None:
    wire.sendall(head("POST", "/api/token/renew", "Transfer-Encoding: chunked", "Connection: close"))
    wire.sendall(f"0\r\nAuthorization: Bearer {eve.token}\r\n\r\n".encode())

    assert status(rest(wire)) == 401


def test_who_takes_its_time_for_a_head_is_turned_away(wire: socket.socket) -> None:
    wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    answer = rest(wire)

    assert (status(answer), code(answer)) == (408, "request_timeout")


def test_who_drips_a_head_is_turned_away(wire: socket.socket) -> None:
    wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
    answer = drip(wire, b"x")

    assert status(answer) == 408


def drip(wire: socket.socket, byte: bytes, seconds: float = 10) -> bytes:
    """Send a byte at a time until the server has had enough; what it says."""
    end = time.monotonic() + seconds
    while not select.select([wire], [], [], 0.1)[0]:
        assert time.monotonic() < end, "the server goes on listening"
        wire.sendall(byte)
    return rest(wire)


@pytest.mark.parametrize("before", [b"", head()], ids=["at first", "after a request"])
def test_who_drips_empty_lines_is_disconnected(strict: ServerProcess, before: bytes) -> None:
    with dial(strict.url) as wire:
        wire.sendall(before)
        if before:
            assert first_status(wire) == 200
        assert drip(wire, b"\r\n") == b""


def test_a_second_request_that_drips_is_turned_away(wire: socket.socket) -> None:
    wire.sendall(head())
    assert first_status(wire) == 200
    wire.sendall(b"GET /healthz HTTP/1.1\r\nX: ")

    assert status(drip(wire, b"x")) == 408


def test_five_hundred_idle_connections_are_closed(strict: ServerProcess) -> None:
    with ExitStack() as stack:
        wires = [stack.enter_context(dial(strict.url)) for _ in range(500)]

        for wire in wires:
            assert rest(wire) == b""


def test_a_connection_between_two_requests_is_closed_in_time(wire: socket.socket) -> None:
    wire.sendall(head())
    assert rest(wire).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("framing", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_who_takes_its_time_for_a_body_is_turned_away(wire: socket.socket, framing: str) -> None:
    wire.sendall(head("POST", "/api/login", "Content-Type: application/json", framing) + b'{"n')
    answer = rest(wire)

    assert status(answer) in (400, 408)


def test_who_drips_a_body_is_turned_away(wire: socket.socket) -> None:
    wire.sendall(head("POST", "/api/login", "Content-Type: application/json", "Content-Length: 1000"))

    assert status(drip(wire, b" ")) == 408


def test_a_file_may_be_slow_as_long_as_it_comes(strict: ServerProcess, eve: Person) -> None:
    """It takes longer than any other body may."""
    with dial(strict.url) as wire:
        size, began = 40, time.monotonic()
        wire.sendall(upload(eve, "slow", size))
        for _ in range(size - 1):
            assert not select.select([wire], [], [], 0.05)[0]
            wire.sendall(b"x")
        assert time.monotonic() - began > 1
        wire.sendall(b"x")

        assert status(rest(wire)) == 201


def test_a_file_that_does_not_come_is_not_waited_for(strict: ServerProcess, eve: Person) -> None:
    with dial(strict.url) as wire:
        wire.sendall(upload(eve, "never", 1000) + b"x")

        assert status(rest(wire)) in (0, 408, 422)


def upload(person: Person, room: str, size: int) -> bytes:
    person.create_room(room)
    path = f"/api/rooms/{room}/files?name=a.bin"
    lines = (f"Authorization: Bearer {person.token}", f"Content-Length: {size}", "Connection: close")
    return head("POST", path, *lines)


def test_a_download_that_nobody_reads_is_ended(strict: ServerProcess, eve: Person) -> None:
    eve.create_room("large")
    content = b"x" * 30 * MB
    file = eve.post("/api/rooms/large/files", params={"name": "a.bin"}, content=content).json()
    with dial(strict.url, receive_buffer=4096) as wire:
        path = f"/api/rooms/large/files/{file['id']}"
        wire.sendall(head("GET", path, f"Authorization: Bearer {eve.token}"))
        until_gone(wire)

        assert len(rest(wire)) < 30 * MB


def test_a_download_that_is_read_slowly_is_not(strict: ServerProcess, eve: Person) -> None:
    """Slower than the time that a reader has who reads nothing."""
    eve.create_room("slowly")
    content = b"x" * 8 * MB
    file = eve.post("/api/rooms/slowly/files", params={"name": "a.bin"}, content=content).json()
    with dial(strict.url, receive_buffer=65_536) as wire:
        path = f"/api/rooms/slowly/files/{file['id']}"
        wire.sendall(head("GET", path, f"Authorization: Bearer {eve.token}", "Connection: close"))
        found, began = 0, time.monotonic()
        while piece := wire.recv(65_536):
            found += len(piece)
            select.select([], [], [], 0.03)
        assert time.monotonic() - began > 2

    assert found > 8 * MB


@pytest.mark.parametrize(("parts", "expected"), [(MAX_PARTS, 202), (MAX_PARTS + 1, 413)])
def test_a_body_may_have_as_many_parts_as_the_limit(eve: Person, parts: int, expected: int) -> None:
    eve.create_room(f"parts-{parts}")
    eve.register(extension(f"parts-{parts}"))
    commas = parts - 6 - 6 - 3  # {"data":{"a":[0,0]}}
    content = b'{"data":{"a":[%s]}}' % b",".join([b"0"] * (commas + 1))
    path = f"/api/rooms/parts-{parts}/extensions/analysis/Echo/submit"
    answer = eve.post(path, content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == expected, answer.text
    if expected == 413:
        assert the_problem(answer, 413, "body_too_large")["max_json_parts"] == MAX_PARTS


@pytest.mark.parametrize(("size", "expected"), [(65_536, 422), (65_537, 401)])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_stranger_may_send_a_small_body_only(
    strict: ServerProcess, size: int, expected: int, is_chunked: bool
) -> None:
    content: Any = iter([b" " * (size - 2), b"{}"]) if is_chunked else b" " * (size - 2) + b"{}"
    with plain_http(strict.url) as nobody:
        answer = nobody.post("/api/login", content=content, headers={"Content-Type": "application/json"})

    assert answer.status_code == expected


def test_a_stranger_does_not_upload(strict: ServerProcess) -> None:
    with plain_http(strict.url) as nobody:
        answer = nobody.post(
            "/api/rooms/lab/files?name=a", content=b"x" * MB, headers={"Authorization": "Bearer job.x.1.y"}
        )

    the_problem(answer, 401, "unauthenticated")


@pytest.mark.parametrize("more", [0, 1])
def test_so_many_requests_are_sent_before_the_first_is_answered(wire: socket.socket, more: int) -> None:
    """One that is being answered, and 16 that wait."""
    count = 17 + more
    wire.sendall(head() * (count - 1) + head("GET", "/healthz", "Connection: close"))

    assert (rest(wire).count(b"HTTP/1.1 200") < count) == bool(more)


def test_only_so_many_connections_are_open(tmp_path: Any) -> None:
    with ServerProcess(tmp_path, max_connections=20) as server, ExitStack() as stack:
        wires = [stack.enter_context(dial(server.url)) for _ in range(20)]
        wires[-1].sendall(head())
        assert first_status(wires[-1]) == 200
        with dial(server.url) as refused:
            answer = rest(refused)
        assert (status(answer), code(answer)) == (503, "too_many_connections")
        assert b"retry-after: 10" in answer.lower()

        wires[0].close()
        until_answered(server)


def until_answered(server: ServerProcess) -> None:
    with plain_http(server.url) as client:
        for _ in range(1000):
            if client.get("/healthz").status_code == 200:
                return
    raise AssertionError("nobody is answered any more")


def test_one_address_opens_only_so_many_connections(tmp_path: Any) -> None:
    settings = {"host": "0.0.0.0", "max_address_connections": 10}
    with ServerProcess(tmp_path, **settings) as server, ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(dial(server.url, "127.0.0.5"))
        with dial(server.url, "127.0.0.5") as refused:
            answer = rest(refused)
        assert (status(answer), code(answer)) == (429, "too_many_requests")

        for source in ("127.0.0.6", "127.0.0.1"):
            with dial(server.url, source) as wire:
                wire.sendall(head("GET", "/healthz", "Connection: close"))
                assert status(rest(wire)) == 200


def test_the_loopback_is_not_one_address(tmp_path: Any) -> None:
    with ServerProcess(tmp_path, max_address_connections=1) as server, ExitStack() as stack:
        for _ in range(5):
            wire = stack.enter_context(dial(server.url))
            wire.sendall(head())
            assert first_status(wire) == 200


def test_behind_a_proxy_it_is_the_forwarded_address_that_counts(tmp_path: Any) -> None:
    """Of IPv6 the first half is one address."""
    settings = {"proxies": "127.0.0.1", "max_address_connections": 5}
    with ServerProcess(tmp_path, **settings) as server, ExitStack() as stack:

        def open_for(address: str) -> bytes:
            wire = RawWebSocket(server.url, X_Forwarded_For=address)
            stack.callback(wire.close)
            return wire.answer

        for number in range(5):
            assert status(open_for(f"2001:db8::{number + 1}")) == 101

        assert status(open_for("2001:db8::abc:1")) == 429
        assert status(open_for("2001:db8:0:1::1")) == 101
        assert status(open_for("192.0.2.7")) == 101


def test_a_cookie_cannot_hold_the_server_up(strict: ServerProcess, wire: socket.socket) -> None:
    cookie = 'a="' + r"\"" * ((MAX_HEAD - 100) // 2)
    wire.sendall(head("GET", "/api/users/me", f"Cookie: {cookie}", "Connection: close"))

    assert status(rest(wire)) == 401


@pytest.mark.parametrize("cookie", ["=", "a=b; =c", '"', "a" * 3000, "\x80\xff"])
def test_an_odd_cookie_does_not_keep_a_socket_from_an_answer(strict: ServerProcess, cookie: str) -> None:
    with RawWebSocket(strict.url, Cookie=cookie) as wire:
        assert '"code":"unauthenticated"' in wire.connect(None)


def test_a_cookie_that_is_too_long_for_a_socket_is_refused(tmp_path: Any) -> None:
    with ServerProcess(tmp_path) as server:
        for size in (10_000, 100_000):
            with RawWebSocket(server.url, Cookie="a" * size) as wire:
                assert status(wire.answer) == 431


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize("messages", [400, 4000])
def test_who_says_goodbye_and_reads_nothing_is_disconnected(
    strict: ServerProcess, eve: Person, *, messages: int, is_refused: bool
) -> None:
    """What is left to send is not waited for: by the peer's close, or its reply to the server's.

    The replies to the fewer messages fit into the kernel's buffers, those to more do not.
    """
    with RawWebSocket(strict.url, receive_buffer=4096) as wire:
        assert str(wire.connect(eve.token)).startswith("40")
        for number in range(1, messages + 1):
            wire.say(f'42{number}["{"x" * 100}",{{}}]')
        if is_refused:
            wire.send(frame(BINARY, b"not supported"))
        wire.send(frame(CLOSE, b"\x03\xe8"))

        until_gone(wire.wire, 30)


def test_noise_is_not_logged(strict: ServerProcess) -> None:
    for noise in (b"\x16\x03\x01\x02\x00\x01", b"HELLO\r\n\r\n", head().replace(b"Host", b"Ho st")):
        with dial(strict.url) as wire:
            wire.sendall(noise)
            assert status(rest(wire)) in (0, 400, 408)

    assert "Invalid HTTP" not in strict.log
    assert "Traceback" not in strict.log
