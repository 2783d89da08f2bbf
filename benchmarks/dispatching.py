"""Measurements of a running Workroom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from http_load import Answered, Target, load
from measure import Latency, cpu_seconds, latency
from noop import Noop, Stamp
from page import Page
from sizes import BATCH, CALLERS, PAUSE_SECONDS, Sizes
from stage import ROOM, Stage
from workroom import AsyncRoom, Extension
from workroom.client.requests import Request, submit_batch
from workroom.client.transport.connection import Connection

SUBMIT = f"/api/rooms/{ROOM}/extensions/{Noop.category}/{Noop.extension_name}/submit"
WARM = 100
RESULT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Drained:
    """Jobs per second, and CPU microseconds per job."""

    submitted: float
    done: float
    server_us: float
    worker_us: float


class Visitor:
    """A client that submits to every server, and a page that watches the first."""

    def __init__(self, stage: Stage, rooms: list[AsyncRoom], page: Page) -> None:
        self._stage = stage
        self._rooms = rooms
        self._page = page

    async def submits(self, seconds: float) -> float:
        """Submit one by one from 32 callers while a worker runs the jobs; return jobs per second."""
        await self.load(seconds / 4)
        found = await self.load(seconds)
        return found.count / found.seconds

    async def load(self, seconds: float) -> Answered:
        """Wait until all jobs submitted one by one have ended."""
        port = int(self._stage.url.rpartition(":")[2])
        headers = {"Authorization": f"Bearer {self._stage.token}"}
        target = Target(port, SUBMIT, {"data": {"n": 1}}, headers)
        self._page.completed = 0
        found = await load(target, connections=CALLERS, seconds=seconds)
        await self._page.until(found.count)
        return found

    async def drain(self, jobs: int, kind: type[Extension] = Noop) -> Drained:
        """Submit in batches, to all servers at once."""
        await self._submit_all(WARM * len(self._rooms), kind)
        servers, workers = self._stage.server_pids, self._stage.worker_pids
        server_cpu, worker_cpu = cpu_seconds(*servers), cpu_seconds(*workers)
        submitted, took = await self._submit_all(jobs, kind)
        return Drained(
            jobs / submitted,
            jobs / took,
            (cpu_seconds(*servers) - server_cpu) / jobs * 1e6,
            (cpu_seconds(*workers) - worker_cpu) / jobs * 1e6,
        )

    async def _submit_all(self, jobs: int, kind: type[Extension]) -> tuple[float, float]:
        """Seconds until all jobs were accepted, and until all had ended."""
        self._page.completed = 0
        share = jobs // len(self._rooms)
        begun = time.perf_counter()
        await asyncio.gather(*(_submit(room, share, kind) for room in self._rooms))
        submitted = time.perf_counter() - begun
        await self._page.until(share * len(self._rooms))
        return submitted, time.perf_counter() - begun

    async def accepted(self, times: int) -> Latency:
        async def submit() -> None:
            await self._rooms[0].submit(Noop())

        return await latency(submit, times=times, pause=PAUSE_SECONDS)

    async def starts(self, times: int) -> Latency:
        async def stamped() -> float:
            begun = time.monotonic_ns()
            job = await self._rooms[0].submit(Stamp())
            return (int(await job.result(timeout=RESULT_SECONDS)) - begun) / 1e9

        return await latency(stamped, times=times, pause=PAUSE_SECONDS)

    async def answers(self, times: int) -> Latency:
        async def whole() -> None:
            await (await self._rooms[0].submit(Noop())).result(timeout=RESULT_SECONDS)

        return await latency(whole, times=times, pause=PAUSE_SECONDS)

    async def registrations(self, times: int) -> Latency:
        connection: Connection = self._rooms[0]._context.connection
        extension = {"room": ROOM, "category": "analysis", "name": "Other", "schema": {"type": "object"}}
        body = {"worker_id": "benchmark-worker", "name": "bench", "extensions": [extension]}

        async def register() -> None:
            await connection.send(Request("POST", "/api/workers/register", body))

        return await latency(register, times=times, pause=PAUSE_SECONDS)


async def _submit(room: AsyncRoom, jobs: int, kind: type[Extension]) -> None:
    """In batches without a group, as other commits have them too."""
    connection: Connection = room._context.connection
    for first in range(0, jobs, BATCH):
        batch = [
            {"category": kind.category, "name": kind.extension_name, "data": {"n": n}, "priority": None}
            for n in range(first, min(first + BATCH, jobs))
        ]
        await connection.send(submit_batch(room.name, batch))


@asynccontextmanager
async def visitor(stage: Stage) -> AsyncIterator[Visitor]:
    async with AsyncExitStack() as stack:
        rooms = [
            await stack.enter_async_context(AsyncRoom(ROOM, server.url, token=stage.token))
            for server in stage.servers
        ]
        page = await Page.open(stage.url, ROOM)
        stack.push_async_callback(page.close)
        yield Visitor(stage, rooms, page)


async def throughput(stage: Stage, sizes: Sizes) -> Drained:
    async with visitor(stage) as who:
        return await who.drain(sizes.jobs)
