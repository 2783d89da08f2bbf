"""Does the cost of a job depend on how many others wait? How much does an idle worker cost?

    python benchmarks/scale.py [--quick]

The store is driven directly, in this process: what is measured is the queue, not HTTP. A submit and a
dispatch each wait for the disk, so look at the ratios and at the CPU time, which no disk disturbs.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import socketio
from uuid_utils import uuid7

from fresh import fresh_server
from measure import Latency, cpu_seconds
from workroom.domain.extension import (
    Concurrency,
    ExtensionKey,
    ExtensionSpec,
    Policy,
    RunnerKind,
    canonical,
    schema_hash,
)
from workroom.domain.job import JobState
from workroom.domain.queries import FindJob, FindJobs
from workroom.domain.room import Room
from workroom.domain.schema.concurrency_keys import lane_key
from workroom.domain.steps import Assignment, NewJob, Report, Seat, Start
from workroom.domain.worker import Liveness, Session, WorkerSpec
from workroom.stores.sqlite.store import SqliteStore

ROOM = "bench"
BATCH = 1000
READS = 3
RUN = 10  # jobs with one key or of one user that follow one another
SWARMS = 4
GREETERS = 20
HEARTBEAT_SECONDS = 5.0
WATCH_SECONDS = 20.0
OPEN = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Scene:
    """The users of the pending jobs, and their lanes."""

    name: str
    users: int = 1
    keys: int = 0

    def extension(self) -> ExtensionSpec:
        policy = Policy(concurrency=Concurrency("{key}") if self.keys else None)
        return ExtensionSpec(
            ExtensionKey(ROOM, "analysis", "Noop"),
            canonical(OPEN),
            schema_hash(OPEN),
            RunnerKind.REMOTE,
            "bench",
            policy,
        )


SCENES = (Scene("1 user"), Scene("1,000 keys", keys=1000), Scene("1,000 users", users=1000))


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one kind of step: milliseconds until its result, microseconds of CPU."""

    wall: Latency
    cpu_us: float


@dataclass(frozen=True, slots=True)
class Figures:
    submit: Cost
    dispatch: Cost
    read_ms: float
    list_ms: float


