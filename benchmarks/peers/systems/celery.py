"""Celery, prefork with two processes."""

from __future__ import annotations

from celery import Celery

from peers import jobs
from peers.jobs import KEEPS_RESULTS
from peers.system import BROKER, System, script

app = Celery("peers", broker=BROKER, backend=BROKER if KEEPS_RESULTS else None)
app.conf.update(task_ignore_result=not KEEPS_RESULTS, broker_connection_retry_on_startup=True)


@app.task
def job(n: int) -> int | None:
    return jobs.perform(n)


class Measured(System):
    def commands(self) -> list[list[str]]:
        options = ["--pool", "prefork", "--concurrency", "2", "--loglevel", "ERROR"]
        return [[script("celery"), "--app", __name__, "worker", *options]]

    async def submit(self, n: int) -> None:
        job.delay(n)

    async def result(self, n: int) -> int:
        return int(job.delay(n).get(timeout=10))
