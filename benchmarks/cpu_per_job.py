"""What a job costs: CPU of the server and the workers, and time. One measurement, printed as JSON.

python benchmarks/cpu_per_job.py [--quick] [--store sqlite|redis] [--source FOLDER]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dispatching import Visitor, visitor
from measure import cpu_seconds
from noop import Nap
from sizes import FULL, QUICK, Sizes
from stage import REDIS, SQLITE, Stage, stage

WORKERS = 2
NAP_SLOTS = 64

Costs = dict[str, float]


class Subject:
    """Servers and workers whose jobs are measured."""

    def __init__(self, staged: Stage, who: Visitor) -> None:
        self._staged = staged
        self._who = who

    async def measure(self, sizes: Sizes) -> Costs:
        """Microseconds per job, by what they are spent on."""
        drained = await self._who.drain(sizes.jobs)
        singly = await self._who.drain(sizes.jobs, Nap)
        server, workers = await self._one_by_one(sizes.seconds)
        return {
            "CPU of the server, started singly": singly.server_us,
            "CPU of the workers, started singly": singly.worker_us,
            "CPU in all, started singly": singly.server_us + singly.worker_us,
            "CPU of the server, in batches": drained.server_us,
            "CPU of the workers, in batches": drained.worker_us,
            "CPU in all, in batches": drained.server_us + drained.worker_us,
            "CPU of the server, one by one": server,
            "CPU of the workers, one by one": workers,
            "CPU in all, one by one": server + workers,
            "time per job, in batches": 1e6 / drained.done,
            "idle, submit to code, p50": 1e3 * (await self._who.starts(sizes.times)).p50,
            "idle, submit to result, p50": 1e3 * (await self._who.answers(sizes.times)).p50,
        }

    async def _one_by_one(self, seconds: float) -> tuple[float, float]:
        """The server's and the workers' microseconds for a submit by HTTP and its job."""
        processes = (self._staged.server_pids, self._staged.worker_pids)
        before = [cpu_seconds(*pids) for pids in processes]
        jobs = (await self._who.load(seconds)).count
        server, workers = (
            (cpu_seconds(*pids) - begun) / jobs * 1e6 for pids, begun in zip(processes, before, strict=True)
        )
        return server, workers


@asynccontextmanager
async def subject(store: str, source: Path | None = None) -> AsyncIterator[Subject]:
    """Servers and workers of the package in `source`, by default this one."""
    with stage(store, source=source) as staged:
        for _ in range(WORKERS):
            staged.add_worker()
            staged.add_worker("noop:Nap", slots=NAP_SLOTS)
        async with visitor(staged) as who:
            yield Subject(staged, who)


async def measure(store: str, source: Path | None, sizes: Sizes) -> Costs:
    async with subject(store, source) as measured:
        return await measured.measure(sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--store", choices=[SQLITE, REDIS], default=SQLITE)
    parser.add_argument("--source", type=Path, help="the package that servers and workers run")
    given = parser.parse_args()
    sizes = QUICK if given.quick else FULL
    print(json.dumps(asyncio.run(measure(given.store, given.source, sizes))))


if __name__ == "__main__":
    main()
