"""Measuring: percentiles, CPU time, and concurrent callers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import quantiles

import psutil


@dataclass(frozen=True, slots=True)
class Latency:
    p50: float
    p99: float

    @classmethod
    def of(cls, seconds: list[float]) -> Latency:
        cuts = quantiles(seconds, n=100, method="inclusive")
        return cls(cuts[49] * 1000, cuts[98] * 1000)


def cpu_seconds(*pids: int) -> float:
    """CPU time of these processes and their children."""
    children = (child.pid for pid in pids for child in psutil.Process(pid).children(recursive=True))
    return sum(time.clock_gettime(_cpu_clock(pid)) for pid in (*pids, *children))


def _cpu_clock(pid: int) -> int:
    """As clock_getcpuclockid() returns it: nanoseconds, where /proc counts hundredths of a second."""
    return ~pid << 3 | 2


async def rate(call: Callable[[], Awaitable[object]], *, callers: int, seconds: float) -> float:
    """Calls per second with this many callers; each waits for its response before the next call."""
    deadline = time.perf_counter() + seconds
    count = 0

    async def caller() -> None:
        nonlocal count
        while time.perf_counter() < deadline:
            await call()
            count += 1

    begun = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    return count / (time.perf_counter() - begun)


async def latency(call: Callable[[], Awaitable[float | None]], *, times: int, pause: float = 0.0) -> Latency:
    """Time sequential calls. A call that returns a number has measured itself."""
    samples: list[float] = []
    for _ in range(times):
        begun = time.perf_counter()
        measured = await call()
        samples.append(time.perf_counter() - begun if measured is None else measured)
        if pause:
            await asyncio.sleep(pause)
    return Latency.of(samples)
