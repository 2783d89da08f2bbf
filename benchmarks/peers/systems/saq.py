"""SAQ with two worker processes; it always stores results for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from saq import Queue

from peers import jobs
from peers.system import BROKER, System, script

TRIES = 10
WAIT_SECONDS = 1.0

queue = Queue.from_url(BROKER)


async def job(context: dict[str, Any], *, n: int) -> int:
    return jobs.echo(n)


settings = {"queue": queue, "functions": [job]}


class Measured(System):
    def commands(self) -> list[list[str]]:
        return [[script("saq"), f"{__name__}.settings", "--workers", "2", "--quiet"]]

    async def open(self) -> None:
        await queue.connect()

    async def close(self) -> None:
        await queue.disconnect()

    async def submit(self, n: int) -> None:
        await queue.enqueue("job", n=n)

    async def submit_many(self, numbers: Sequence[int]) -> None:
        await asyncio.gather(*(self.submit(n) for n in numbers))

    async def result(self, n: int) -> int:
        """SAQ reads the job, then subscribes: it misses an end in between, so the timeout is short."""
        submitted = await queue.enqueue("job", n=n)
        for _ in range(TRIES):
            try:
                await submitted.refresh(until_complete=WAIT_SECONDS)
            except TimeoutError:
                continue
            return int(submitted.result)
        raise TimeoutError(f"job {n} has no result")
