"""A client process that submits jobs until it is terminated, and records every response.

python -m support.chaos.client URL[,URL…] JOURNAL SEED INTERVAL
"""

from __future__ import annotations

import random
import signal
import sys
import threading
from collections import deque
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

from support.chaos.history import Journal

MENU = (("analysis", "Plain"), ("analysis", "Stubborn"), ("media", "Keyed"))


def main(urls: str, path: str, seed: str, interval: str) -> None:
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    chance = random.Random(seed)
    journal = Journal(Path(path))
    servers = deque(urls.split(","))
    with httpx.Client(timeout=10 if len(servers) == 1 else 3) as http:
        token = http.post(f"{servers[0]}/api/login", json={"name": f"client-{seed}"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        while not stop.wait(float(interval)):
            category, name = chance.choice(MENU)
            url = f"{servers[0]}/api/rooms/demo/extensions/{category}/{name}/submit"
            if not _submit(http, journal, url, name, _values(chance, name)):
                servers.rotate(-1)


def _values(chance: random.Random, name: str) -> dict[str, Any]:
    values: dict[str, Any] = {"seconds": chance.choice((0.0, 0.005, 0.02, 0.1))}
    if name == "Keyed":
        values["provider"] = chance.choice(("midjourney", "leonardo", "other"))
    return values


def _submit(http: httpx.Client, journal: Journal, url: str, name: str, values: dict[str, Any]) -> bool:
    """Submit a job; return whether the server accepted it."""
    try:
        answer = http.post(url, json={"data": values})
    except httpx.TransportError as error:
        journal.write("unanswered", why=type(error).__name__)
        return False
    if answer.status_code == 202:
        journal.write("promised", job=answer.json()["id"], name=name)
    else:
        journal.write("refused", status=answer.status_code, after=answer.headers.get("Retry-After"))
    return answer.status_code == 202


if __name__ == "__main__":
    main(*sys.argv[1:])
