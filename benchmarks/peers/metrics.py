"""The metrics of every system."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import quantiles

from http_load import load
from peers.system import System

BATCH = 500
CONNECTIONS = 32
PAUSE_SECONDS = 0.02

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of each measurement."""

    jobs: int
    times: int
    http_seconds: float


@dataclass(slots=True)
class Tally:
    """The number of jobs submitted to a system so far."""

    submitted: int = 0


async def one_by_one(system: System, sizes: Sizes, tally: Tally) -> Figures:
    jobs = sizes.jobs // 4
    begun = _begin(system)
    for n in range(jobs):
        await system.submit(n)
    return {"one_by_one": await _finished(system, jobs, begun, tally)}


async def bulk(system: System, sizes: Sizes, tally: Tally) -> Figures:
    return {"bulk": await _in_batches(system, sizes.jobs, tally)}


async def results(system: System, sizes: Sizes, tally: Tally) -> Figures:
    """The same for systems that store results only on request."""
    return {"results": await _in_batches(system, sizes.jobs, tally)}


async def starts(system: System, sizes: Sizes, tally: Tally) -> Figures:
    """An idle system: from the submit to the first line of the job."""
    system.forget()
    sent: dict[int, int] = {}
    for n in range(sizes.times):
        sent[n] = time.monotonic_ns()
        await system.submit(n)
        await system.log.until(n + 1)
        await asyncio.sleep(PAUSE_SECONDS)
    await system.until_done(sizes.times)
    tally.submitted += sizes.times
    began = system.log.began()
    p50, p99 = _percentiles([(began[n] - at) / 1e6 for n, at in sent.items()])
    return {"start_p50": p50, "start_p99": p99}


async def answers(system: System, sizes: Sizes, tally: Tally) -> Figures:
    """An idle system: from the submit until the caller has the result."""
    system.forget()
    waited = []
    for n in range(sizes.times):
        begun = time.monotonic_ns()
        found = await system.result(n)
        waited.append((time.monotonic_ns() - begun) / 1e6)
        assert found == n, f"job {n} gave {found}"
        await asyncio.sleep(PAUSE_SECONDS)
    await system.until_done(sizes.times)
    tally.submitted += sizes.times
    p50, p99 = _percentiles(waited)
    return {"result_p50": p50, "result_p99": p99}


async def http(system: System, sizes: Sizes, tally: Tally) -> Figures:
    target = await system.http()
    system.forget()
    warm = await load(target, connections=CONNECTIONS, seconds=sizes.http_seconds / 5)
    found = await load(target, connections=CONNECTIONS, seconds=sizes.http_seconds)
    await system.until_done(warm.count + found.count)
    tally.submitted += warm.count + found.count
    return {"http": found.count / found.seconds}


async def _in_batches(system: System, jobs: int, tally: Tally) -> float:
    begun = _begin(system)
    for first in range(0, jobs, BATCH):
        await system.submit_many(range(first, min(first + BATCH, jobs)))
    return await _finished(system, jobs, begun, tally)


def _begin(system: System) -> float:
    system.forget()
    return time.perf_counter()


async def _finished(system: System, jobs: int, begun: float, tally: Tally) -> float:
    await system.until_done(jobs)
    tally.submitted += jobs
    return jobs / (time.perf_counter() - begun)


def _percentiles(values: list[float]) -> tuple[float, float]:
    cuts = quantiles(values, n=100, method="inclusive")
    return cuts[49], cuts[98]


Metric = Callable[[System, Sizes, Tally], Awaitable[Figures]]
METRICS: dict[str, Metric] = {
    each.__name__: each for each in (one_by_one, bulk, results, starts, answers, http)
}
