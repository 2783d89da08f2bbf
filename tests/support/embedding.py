"""The embedding example as users start it, and people who log in to it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import orjson
import websocket
from websocket import ABNF

from workroom.testing.processes import Process, eventually

ROOT = Path(__file__).parents[2]
_ADDRESS = re.compile(r"running on (http://[\d.:]+)")


class OuterApp(Process):
    """`uvicorn examples.embedded.app:app`."""

    def __init__(self, folder: Path, app: str = "examples.embedded.app:app") -> None:
        command = [sys.executable, "-m", "uvicorn", app, "--port", "0", "--timeout-graceful-shutdown", "2"]
        paths = os.pathsep.join([str(ROOT), str(folder), os.environ.get("PYTHONPATH", "")])
        environment = {"WORKROOM_DATA_DIR": str(folder / "data"), "PYTHONPATH": paths}
        super().__init__(command, environment, folder / f"app-{token_hex(4)}.log")
        found = eventually(self._find_address, 60, "the address of the application")
        self.url = found[1]
        self.jobs_url = f"{self.url}/jobs"

    def _find_address(self) -> re.Match[str] | None:
        text = self.log.read_text()
        if not self.is_alive:
            raise AssertionError(f"the application did not start:\n{text}")
        return _ADDRESS.search(text)


@contextmanager
def log_in(app: OuterApp, name: str) -> Iterator[httpx.Client]:
    """A browser that has the session cookie of the application, and nothing of Workroom's."""
    with httpx.Client(base_url=app.url, timeout=30) as client:
        form = {"name": name, "password": f"{name}'s password"}
        assert client.post("/login", data=form).status_code == 303
        yield client


class PageSocket:
    """A socket of the page: it sends the application's cookie, and no token."""

    def __init__(self, app: OuterApp, cookie: str) -> None:
        address = f"{app.jobs_url.replace('http', 'ws', 1)}/socket.io/?EIO=4&transport=websocket"
        self.raw = websocket.create_connection(address, cookie=cookie, timeout=20)
        self.raw.recv()
        self.raw.send("40{}")
        self.greeting = self._next()

    def call(self, event: str, body: object) -> Any:
        self.raw.send(f"421{orjson.dumps([event, body]).decode()}")
        while not (text := self._next()).startswith("431"):
            pass
        return orjson.loads(text[3:])[0]

    def receive(self, event: str) -> Any:
        """The body of the next such event."""
        while True:
            text = self._next()
            if text.startswith("42") and (received := orjson.loads(text[2:]))[0] == event:
                return received[1]

    def wait_for_end(self) -> bytes:
        """The reason of the close; empty if there is none."""
        while True:
            try:
                frame = self.raw.recv_frame()
            except websocket.WebSocketConnectionClosedException:
                return b""
            if frame.opcode == ABNF.OPCODE_CLOSE:
                return bytes(frame.data[2:])

    def _next(self) -> str:
        while (text := str(self.raw.recv())) == "2":
            self.raw.send("3")
        return text


@contextmanager
def open_socket(app: OuterApp, cookie: str) -> Iterator[PageSocket]:
    socket = PageSocket(app, cookie)
    with closing(socket.raw):
        yield socket


def cookie_of(client: httpx.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())
