"""What a job costs: CPU of the server and the workers, and time. One measurement, printed as JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from dispatching import Visitor, visitor
from measure import cpu_seconds
from noop import Nap
from sizes import FULL, QUICK, Sizes
from stage import REDIS, SQLITE, Stage, stage

WORKERS = 2
NAP_SLOTS = 64


async def measure(staged: Stage, sizes: Sizes) -> dict[str, float]:
    for _ in range(WORKERS):
        staged.add_worker()
        staged.add_worker("noop:Nap", slots=NAP_SLOTS)
    async with visitor(staged) as who:
        drained = await who.drain(sizes.jobs)
        singly = await who.drain(sizes.jobs, Nap)
        return {
            "CPU of the server, started singly": singly.server_us,
            "CPU of the workers, started singly": singly.worker_us,
            "CPU of the server, in batches": drained.server_us,
            "CPU of the workers, in batches": drained.worker_us,
            "CPU in all, in batches": drained.server_us + drained.worker_us,
            "CPU of the server, one by one": await _one_by_one(staged, who, sizes.seconds),
            "time per job, in batches": 1e6 / drained.done,
            "idle, submit to code, p50": 1e3 * (await who.starts(sizes.times)).p50,
            "idle, submit to result, p50": 1e3 * (await who.answers(sizes.times)).p50,
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
