"""Taskiq on a Redis list, with two worker processes."""

from __future__ import annotations

from taskiq_redis import ListQueueBroker, RedisAsyncResultBackend

from peers import jobs
from peers.jobs import KEEPS_RESULTS
from peers.system import BROKER, System, script

LOOK_SECONDS = 0.001  # Taskiq polls for results; its default of 0.2 s would dominate the figure

broker = ListQueueBroker(url=BROKER)
if KEEPS_RESULTS:
    broker = broker.with_result_backend(RedisAsyncResultBackend(BROKER, result_ex_time=600))


@broker.task
async def job(n: int) -> int | None:
    return jobs.perform(n)


class Measured(System):
    def commands(self) -> list[list[str]]:
        options = ["--workers", "2", "--log-level", "ERROR"]
        return [[script("taskiq"), "worker", f"{__name__}:broker", *options]]

    async def open(self) -> None:
        await broker.startup()

    async def close(self) -> None:
        await broker.shutdown()

    async def submit(self, n: int) -> None:
        await job.kiq(n)

    async def result(self, n: int) -> int:
        task = await job.kiq(n)
        return int((await task.wait_result(check_interval=LOOK_SECONDS, timeout=10)).return_value)
