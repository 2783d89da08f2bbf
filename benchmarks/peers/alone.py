"""Measurements of Workroom alone: a full queue, idle workers and a first visit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from first_view import first_views
from peers.targets import Verdict, of_bound
from scale import SCENES, allow_many_sockets, heading, measure_idle, measure_queue

VIEWS = 5


def judge_alone(*, quick: bool) -> list[Verdict]:
    sizes, workers = ([1000, 20_000], 100) if quick else ([1000, 1_000_000], 2000)
    return [*_full_queue(sizes), _idle_workers(workers), *_first_view()]


def _full_queue(sizes: list[int]) -> list[Verdict]:
    heading()
    with TemporaryDirectory() as folder:
        few, many = asyncio.run(measure_queue(Path(folder), SCENES[0], sizes, samples=500))
    cpu, wall = many.dispatch.cpu_us / few.dispatch.cpu_us, many.dispatch.wall.p50 / few.dispatch.wall.p50
    what = f"dispatch at {sizes[-1]:,} pending / at {sizes[0]:,}"
    return [of_bound(f"{what}, CPU", "", cpu, 1.3), of_bound(f"{what}, p50", "", wall, 1.3)]


def _idle_workers(workers: int) -> Verdict:
    allow_many_sockets()
    with TemporaryDirectory() as folder:
        share = measure_idle(Path(folder), workers)
    return of_bound(f"server CPU with {workers:,} idle workers", " % of a core", share * 100, 20)


def _first_view() -> list[Verdict]:
    seconds, sizes = first_views(VIEWS)
    return [
        of_bound(f"first view of a room, median of {VIEWS}", " s", median(seconds), 1),
        of_bound("first view of a room, loaded", " kB", sum(sizes.values()) / 1000, 350),
    ]
