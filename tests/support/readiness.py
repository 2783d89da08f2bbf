"""What a server says of itself: whether a job would be accepted, and if not, why."""

from __future__ import annotations

import httpx

from workroom.testing.processes import ServerProcess, eventually


def readiness(server: ServerProcess) -> tuple[int, str | None]:
    response = httpx.get(f"{server.url}/readyz", timeout=30)
    return response.status_code, response.json().get("code")


def is_ready(server: ServerProcess, seconds: float = 20) -> None:
    becomes(server, 200, None, seconds=seconds)


def is_not_ready(server: ServerProcess, code: str, seconds: float = 20) -> None:
    becomes(server, 503, code, seconds=seconds)


def becomes(server: ServerProcess, status: int, code: str | None, *, seconds: float = 20) -> None:
    expected = (status, code)
    eventually(lambda: readiness(server) == expected, seconds, f"/readyz being {expected}")
