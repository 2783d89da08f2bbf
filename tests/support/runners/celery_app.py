"""A Celery app that knows nothing of Workroom. CELERY_APP_BROKER names its broker."""

from __future__ import annotations

import os
import time
from pathlib import Path

from celery import Celery, Task

BROKER = os.environ.get("CELERY_APP_BROKER", "memory://")

app = Celery(
    "support.runners.celery_app",
    broker=BROKER,
    backend=os.environ.get("CELERY_APP_BACKEND", "cache+memory://"),
)


@app.task
def wrap(words: list[str], glue: str = " ") -> str:
    """Join words into one text."""
    return glue.join(words)


@app.task(bind=True)
def carry(self: Task[..., str], steps: int, gate: str) -> str:
    """Report progress; ends once the gate exists."""
    for step in range(1, steps + 1):
        self.update_state(state="PROGRESS", meta={"current": step, "total": steps, "message": "working"})
    while not Path(gate).exists():
        time.sleep(0.01)
    return "carried"


@app.task
def drop(what: str) -> None:
    raise RuntimeError(f"dropped {what}")


@app.task(ignore_result=True)
def whisper() -> None: ...
