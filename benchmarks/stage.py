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
from guest import log_in
from workroom.testing.processes import Process, ServerProcess

ROOM = "bench"
USER = "bench"
SQLITE, REDIS = "sqlite", "redis"
SIGNING_KEY = "shared by all servers of a store"


class Stage:
    def __init__(
        self, folder: Path, stack: ExitStack, servers: list[ServerProcess], source: Path | None
    ) -> None:
        self._folder = folder
        self._stack = stack
        self._source = source
        self.servers = servers
        self.token = log_in(servers[0].url, USER)
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

    def add_worker(self, *jobs: str, slots: int = 1) -> None:
        """Start a worker at the next server in rotation, by default of jobs that take no time."""
        number = len(self.workers)
        name, log = f"worker-{number}", self._folder / f"worker-{number}.log"
        url = self.servers[number % len(self.servers)].url
        jobs = jobs or ("noop:Noop", "noop:Stamp")
        worker = fresh_worker(url, *jobs, room=ROOM, name=name, log=log, slots=slots, source=self._source)
        self._stack.callback(worker.close)
        self.workers.append(worker)


@contextmanager
def stage(store: str, servers: int = 1, source: Path | None = None) -> Iterator[Stage]:
    """Servers and workers run the package in `source`, by default the installed one, as the clients do."""
    with TemporaryDirectory(prefix="bench-") as name, ExitStack() as stack:
        folder = Path(name)
        os.environ["WORKROOM_STATE_DIR"] = str(folder / "state")
        shared: dict[str, Any] = {"log_level": "warning", "signing_key": SIGNING_KEY, "sweep": 1}
        if store == REDIS:
            shared["store"] = stack.enter_context(valkey(folder, "always"))
        started = [
            stack.enter_context(fresh_server(folder / f"server-{number}", source=source, **shared))
            for number in range(servers)
        ]
        staged = Stage(folder, stack, started, source)
        _create_room(staged)
        yield staged


def _create_room(staged: Stage) -> None:
    headers = {"Authorization": f"Bearer {staged.token}"}
    httpx.post(f"{staged.url}/api/rooms", json={"name": ROOM}, headers=headers).raise_for_status()
