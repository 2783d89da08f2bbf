"""Extensions that record each execution in the folder CHAOS_JOURNAL."""

from __future__ import annotations

import os
import threading
import time
from functools import cache
from pathlib import Path

from support.chaos.history import Journal
from workroom import Extension, JobContext
from workroom.domain.extension import Concurrency
from workroom.domain.rules.queue.limits import limit_of

PROVIDERS = Concurrency("{provider}", {"leonardo": 3, "midjourney": 1}, default=1)


@cache
def journal() -> Journal:
    return Journal(Path(os.environ["CHAOS_JOURNAL"]) / f"worker-{os.getpid()}.jsonl")


class Recorded(Extension):
    """Takes `seconds` in its first attempt and `again` in later ones; stops when it is cancelled."""

    seconds: float = 0.02
    again: float = 0.02
    deaf: bool = False

    def run(self, job: JobContext) -> int:
        key = getattr(self, "provider", None)
        journal().write(
            "begin",
            job=job.id,
            attempt=job.attempt,
            key=key,
            limit=None if key is None else limit_of(PROVIDERS, key),
            retries=self.policy.retries,
        )
        try:
            self._work(job, self.seconds if job.attempt == 1 else self.again)
        finally:
            journal().write("end", job=job.id, attempt=job.attempt, cancelled=job.cancelled)
        return job.attempt

    def _work(self, job: JobContext, seconds: float) -> None:
        told = threading.Event()
        if not self.deaf:
            job.when_cancelled(told.set)
        until = time.monotonic() + seconds
        while not told.is_set() and (left := until - time.monotonic()) > 0:
            told.wait(min(left, 0.1))
        if not self.deaf:
            job.check()


class Plain(Recorded, category="analysis"):
    """Has the default policy: no retries."""


class Stubborn(Recorded, category="analysis", retries=2):
    """Is retried twice when its worker is lost."""


class Keyed(Recorded, category="media", retries=2, concurrency=PROVIDERS):
    """Has a limit per provider."""

    provider: str = "midjourney"


class Timed(Recorded, category="analysis", timeout=60):
    """Has a timeout of a minute."""
