"""An HTTP service on loopback that answers as a test wants, and misbehaves as a test wants."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """`hangs` keeps the connection open without an answer, `closes` closes it, `drips` sends single bytes,
    `drips_head` a header that never ends.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    closes: bool = False
    drips: bool = False
    drips_head: bool = False
    length: int | None = None

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class FakeService:
    """Answers with `handle`, and keeps every call."""

    def __init__(self, handle: Callable[[Call], Answer]) -> None:
        self.calls: list[Call] = []
        self.released = threading.Event()
        self._handle = handle
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def count(self, method: str, path: str) -> int:
        return sum(call.method == method and call.path == path for call in self.calls)

    @contextmanager
    def running(self) -> Iterator[FakeService]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is logged."""

            def _serve(self) -> None:
                parts = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                call = Call(self.command, parts.path, query, dict(self.headers.items()), body)
                service.calls.append(call)
                self._reply(service._handle(call))

            def _reply(self, answer: Answer) -> None:
                if answer.hangs:
                    service.released.wait(30)
                if answer.hangs or answer.closes:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if answer.drips_head:
                    self._drip_head()
                    return
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                length = len(answer.content) if answer.length is None else answer.length
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self._write(answer, length)

            def _drip_head(self) -> None:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
                    while not service.released.wait(0.05):
                        self.wfile.write(b"x")

            def _write(self, answer: Answer, length: int) -> None:
                try:
                    if answer.drips:
                        for byte in answer.content:
                            self.wfile.write(bytes([byte]))
                            service.released.wait(0.05)
                        return
                    self.wfile.write(answer.content)
                    for _ in range(max(0, length - len(answer.content)) >> 20):
                        self.wfile.write(bytes(1 << 20))
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - names of http.server

        return Handler


@contextmanager
def fake_service(handle: Callable[[Call], Answer]) -> Iterator[FakeService]:
    with FakeService(handle).running() as service:
        yield service
