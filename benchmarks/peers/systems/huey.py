"""Huey with two worker processes. A result that is None is not kept."""

from __future__ import annotations

from huey import RedisHuey

from peers import jobs
from peers.jobs import KEEPS_RESULTS
from peers.system import BROKER, System, script

huey = RedisHuey("peers", url=BROKER, notify_result=KEEPS_RESULTS)


@huey.task()
def job(n: int) -> int | None:
    return jobs.perform(n)


class Measured(System):
    def commands(self) -> list[list[str]]:
        options = ["--worker-type", "process", "--workers", "2", "--no-periodic", "--quiet"]
        return [[script("huey_consumer"), f"{__name__}.huey", *options]]

    async def submit(self, n: int) -> None:
        job(n)

    async def result(self, n: int) -> int:
        return int(job(n).get(blocking=True, timeout=10))
