"""Several addresses of servers on one store: whichever answers will do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson
import pytest

from support.extensions.in_process import Add
from workroom import Room
from workroom.client.transport.addresses import Addresses
from workroom.errors import ServerUnreachable, StoreUnavailable
from workroom.server.http.views.problem import render_problem
from workroom.testing.fixtures import StartWorker
from workroom.testing.processes import ServerProcess

NOBODY = "http://127.0.0.1:9"


def test_addresses_are_tried_in_turn() -> None:
    addresses = Addresses(" http://a:1/, http://b:2,http://c:3 ")
    assert addresses.round() == ["http://a:1", "http://b:2", "http://c:3"]

    addresses.leave("http://a:1")
    addresses.leave("http://a:1")

    assert addresses.current == "http://b:2"
    assert str(addresses) == "http://b:2,http://c:3,http://a:1"
    assert addresses.name == "http://a:1"


def test_after_the_last_comes_the_first() -> None:
    addresses = Addresses("http://a:1,http://b:2")
    for url in addresses.round():
        addresses.leave(url)

    assert addresses.current == "http://a:1"


def test_missing_options_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKROOM_URL", "http://a:1,http://b:2")

    assert str(Addresses.of(None)) == "http://a:1,http://b:2"
    assert str(Addresses.of("http://c:3/")) == "http://c:3"


def test_a_room_is_found_at_the_address_that_answers(
    server: ServerProcess, name: str, start_worker: StartWorker
) -> None:
    """Nothing is said twice: what found nobody never left."""
    both = f"{NOBODY},{server.url}"
    with Room(name, both, user="seeker") as here, Room(name, both, user="helper") as there:
        there.register(Add)
        job = here.submit(Add(a=1, b=2))

        assert job.result(timeout=20) == 3
        here.post("once")
        assert [said["text"] for said in here.chat()] == ["once"]
        assert here.jobs()[0]["id"] == job.id


def test_no_reachable_address_is_reported() -> None:
    with (
        Room("demo", f"{NOBODY},http://127.0.0.1:11", user="ada") as room,
        pytest.raises(ServerUnreachable, match=r"Cannot reach http://127\.0\.0\.1:11\. Is the server"),
    ):
        room.jobs()


class Unavailable(BaseHTTPRequestHandler):
    """A server that has lost its store: it refuses everything."""

    def do_GET(self) -> None:
        body = orjson.dumps(render_problem(StoreUnavailable()))
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(503)
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names that the library calls

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def unavailable() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Unavailable) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_a_server_that_responds_with_503_is_left_for_another(
    server: ServerProcess, name: str, unavailable: str
) -> None:
    both = f"{unavailable},{server.url}"
    with Room(name, both, user="seeker") as here, Room(name, both, user="helper") as there:
        there.register(Add)

        assert here.submit(Add(a=1, b=2)).result(timeout=20) == 3
        file = here.upload(b"content", name="a.txt")
        assert here.files()[0]["id"] == file.id


def test_503_from_every_server_is_reported(unavailable: str) -> None:
    with Room("demo", f"{unavailable},{unavailable}/", user="ada") as room, pytest.raises(StoreUnavailable):
        room.jobs()
