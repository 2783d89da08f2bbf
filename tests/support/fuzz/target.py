"""The server under test: its accounts, and its required state afterwards."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx
import psutil

from workroom.testing.processes import ADMIN_PASSWORD, ServerProcess, eventually

ROOM = "fuzzed"
ENDED = {"completed", "failed", "cancelled"}
MAX_SILENCE = 2.0  # seconds that /healthz may take
MAX_GROWTH = 150_000_000  # bytes of resident memory
_HELD = ("assigned", "running")


class Target:
    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.port = int(server.url.rpartition(":")[2])
        self.host = f"127.0.0.1:{self.port}"
        self.http = httpx.Client(base_url=server.url, timeout=30)
        self.admin = self.log_in("admin", ADMIN_PASSWORD)
        self.http.headers["Authorization"] = f"Bearer {self.admin}"
        self.http.post("/api/rooms", json={"name": ROOM}).raise_for_status()
        self.document: dict[str, Any] = self.http.get("/openapi.json").json()
        self.routes = self._routes()

    def log_in(self, name: str, password: str | None = None) -> str:
        body = {"name": name} if password is None else {"name": name, "password": password}
        token: str = self.http.post("/api/login", json=body).raise_for_status().json()["token"]
        return token

    def memory(self) -> int:
        """The memory of the server, without its workers and validators."""
        return int(psutil.Process(self.server.process.pid).memory_info().rss)

    def _routes(self) -> list[tuple[str, str]]:
        paths: dict[str, dict[str, Any]] = self.document["paths"]
        return [(method.upper(), path) for path, methods in paths.items() for method in methods]

    def end_what_waits(self) -> None:
        """Cancel jobs that wait for a worker. Those that have one must end by themselves."""
        eventually(self._nothing_is_left, seconds=90, what="the end of every job")

    def _nothing_is_left(self) -> bool:
        waiting = self.jobs("pending")
        for job in waiting:
            self.http.delete(f"/api/jobs/{job['id']}")
        return not waiting and not any(self.jobs(status) for status in _HELD)

    def jobs(self, status: str) -> list[dict[str, Any]]:
        answer = self.http.get("/api/jobs", params={"status": status, "limit": 100}).raise_for_status()
        items: list[dict[str, Any]] = answer.json()["items"]
        return items


class Pulse:
    """Requests /healthz repeatedly and keeps the longest response time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.longest = 0.0
        self.asked = 0

    async def run(self) -> None:
        async with httpx.AsyncClient(base_url=self._url, timeout=60) as http:
            while True:
                began = time.monotonic()
                (await http.get("/healthz")).raise_for_status()
                self.longest = max(self.longest, time.monotonic() - began)
                self.asked += 1
                await asyncio.sleep(0.05)
