"""A worker with one slot that reports any time but the true one: `python -m support.chaos.liar URL SEED`."""

from __future__ import annotations

import random
import sys
import threading
import time
from typing import Any

from support.chaos.losses import WORKER
from support.chaos.work import journal
from support.extensions.pace import END, Pace, note
from support.scripted_worker import ScriptedWorker, fence

_HEARTBEAT_SECONDS = 1.0
_LIES_MS = [0, 0, 0.001, 0.5, 1, 5]  # no more, or nothing would be handed out ahead


class Liar(ScriptedWorker):
    def __init__(self, url: str, seed: str) -> None:
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._holds: dict[str, dict[str, Any]] = {}
        self._seen = 0
        super().__init__(url, name="Pace", schema=Pace.model_json_schema())
        self.hello()

    def work(self) -> None:
        """Run the next job, unless it was taken back meanwhile."""
        item = self.take(timeout=3600)
        if self.start(item) is None:
            with self._lock:
                self._holds[item["token"]]["phase"] = "begun"
            note(item["data"]["diary"], item["job_id"])
            time.sleep(item["data"]["ms"] / 1000)
            note(item["data"]["diary"], item["job_id"], END)
            self.finish(item, run_ms=self._chance.choice(_LIES_MS))
        with self._lock:
            del self._holds[item["token"]]

    def beat(self) -> None:
        while True:
            time.sleep(_HEARTBEAT_SECONDS)
            with self._lock:
                holds, seen = [dict(hold) for hold in self._holds.values()], self._seen
            self.heartbeat(holds, seen)

    def _receive(self, items: list[dict[str, Any]]) -> bool:
        with self._lock:
            new = [item for item in items if item["token"] not in self._holds]
            for item in new:
                self._holds[item["token"]] = {**fence(item), "phase": "queued"}
                self._seen = max(self._seen, item["number"])
        return super()._receive(new)


def main(url: str, seed: str) -> None:
    liar = Liar(url.partition(",")[0], seed)  # of several servers, the first
    journal().write(WORKER, worker=liar.worker_id)
    print("Serving", flush=True)
    threading.Thread(target=liar.beat, daemon=True).start()
    while True:
        liar.work()


if __name__ == "__main__":
    main(*sys.argv[1:])