class Meter:
    """Times one kind of step."""

    def __init__(self) -> None:
        self._seconds: list[float] = []
        self._cpu = 0.0

    async def time(self, step: Awaitable[Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        answer = await step
        self._seconds.append(time.perf_counter() - wall)
        self._cpu += time.process_time() - cpu
        return answer

    def cost(self) -> Cost:
        return Cost(Latency.of(self._seconds), self._cpu / len(self._seconds) * 1e6)


class Queue:
    """A store with one worker and a given number of pending jobs."""

    def __init__(self, store: SqliteStore, scene: Scene, extension_id: int, session: Session) -> None:
        self._store = store
        self._scene = scene
        self._spec = scene.extension()
        self._extension_id = extension_id
        self._session = session
        self._numbers = count()
        self._pending = 0
        self._newest = ""

    @classmethod
    async def open(cls, path: Path, scene: Scene) -> Queue:
        store = SqliteStore(path, Liveness())
        worker = WorkerSpec("the worker", "bench", "worker", RunnerKind.REMOTE, 1, b"{}")
        await store.create_room(Room(ROOM, "bench"))
        registered = await store.register(worker, [scene.extension()])
        opened = await store.open_session(worker.id, "the first boot", (), 0)
        return cls(store, scene, registered.extension_ids[0], opened.session)

    async def fill(self, size: int) -> float:
        """Fill the queue; return jobs per second."""
        missing, begun = size - self._pending, time.perf_counter()
        for first in range(0, missing, BATCH):
            await self._store.submit([self._job() for _ in range(min(BATCH, missing - first))])
        self._pending = size
        return missing / (time.perf_counter() - begun)

    async def measure(self, samples: int) -> Figures:
        """For each submitted job one ends, so that the size stays the same."""
        submits, dispatches = Meter(), Meter()
        for _ in range(samples):
            await submits.time(self._submit())
            (assignment,) = await dispatches.time(self._claim())
            await self._finish(assignment)
        read_ms = await _milliseconds(lambda: self._store.read(FindJob(self._newest)))
        list_ms = await _milliseconds(lambda: self._store.read(FindJobs(room=ROOM)))
        return Figures(submits.cost(), dispatches.cost(), read_ms, list_ms)

    async def close(self) -> None:
        await self._store.aclose()

    async def _submit(self) -> None:
        job = self._job()
        self._newest = job.id
        step = await self._store.submit([job])
        assert step.answers == [None]

    async def _claim(self) -> list[Assignment]:
        return list((await self._store.claim([Seat(self._session, 1)]).durable).assignments)

    async def _finish(self, assignment: Assignment) -> None:
        started = await self._store.start(assignment.worker, [Start(assignment.fence, "the nonce")])
        ended = await self._store.finish(assignment.worker, [Report(assignment.fence, JobState.COMPLETED)])
        assert started.answers == ended.answers == [None]

    def _job(self) -> NewJob:
        number = next(self._numbers)
        concurrency = self._spec.policy.concurrency
        key = number // RUN % self._scene.keys if self._scene.keys else 0
        return NewJob(
            id=str(uuid7()),
            room=ROOM,
            extension_id=self._extension_id,
            schema_hash=self._spec.schema_hash,
            user=f"user-{number // RUN % self._scene.users}",
            data=b'{"key":%d}' % key,
            priority=0,
            lane=lane_key(concurrency, {"key": key}, {}) if concurrency else None,
        )


async def _milliseconds(call: Callable[[], Awaitable[Any]]) -> float:
    """The median of a few calls, after one that warms up."""
    taken = []
    for _ in range(READS + 1):
        begun = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - begun) * 1000)
    return sorted(taken[1:])[READS // 2]


async def measure_queue(folder: Path, scene: Scene, sizes: list[int], samples: int) -> list[Figures]:
    """Measure each size."""
    path = folder / f"{scene.users}-{scene.keys}.db"
    queue = await Queue.open(path, scene)
    found: list[Figures] = []
    for size in sizes:
        filled = await queue.fill(size)
        found.append(await queue.measure(samples))
        row(scene.name, size, found[-1], f"{filled:>10,.0f}/s")
    ratio(found[0], found[-1])
    await queue.close()
    if scene is SCENES[0]:
        begun = time.perf_counter()
        store = SqliteStore(path, Liveness())
        print(f"open at {sizes[-1]:,} pending: {(time.perf_counter() - begun) * 1000:.1f} ms")
        await store.aclose()
    return found


def heading() -> None:
    print(
        f"{'':12}{'pending':>10}{'submit p50/p99 ms':>20}{'CPU us':>8}{'dispatch p50/p99 ms':>21}"
        f"{'CPU us':>8}{'read ms':>9}{'list 50 ms':>12}{'filled':>12}"
    )


def row(name: str, size: int, found: Figures, filled: str) -> None:
    print(
        f"{name:12}{size:>10,}{_pair(found.submit.wall):>20}{found.submit.cpu_us:>8.0f}"
        f"{_pair(found.dispatch.wall):>21}{found.dispatch.cpu_us:>8.0f}"
        f"{found.read_ms:>9.2f}{found.list_ms:>12.1f}{filled:>12}",
        flush=True,
    )


def ratio(least: Figures, most: Figures) -> None:
    submit, dispatch = most.submit, most.dispatch
    print(
        f"{'':12}{'ratio':>10}"
        f"{_ratios(submit.wall, least.submit.wall):>20}{submit.cpu_us / least.submit.cpu_us:>8.2f}"
        f"{_ratios(dispatch.wall, least.dispatch.wall):>21}{dispatch.cpu_us / least.dispatch.cpu_us:>8.2f}"
        f"{most.read_ms / least.read_ms:>9.1f}{most.list_ms / least.list_ms:>12.1f}",
        flush=True,
    )


def _pair(latency: Latency) -> str:
    return f"{latency.p50:.2f} / {latency.p99:.2f}"


def _ratios(most: Latency, least: Latency) -> str:
    return f"{most.p50 / least.p50:.2f} / {most.p99 / least.p99:.2f}"


def measure_idle(folder: Path, workers: int) -> float:
    """The CPU time of a server with idle workers, as a share of a core."""
    settings: dict[str, Any] = {"sweep": 1, "log_level": "warning", "max_sockets": workers, "rooms": ROOM}
    with fresh_server(folder / f"idle-{workers}", **settings) as server:
        pid = server.process.pid
        empty = psutil.Process(pid).memory_info().rss
        begun = time.perf_counter()
        with swarm(server.url, workers):
            joined = time.perf_counter() - begun
            cpu = cpu_seconds(pid)
            time.sleep(WATCH_SECONDS)
            cpu = cpu_seconds(pid) - cpu
            rss = psutil.Process(pid).memory_info().rss
    print(
        f"{workers:>6,} idle workers: RSS {rss / 1e6:,.0f} MB, {(rss - empty) / workers / 1e3:,.0f} kB each, "
        f"CPU {cpu / WATCH_SECONDS:.1%} of a core over {WATCH_SECONDS:.0f} s, joined in {joined:.1f} s",
        flush=True,
    )
    return cpu / WATCH_SECONDS


@contextmanager
def swarm(url: str, workers: int) -> Iterator[None]:
    with ExitStack() as stack:
        children = [_child(stack, url, workers // SWARMS) for _ in range(SWARMS)]
        for child in children:
            assert child.stdout is not None
            if not child.stdout.readline():
                raise RuntimeError("the workers could not connect")
        yield
        assert all(child.poll() is None for child in children), "a worker was lost"


def _child(stack: ExitStack, url: str, workers: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--swarm", url, str(workers)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stack.callback(child.wait)
    stack.callback(child.kill)
    return child


async def be_idle(url: str, workers: int) -> None:
    """Run this many workers in this process: they send hello and heartbeats until the process is killed."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(url, connector=connector) as http:
        async with http.post("/api/login", json={"name": "bench"}) as answer:
            token = (await answer.json())["token"]
        gate = asyncio.Semaphore(GREETERS)
        joined = asyncio.Barrier(workers + 1)
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(_live(http, url, token, gate, group, joined))
            await joined.wait()
            print("ready", flush=True)


async def _live(
    http: aiohttp.ClientSession,
    url: str,
    token: str,
    gate: asyncio.Semaphore,
    group: asyncio.TaskGroup,
    joined: asyncio.Barrier,
) -> None:
    """Join and send heartbeats at once: the other workers may take longer to join than a lease lasts."""
    socket, session = await _join(http, url, token, gate)
    group.create_task(_beat(socket, session))
    await joined.wait()


async def _join(
    http: aiohttp.ClientSession, url: str, token: str, gate: asyncio.Semaphore
) -> tuple[socketio.AsyncClient, int]:
    async with gate:
        extension = {"room": ROOM, "category": "analysis", "name": "Idle", "schema": OPEN}
        headers = {"Authorization": f"Bearer {token}"}
        async with http.post(
            "/api/workers/register", json={"extensions": [extension]}, headers=headers
        ) as answer:
            worker_id = (await answer.json())["worker_id"]
        socket = socketio.AsyncClient(http_session=http, reconnection=False, handle_sigint=False)
        auth = {"token": token, "worker_id": worker_id}
        await socket.connect(url, auth=auth, transports=["websocket"], wait_timeout=30)
        hello = await socket.call("worker:hello", {"boot_id": "the first boot"}, timeout=30)
        return socket, hello["session"]


async def _beat(socket: socketio.AsyncClient, session: int) -> None:
    await asyncio.sleep(random.uniform(0, HEARTBEAT_SECONDS))
    while True:
        answer = await socket.call("worker:heartbeat", {"session": session}, timeout=30)
        assert answer == {"drop": [], "cancel": []}, answer
        await asyncio.sleep(HEARTBEAT_SECONDS)


async def main(quick: bool) -> None:
    sizes, samples = ([1000, 20_000], 200) if quick else ([1000, 100_000, 1_000_000], 500)
    with tempfile.TemporaryDirectory() as name:
        for workers in [100] if quick else [500, 2000]:
            await asyncio.to_thread(measure_idle, Path(name), workers)
    heading()
    for scene in SCENES:
        with tempfile.TemporaryDirectory() as name:
            await measure_queue(Path(name), scene, sizes, samples)


def allow_many_sockets() -> None:
    """The server inherits it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--swarm", nargs=2, metavar=("URL", "WORKERS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    allow_many_sockets()
    if arguments.swarm:
        asyncio.run(be_idle(arguments.swarm[0], int(arguments.swarm[1])))
    else:
        asyncio.run(main(arguments.quick))
