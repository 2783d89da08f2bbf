"""How fast is a job? Compares Workroom with the floor of its stack and with the last recorded commit.

    python benchmarks/dispatch.py [--quick] [--store sqlite|redis] [--record]
    python benchmarks/dispatch.py --store redis --servers 1 2 3

Client, server and workers share the machine, so compare ratios, not absolute figures. With `--servers`
only the throughput of so many servers on one store is measured.
"""

from __future__ import annotations

import argparse
import asyncio

from dispatching import throughput, visitor
from figures import RATE, TIME, Figure
from floors import Floor, measure_floor
from last import Last, record
from sizes import FULL, QUICK, Sizes
from stage import REDIS, SQLITE, Stage, stage

SLOWER = 0.8  # a smaller ratio is more than noise
WORKERS = 2


class Table:
    """Print each row as soon as it is measured."""

    def __init__(self, store: str, last: Last) -> None:
        self._store = store
        self._last = last
        self.figures: list[Figure] = []
        beside = f"vs {last.commit}" if last.commit else ""
        print(f"{store:44}{'figure':>12}{'vs floor':>10}{beside:>14}", flush=True)

    def row(self, figure: Figure) -> None:
        self.figures.append(figure)
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        print(f"{figure.name:44}{figure.shown:>12}{ratio:>10}{self._beside(figure):>14}", flush=True)

    def _beside(self, figure: Figure) -> str:
        last = self._last.of(self._store, figure)
        if last is None:
            return ""
        speed = figure.speed_beside(last)
        return f"{speed:.2f}{' SLOWER' if speed < SLOWER else ''}"


async def ask(staged: Stage, table: Table, floor: Floor, sizes: Sizes) -> None:
    staged.add_worker()
    async with visitor(staged) as who:
        submits = await who.submits(sizes.seconds)
        table.row(Figure("submits one by one, 32 callers, drained", submits, RATE, floor.posts))
        accepted = await who.accepted(sizes.times)
        table.row(Figure("idle, submit -> 202, p50", accepted.p50, TIME, floor.post.p50))
        while len(staged.workers) <= WORKERS:
            drained = await who.drain(sizes.jobs)
            count = len(staged.workers)
            table.row(Figure(f"end to end in batches, {count} worker(s)", drained.done, RATE, floor.events))
            print(f"    CPU per job: server {drained.server_us:.0f}, workers {drained.worker_us:.0f} us")
            if count == WORKERS:
                break
            await asyncio.to_thread(staged.add_worker)
        for name, found in (
            ("idle, submit -> code runs", await who.starts(sizes.times)),
            ("idle, submit -> result at the caller", await who.answers(sizes.times)),
        ):
            table.row(Figure(f"{name}, p50", found.p50, TIME, floor.event.p50))
            table.row(Figure(f"{name}, p99", found.p99, TIME, floor.event.p99))
        registered = await who.registrations(min(sizes.times, 50))
        table.row(Figure("registration, p50", registered.p50, TIME, floor.post.p50))


async def compare(store: str, sizes: Sizes) -> list[Figure]:
    last = Last.read()
    floor = await measure_floor(sizes)
    table = Table(store, last)
    table.row(Figure("floor: empty FastAPI POST, 32 callers", floor.posts, RATE))
    table.row(Figure("floor: acked socket event, 32 callers", floor.events, RATE))
    table.row(Figure("floor: empty FastAPI POST, p50", floor.post.p50, TIME))
    table.row(Figure("floor: acked socket event, p50", floor.event.p50, TIME))
    with stage(store) as staged:
        await ask(staged, table, floor, sizes)
    if last.commit:
        print(f"vs {last.commit} ({last.date}): of the ratios to the floor; above 1 is faster than then")
    return table.figures


async def spread(store: str, counts: list[int], sizes: Sizes) -> None:
    print(f"{store:12}{'jobs/s':>10}{'server us':>12}{'worker us':>12}")
    for count in counts:
        with stage(store, count) as staged:
            for _ in range(WORKERS):
                staged.add_worker()
            found = await throughput(staged, sizes)
        what = f"{count} server{'s' if count > 1 else ''}"
        print(f"{what:12}{found.done:>10,.0f}{found.server_us:>12.0f}{found.worker_us:>12.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--store", choices=[SQLITE, REDIS], default=SQLITE)
    parser.add_argument("--servers", type=int, nargs="+", help="how many on one store (redis only)")
    parser.add_argument("--record", action="store_true", help="keep the figures, to compare with")
    given = parser.parse_args()
    sizes = QUICK if given.quick else FULL
    if given.servers:
        if given.store == SQLITE and given.servers != [1]:
            parser.error("several servers need --store redis")
        asyncio.run(spread(given.store, given.servers, sizes))
        return
    figures = asyncio.run(compare(given.store, sizes))
    if given.record:
        record(given.store, figures)


if __name__ == "__main__":
    main()
