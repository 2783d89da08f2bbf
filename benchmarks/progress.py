"""How much time do 10,000 progress calls take? Compares the same loop with and without them, block by block.

    python benchmarks/progress.py [--work-us 50] [--calls 10000]

Each turn of the loop computes for about `work-us`; a turn that does nothing has no share to speak of. Each
block is compared with the one beside it, so that all loops meet the same load of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from workroom.progress import tqdm
from workroom.runtime.context import JobContext, job_scope


def work(rounds: int) -> int:
    total = 0
    for number in range(rounds):
        total += number * number
    return total


def calibrated(work_us: float) -> int:
    """The number of rounds that take this long on this machine."""
    best = float("inf")
    for _ in range(20):
        begun = time.thread_time()
        work(100_000)
        best = min(best, time.thread_time() - begun)
    return max(1, round(work_us / (best * 1e6) * 100_000))


def plain(calls: int, rounds: int, job: JobContext) -> None:
    for _ in range(calls):
        work(rounds)


def told(calls: int, rounds: int, job: JobContext) -> None:
    for number in range(calls):
        work(rounds)
        job.progress(number / calls, "counting")


def tracked(calls: int, rounds: int, job: JobContext) -> None:
    for _ in job.track(range(calls), "counting"):
        work(rounds)


def barred(calls: int, rounds: int, job: JobContext) -> None:
    bar: Iterable[int] = tqdm(range(calls), desc="counting")
    for _ in bar:
        work(rounds)


Loop = Callable[[int, int, JobContext], None]


class Found(NamedTuple):
    """Medians over the blocks."""

    seconds: float
    ratio: float
    sent: int


async def measure(blocks: int, turns: int, rounds: int) -> dict[Loop, Found]:
    """The receiving loop runs in another thread, as in a worker."""
    here = asyncio.get_running_loop()
    sent: dict[Loop, list[object]] = {loop: [] for loop in LOOPS.values()}
    took: dict[Loop, list[float]] = {loop: [] for loop in LOOPS.values()}

    def job_of(loop: Loop) -> JobContext:
        def send(document: object) -> None:
            here.call_soon_threadsafe(sent[loop].append, document)

        def later(seconds: float, act: Callable[[], None]) -> None:
            here.call_soon_threadsafe(here.call_later, seconds, act)

        return JobContext("job", "room", "user", 1, send, call_later=later)

    jobs = {loop: job_of(loop) for loop in LOOPS.values()}

    def run() -> None:
        for _ in range(blocks):
            for loop, job in jobs.items():
                with job_scope(job):
                    begun = time.thread_time()
                    loop(turns, rounds, job)
                    took[loop].append(time.thread_time() - begun)

    await asyncio.to_thread(run)
    return {loop: _found(took[loop], took[plain], len(sent[loop])) for loop in LOOPS.values()}


def _found(took: list[float], beside: list[float], sent: int) -> Found:
    ratios = [seconds / base for seconds, base in zip(took, beside, strict=True)]
    return Found(statistics.median(took), statistics.median(ratios), sent)


LOOPS: dict[str, Loop] = {"without": plain, "job.progress": told, "job.track": tracked, "tqdm": barred}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work-us", type=float, default=50)
    parser.add_argument("--calls", type=int, default=10_000)
    options = parser.parse_args()
    blocks = min(200, options.calls)
    turns = options.calls // blocks
    found = asyncio.run(measure(blocks, turns, calibrated(options.work_us)))
    turn_us = found[plain].seconds / turns * 1e6
    print(f"{options.calls:,} turns of {turn_us:.1f} µs")
    for name, loop in LOOPS.items():
        _, ratio, sent = found[loop]
        each_us = (ratio - 1) * turn_us
        print(f"{name:13} ratio {ratio:.3f}  ({each_us:.2f} µs a call, {sent} updates sent)")


if __name__ == "__main__":
    main()
