"""What do 10,000 progress calls cost a job? The same loop with and without, best of many.

    python benchmarks/progress.py [--work-us 20] [--calls 10000]

Each turn of the loop computes for about `work-us`; a turn that does nothing has no share to speak of.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Iterable

from workroom.progress import tqdm
from workroom.runtime.context import JobContext
from workroom.runtime.current import running


def work(rounds: int) -> int:
    total = 0
    for number in range(rounds):
        total += number * number
    return total


def calibrated(work_us: float) -> int:
    """How many rounds take so long here."""
    begun = time.thread_time()
    work(1_000_000)
    return max(1, round(work_us / ((time.thread_time() - begun) * 1e6) * 1_000_000))


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


async def measure(loop: Loop, calls: int, rounds: int) -> tuple[float, int]:
    """Seconds, and how many updates were sent, beside a loop that takes them as a worker's does."""
    here, sent = asyncio.get_running_loop(), []
    job = JobContext(
        "job",
        "room",
        "user",
        1,
        lambda document: here.call_soon_threadsafe(sent.append, document),
        later=lambda seconds, act: here.call_soon_threadsafe(here.call_later, seconds, act),
    )

    def run() -> float:
        with running(job):
            begun = time.thread_time()
            loop(calls, rounds, job)
            return time.thread_time() - begun

    return await asyncio.to_thread(run), len(sent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work-us", type=float, default=20)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    rounds = calibrated(options.work_us)
    best: dict[Loop, tuple[float, int]] = {}
    for _ in range(options.repeats):
        for loop in (plain, told, tracked, barred):
            found = asyncio.run(measure(loop, options.calls, rounds))
            best[loop] = min(best.get(loop, found), found)
    base = best[plain][0]
    turn_us = base / options.calls * 1e6
    print(f"{options.calls:,} turns of {turn_us:.1f} µs: {base * 1000:.1f} ms without progress")
    for name, loop in (("job.progress", told), ("job.track", tracked), ("tqdm", barred)):
        seconds, sent = best[loop]
        each = (seconds - base) / options.calls * 1e6
        print(f"{name:13} ratio {seconds / base:.3f}  ({each:.2f} µs a call, {sent} updates sent)")


if __name__ == "__main__":
    main()
