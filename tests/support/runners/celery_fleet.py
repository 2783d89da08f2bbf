"""A Celery fleet in processes of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import httpx
import psutil

from workroom.testing.forkserver import WORKROOM
from workroom.testing.processes import ADMIN_PASSWORD, Process, ServerProcess, eventually

HASTE = {"heartbeat": 0.5, "lease": 3.0, "grace": 0.5, "sweep": 0.1}
EXTENSIONS = (
    "support.extensions.misbehaving",
    "support.extensions.samples",
    "support.extensions.trajectories",
)


class Fleet:
    """`workroom celery` as users run it."""

    def __init__(self, servers: Sequence[ServerProcess], broker: str, log: Path, *options: str) -> None:
        self._server = servers[-1]
        self._command = [*WORKROOM, "celery", *EXTENSIONS, *options]
        self._environment = {
            "WORKROOM_URL": ",".join(server.url for server in servers),
            "WORKROOM_TOKEN": runner_token(self._server.url),
            "WORKROOM_BROKER": broker,
            "WORKROOM_INSIST": "1",
        }
        self._log = log
        self.start()

    def start(self) -> None:
        self.process = Process(self._command, self._environment, self._log)

    def wait(self, slots: int) -> None:
        """Wait until this many slots are idle."""
        eventually(lambda: idle_slots(self._server.url) == slots, what=f"{slots} on call, see {self._log}:")

    def members(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def kill(self) -> None:
        """Kill the whole fleet."""
        self.process.close()


def runner_token(url: str) -> str:
    with httpx.Client(base_url=url, headers=admin(url)) as http:
        token: str = http.post("/api/tokens", json={"name": "fleet", "role": "runner"}).json()["token"]
    return token


def idle_slots(url: str) -> int:
    workers = httpx.get(f"{url}/api/workers", headers=admin(url)).json()["items"]
    return sum(worker["slots"] for worker in workers if worker["state"] == "idle")


def admin(url: str) -> dict[str, str]:
    body = {"name": "admin", "password": ADMIN_PASSWORD}
    return {"Authorization": f"Bearer {httpx.post(f'{url}/api/login', json=body).json()['token']}"}
