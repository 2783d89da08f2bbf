"""Dramatiq: a process per core, eight threads each."""

from __future__ import annotations

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.results import Results
from dramatiq.results.backends import RedisBackend

from peers import jobs
from peers.jobs import KEEPS_RESULTS
from peers.system import BROKER, System, script

broker = RedisBroker(url=BROKER)
if KEEPS_RESULTS:
    broker.add_middleware(Results(backend=RedisBackend(url=BROKER)))
dramatiq.set_broker(broker)


@dramatiq.actor(**({"store_results": True} if KEEPS_RESULTS else {}))
def job(n: int) -> int | None:
    return jobs.perform(n)


class Measured(System):
    def commands(self) -> list[list[str]]:
        return [[script("dramatiq"), __name__, "--processes", "2"]]

    async def submit(self, n: int) -> None:
        job.send(n)

    async def result(self, n: int) -> int:
        return int(job.send(n).get_result(block=True, timeout=10_000))
