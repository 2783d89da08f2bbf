"""RQ with two workers that do not fork for each job; it always stores results for a while."""

from __future__ import annotations

from collections.abc import Sequence

from redis import Redis
from rq import Queue

from peers import jobs
from peers.system import BROKER, System, script

NAME = "peers"


class Measured(System):
    def commands(self) -> list[list[str]]:
        options = ["--url", BROKER, "--worker-class", "rq.worker.SimpleWorker", "--quiet"]
        return [[script("rq"), "worker", *options, NAME]] * 2

    async def open(self) -> None:
        self._queue = Queue(NAME, connection=Redis.from_url(BROKER))

    async def submit(self, n: int) -> None:
        self._queue.enqueue(jobs.echo, n)

    async def submit_many(self, numbers: Sequence[int]) -> None:
        self._queue.enqueue_many([Queue.prepare_data(jobs.echo, (n,)) for n in numbers])

    async def result(self, n: int) -> int:
        return int(self._queue.enqueue(jobs.echo, n).latest_result(timeout=10).return_value)
