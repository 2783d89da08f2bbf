"""The embedding example as users start it, and people who log in to it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import socketio

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
        found = eventually(self._find_address, what="the address of the application")
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


@contextmanager
def open_socket(app: OuterApp, client: httpx.Client) -> Iterator[socketio.SimpleClient]:
    """A socket of the page: it sends the application's cookie, and no token."""
    with socketio.SimpleClient(reconnection=False) as socket:
        socket.connect(
            app.url,
            headers={"Cookie": cookie_of(client)},
            transports=["websocket"],
            socketio_path="/jobs/socket.io",
        )
        yield socket


def cookie_of(client: httpx.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def receive(socket: socketio.SimpleClient, event: str) -> Any:
    """The body of the next such event."""
    while True:
        name, *body = socket.receive(timeout=20)
        if name == event:
            return body[0]
