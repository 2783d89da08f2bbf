"""The CPU time of a job on the server and the workers: one measurement, printed as JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from dispatching import Visitor, visitor
from measure import cpu_seconds
from sizes import FULL, QUICK, Sizes
from stage import REDIS, SQLITE, Stage, stage

WORKERS = 2


async def measure(staged: Stage, sizes: Sizes) -> dict[str, float]:
    for _ in range(WORKERS):
        staged.add_worker()
    async with visitor(staged) as who:
        drained = await who.drain(sizes.jobs)
        return {
            "server, in batches": drained.server_us,
            "workers, in batches": drained.worker_us,
            "server, one by one": await _one_by_one(staged, who, sizes.seconds),
        }


async def _one_by_one(staged: Stage, who: Visitor, seconds: float) -> float:
    """The server's microseconds for a submit by HTTP and its job."""
    before = cpu_seconds(*staged.server_pids)
    jobs = (await who.load(seconds)).count
    return (cpu_seconds(*staged.server_pids) - before) / jobs * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--store", choices=[SQLITE, REDIS], default=SQLITE)
    parser.add_argument("--source", type=Path, help="the package that servers and workers run")
    given = parser.parse_args()
    with stage(given.store, source=given.source) as staged:
        print(json.dumps(asyncio.run(measure(staged, QUICK if given.quick else FULL))))


if __name__ == "__main__":
    main()
