"""A Celery app as it may be anywhere: it knows nothing of Workroom. Where it runs stands in SHOP_BROKER."""

from __future__ import annotations

import os
import time
from pathlib import Path

from celery import Celery, Task

BROKER = os.environ.get("SHOP_BROKER", "memory://")

app = Celery("shop", broker=BROKER, backend=os.environ.get("SHOP_BACKEND", "cache+memory://"))


@app.task
def wrap(words: list[str], glue: str = " ") -> str:
    """Wrap words into one parcel."""
    return glue.join(words)


@app.task(bind=True)
def carry(self: Task[..., str], parcels: int, gate: str) -> str:
    """Carry parcels, and say how many; ends once the gate is there."""
    for parcel in range(1, parcels + 1):
        self.update_state(state="PROGRESS", meta={"current": parcel, "total": parcels, "message": "carrying"})
    while not Path(gate).exists():
        time.sleep(0.01)
    return "carried"


@app.task
def drop(what: str) -> None:
    raise RuntimeError(f"dropped {what}")


@app.task(ignore_result=True)
def whisper() -> None: ...
