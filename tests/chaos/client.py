"""A client process: submits until it is terminated, and writes down every answer.

python -m chaos.client URL JOURNAL SEED INTERVAL
"""

from __future__ import annotations

import random
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

from chaos.history import Journal

MENU = (("analysis", "Plain"), ("analysis", "Stubborn"), ("media", "Keyed"))


def main(url: str, path: str, seed: str, interval: str) -> None:
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    chance = random.Random(seed)
    journal = Journal(Path(path))
    with httpx.Client(base_url=url, timeout=10) as http:
        token = http.post("/api/login", json={"name": f"client-{seed}"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        while not stop.wait(float(interval)):
            category, name = chance.choice(MENU)
            _submit(http, journal, category, name, _values(chance, name))


def _values(chance: random.Random, name: str) -> dict[str, Any]:
    values: dict[str, Any] = {"seconds": chance.choice((0.0, 0.005, 0.02, 0.1))}
    if name == "Keyed":
        values["provider"] = chance.choice(("midjourney", "leonardo", "other"))
    return values


def _submit(http: httpx.Client, journal: Journal, category: str, name: str, values: dict[str, Any]) -> None:
    try:
        answer = http.post(f"/api/rooms/demo/extensions/{category}/{name}/submit", json={"data": values})
    except httpx.TransportError as error:
        journal.write("unanswered", why=type(error).__name__)
        return
    if answer.status_code == 202:
        journal.write("promised", job=answer.json()["id"], name=name)
    else:
        journal.write("refused", status=answer.status_code, after=answer.headers.get("Retry-After"))


if __name__ == "__main__":
    main(*sys.argv[1:])
