"""Servers on one store, workers spread over them, and a page that watches, all as real processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from broker import valkey
from fresh import fresh_server, fresh_worker
from workroom.testing.guests import guest_token
from workroom.testing.processes import Process, ServerProcess

HERE = Path(__file__).parent
ROOM = "bench"
USER = "bench"
SQLITE, REDIS = "sqlite", "redis"
SIGNING_KEY = "shared by all servers of a store"


class Stage:
    def __init__(self, folder: Path, stack: ExitStack, servers: list[ServerProcess]) -> None:
        self._folder = folder
        self._stack = stack
        self.servers = servers
        self.workers: list[Process] = []

    @property
    def url(self) -> str:
        return self.servers[0].url

    @property
    def server_pids(self) -> list[int]:
        return [server.process.pid for server in self.servers]

    @property
    def worker_pids(self) -> list[int]:
        return [worker.pid for worker in self.workers]

    def add_worker(self) -> None:
        """Start a worker at the next server in rotation."""
        number = len(self.workers)
        name, log = f"worker-{number}", self._folder / f"worker-{number}.log"
        url = self.servers[number % len(self.servers)].url
        worker = fresh_worker(url, "noop:Noop", "noop:Stamp", room=ROOM, name=name, log=log)
        self._stack.callback(worker.close)
        self.workers.append(worker)


@contextmanager
def stage(store: str, servers: int = 1) -> Iterator[Stage]:
    with TemporaryDirectory(prefix="bench-") as name, ExitStack() as stack:
        folder = Path(name)
        os.environ["WORKROOM_STATE_DIR"] = str(folder / "state")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(HERE))))
        shared: dict[str, Any] = {"log_level": "warning", "signing_key": SIGNING_KEY, "sweep": 1}
        if store == REDIS:
            shared["store"] = stack.enter_context(valkey(folder, "always"))
        started = [
            stack.enter_context(fresh_server(folder / f"server-{number}", **shared))
            for number in range(servers)
        ]
        _create_room(started[0].url)
        yield Stage(folder, stack, started)


def _create_room(url: str) -> None:
    headers = {"Authorization": f"Bearer {guest_token(url, USER)}"}
    httpx.post(f"{url}/api/rooms", json={"name": ROOM}, headers=headers).raise_for_status()
