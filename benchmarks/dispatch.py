"""How fast is a job? Prints, in one run, the floor of the stack and Workroom beside it.

    python benchmarks/dispatch.py [--quick]

Client, server and workers share the machine, so compare ratios, not absolute figures.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp

from measure import Latency, cpu_seconds, latency, rate
from noop import Noop, Stamp
from workroom import AsyncRoom
from workroom.client.connection import Connection
from workroom.client.requests import Request
from workroom.testing.processes import ServerProcess, WorkerProcess, eventually

HERE = Path(__file__).parent
CALLERS = 32
BATCH = 500
SUBMIT = "/api/rooms/bench/extensions/analysis/Noop/submit"


class Report:
    """Rows of a table: a figure, its ratio to the floor, and what the earlier system took."""

    def __init__(self) -> None:
        print(f"{'':46}{'figure':>16}{'vs floor':>10}   earlier system")

    def row(self, what: str, figure: str, ratio: float | None = None, seed: str = "") -> None:
        shown = "" if ratio is None else f"{ratio:.2f}"
        print(f"{what:46}{figure:>16}{shown:>10}   {seed}", flush=True)


@contextmanager
def floor_server():
    process = subprocess.Popen([sys.executable, str(HERE / "floor.py")], stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


@asynccontextmanager
async def poster(
    url: str, path: str, body: dict, token: str | None
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connector = aiohttp.TCPConnector(limit=CALLERS)
    async with aiohttp.ClientSession(url, headers=headers, connector=connector) as session:

        async def post() -> None:
            async with session.post(path, json=body) as answer:
                content = await answer.read()
                if answer.status >= 300:
                    raise RuntimeError(content)

        for _ in range(20):
            await post()
        yield post


async def measure_floor(seconds: float, times: int) -> dict[str, float | Latency]:
    with floor_server() as url:
        await asyncio.sleep(1)
        async with poster(url, "/empty", {"data": {"n": 1}}, None) as post:
            found: dict[str, float | Latency] = {
                "posts": await rate(post, callers=CALLERS, seconds=seconds),
                "post": await latency(post, times=times),
            }
        connection = Connection(url, user="bench", password=None, token="none")
        await connection.open_socket()
        found["event"] = await latency(lambda: _nothing(connection), times=times)
        found["events"] = await rate(lambda: connection.call("empty", {}), callers=CALLERS, seconds=seconds)
        await connection.aclose()
        return found


async def _nothing(connection: Connection) -> None:
    await connection.call("empty", {})


class Page:
    """A browser in the room: hears every state change."""

    def __init__(self, room: AsyncRoom) -> None:
        self._connection: Connection = room._link.connection
        self.completed = 0
        self._news = asyncio.Event()
        self._connection.on("job:state_changed", self._heard)

    def _heard(self, item: dict) -> None:
        self.completed += item["status"] == "completed"
        self._news.set()

    async def join(self) -> None:
        await self._connection.call("room:join", {"room": "bench"})

    async def until(self, count: int, seconds: float = 120) -> None:
        async with asyncio.timeout(seconds):
            while self.completed < count:
                self._news.clear()
                await self._news.wait()


def start_worker(server: ServerProcess, folder: Path, name: str) -> WorkerProcess:
    environment = {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    log = folder / f"{name}.log"
    worker = WorkerProcess(
        server.url, "noop:Noop", "noop:Stamp", room="bench", name=name, log=log, environment=environment
    )
    eventually(lambda: "Serving" in log.read_text())
    return worker


async def drain(
    server: ServerProcess, room: AsyncRoom, page: Page, workers: list[WorkerProcess], jobs: int
) -> tuple[float, float, float, float]:
    page.completed = 0
    await room.submit_many([Noop(n=n) for n in range(100)])
    await page.until(100)
    page.completed = 0
    pids = [worker.pid for worker in workers]
    server_cpu, worker_cpu = cpu_seconds(server.process.pid), cpu_seconds(*pids)
    begun = time.perf_counter()
    for first in range(0, jobs, BATCH):
        await room.submit_many([Noop(n=n) for n in range(first, first + BATCH)])
    submitted = time.perf_counter() - begun
    await page.until(jobs)
    took = time.perf_counter() - begun
    server_us = (cpu_seconds(server.process.pid) - server_cpu) / jobs * 1e6
    worker_us = (cpu_seconds(*pids) - worker_cpu) / jobs * 1e6
    return jobs / submitted, jobs / took, server_us, worker_us


async def main(quick: bool) -> None:
    seconds, times, jobs = (1.5, 100, 2000) if quick else (4.0, 400, 10_000)
    report = Report()
    floor = await measure_floor(seconds, times)
    report.row("floor: empty FastAPI POST, 32 callers", f"{floor['posts']:,.0f}/s")
    report.row("floor: empty acked socket event, 32 callers", f"{floor['events']:,.0f}/s")
    report.row("floor: empty POST, p50 / p99", _ms(floor["post"]))
    report.row("floor: empty acked event, p50 / p99", _ms(floor["event"]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ServerProcess(folder / "data", log_level="warning") as server:
            await measure_workroom(server, folder, report, floor, (seconds, times, jobs))


async def measure_workroom(server, folder: Path, report: Report, floor: dict, sizes: tuple) -> None:
    seconds, times, jobs = sizes
    async with AsyncRoom("bench", server.url, user="bench") as room:
        connection: Connection = room._link.connection
        page = Page(room)
        await page.join()
        workers = [start_worker(server, folder, "one")]
        try:
            async with poster(server.url, SUBMIT, {"data": {"n": 1}}, await connection.token()) as post:
                submits = await rate(post, callers=CALLERS, seconds=seconds)
                await page.until(1)
                report.row(
                    "submits one by one, 32 callers, drained", f"{submits:,.0f}/s", submits / floor["posts"]
                )
            await _settle(room)

            async def submit() -> None:
                await room.submit(Noop())

            single = await latency(submit, times=times, pause=0.01)
            report.row(
                "submit, idle, p50 / p99", _ms(single), single.p50 / floor["post"].p50, "submission 3-5 ms"
            )
            await _settle(room)
            for count in (1, 2):
                if count > len(workers):
                    workers.append(await asyncio.to_thread(start_worker, server, folder, "two"))
                submits, done, server_us, worker_us = await drain(server, room, page, workers, jobs)
                if count == 1:
                    report.row(
                        f"submits in batches of {BATCH}, drained",
                        f"{submits:,.0f}/s",
                        submits / floor["posts"],
                    )
                report.row(
                    f"end to end, batches of {BATCH}, {count} worker(s)",
                    f"{done:,.0f}/s",
                    done / floor["events"],
                )
                report.row("    CPU per job: server / workers", f"{server_us:.0f} / {worker_us:.0f} us")

            async def stamped() -> float:
                begun = time.time_ns()
                job = await room.submit(Stamp())
                return (await job.result(timeout=10) - begun) / 1e9

            begins = await latency(stamped, times=times, pause=0.02)
            report.row(
                "idle latency submit -> run() starts, p50 / p99", _ms(begins), begins.p50 / floor["event"].p50
            )

            async def whole() -> None:
                await (await room.submit(Noop())).result(timeout=10)

            ends = await latency(whole, times=times, pause=0.02)
            report.row(
                "submit -> result at the caller, p50 / p99",
                _ms(ends),
                ends.p50 / floor["event"].p50,
                "completion 3-5 ms",
            )
            register = await latency(lambda: _register(connection), times=min(times, 50))
            report.row(
                "registration, p50 / p99",
                _ms(register),
                register.p50 / floor["post"].p50,
                "registration 5-10 ms",
            )
        finally:
            for worker in workers:
                worker.close()


async def _settle(room: AsyncRoom) -> None:
    """Wait until nothing is pending."""
    for job in await room.jobs(status="pending", limit=1):
        await (await room.job(job["id"])).result(timeout=120)


async def _register(connection: Connection) -> None:
    extension = {"room": "bench", "category": "analysis", "name": "Other", "schema": {"type": "object"}}
    body = {"worker_id": "benchmark-worker", "name": "bench", "extensions": [extension]}
    await connection.send(Request("POST", "/api/workers/register", body))


def _ms(found: Latency) -> str:
    return f"{found.p50:.2f} / {found.p99:.2f} ms"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    asyncio.run(main(parser.parse_args().quick))
