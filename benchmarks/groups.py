"""How long do requests about a large group take? What do delayed jobs cost a server that is idle?

    python benchmarks/groups.py [--jobs 100000] [--delayed 1000000]

Group: a real server, and a group that the SDK submits in batches; then it is read, its page is opened in
Chromium, and it is cancelled, until that is acknowledged and until it is carried out. Delayed jobs: the store
is driven directly, in this process; a sweep with and without them. Then a real server is started on that
store, and on an empty one, and both idle for a while: what counts is their CPU time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import sync_playwright
from uuid_utils import uuid7

from workroom import Extension, Room
from workroom.domain import room as domain
from workroom.domain.extension import ExtensionKey, ExtensionSpec, Policy, RunnerKind, canonical, schema_hash
from workroom.domain.steps import NewJob, Postponement
from workroom.domain.worker import Liveness
from workroom.stores.sqlite.store import SqliteStore
from workroom.testing.processes import UNLIMITED, ServerProcess

BATCH = 1000
SWEEPS = 200
VIEWS = 5
IDLE_S = 60
TICKS = os.sysconf("SC_CLK_TCK")
DAY_US = 86_400_000_000
OPEN = {"type": "object"}


class Noop(Extension, category="analysis"):
    number: int = 0

    def run(self) -> None: ...


def timed(what: str, act: Callable[[], object]) -> None:
    began = time.perf_counter()
    act()
    print(f"{what:44} {time.perf_counter() - began:8.3f} s", flush=True)


def measure_group(folder: Path, count: int) -> None:
    with ServerProcess(folder, submit_rate=UNLIMITED, sweep=1) as server:
        with Room("demo", server.url, user="ada") as worker:
            worker.register(Noop)
        with Room("demo", server.url, user="ada") as room:
            jobs = [Noop(number=number) for number in range(count)]
            began = time.perf_counter()
            group = room.submit_many(jobs, title="Many", parameters=["number"], on_progress=_report)
            seconds = time.perf_counter() - began
            print(f"\n{count:,} jobs submitted in {seconds:.1f} s, {count / seconds:,.0f} a second")
            timed("read the group", group.refresh)
            timed("list the groups of the room", room.groups)
            measure_page(server.url, group.id)
            timed("pause, until acknowledged", group.pause)
            timed("resume, until acknowledged", group.resume)
            timed("cancel, until acknowledged", group.cancel)
            timed("submit a job meanwhile", lambda: room.submit(Noop()))
            timed("cancel, until carried out", lambda: _wait(lambda: group.counts["cancelled"] == count))
            timed("read the group", group.refresh)


def _report(done: int, total: int) -> None:
    print(f"\r{done:,} of {total:,}", end="", flush=True)


def _wait(is_done: Callable[[], bool]) -> None:
    while not is_done():
        time.sleep(0.05)


def measure_page(url: str, group: str) -> None:
    """How long the page of the group takes to show its counts, loaded anew each time."""
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        ) as browser,
    ):
        page = browser.new_page()
        page.request.post(f"{url}/api/login", data={"name": "eve", "cookie": True, "secret": "s" * 48})
        for view in range(VIEWS):
            began = time.perf_counter()
            page.goto(f"{url}/rooms/demo/groups/{group}")
            page.get_by_role("list", name="Jobs by state").wait_for()
            shown = time.perf_counter() - began
            page.get_by_role("table", name="Parameters and results").get_by_role("row").nth(100).wait_for()
            seconds = time.perf_counter() - began
            print(f"page {view + 1}: counts after {shown:.3f} s, table after {seconds:.3f} s", flush=True)


def measure_idle(folder: Path, what: str) -> None:
    """The CPU time of a server that nobody uses, without its start."""
    with ServerProcess(folder, sweep=1) as server:
        time.sleep(5)
        began = _cpu_s(server.process.pid)
        time.sleep(IDLE_S)
        used = _cpu_s(server.process.pid) - began
    print(f"an idle server {what}: {used / IDLE_S * 1e3:.2f} ms of CPU time a second", flush=True)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def measure_delayed(folder: Path, count: int) -> None:
    store = SqliteStore(folder / "workroom.db", Liveness(), relaxed=True)
    await store.create_room(domain.Room("bench", "ada"))
    key = ExtensionKey(None, "analysis", "Noop")
    spec = ExtensionSpec(key, canonical(OPEN), schema_hash(OPEN), RunnerKind.LOCAL, "ada", Policy())
    (extension,) = await store.put_extensions([spec])
    print(f"a sweep of an idle store: {await _sweep_us(store):6.0f} us of CPU time")
    run_us = time.time_ns() // 1000 + DAY_US
    for first in range(0, count, BATCH):
        await store.submit(
            [
                NewJob(
                    str(uuid7()),
                    "bench",
                    extension,
                    spec.schema_hash,
                    "ada",
                    b"{}",
                    0,
                    postponed=Postponement(run_us + first + number),
                )
                for number in range(min(BATCH, count - first))
            ]
        )
    print(f"with {count:,} delayed jobs: {await _sweep_us(store):6.0f} us of CPU time")
    await store.aclose()


async def _sweep_us(store: SqliteStore) -> float:
    await store.sweep()
    began = time.process_time()
    for _ in range(SWEEPS):
        await store.sweep()
    return (time.process_time() - began) / SWEEPS * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--delayed", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workroom-groups-") as folder:
        if options.jobs:
            measure_group(Path(folder) / "data", options.jobs)
        delayed = Path(folder) / "delayed"
        delayed.mkdir()
        asyncio.run(measure_delayed(delayed, options.delayed))
        measure_idle(Path(folder) / "empty", "without jobs")
        measure_idle(delayed, f"with {options.delayed:,} delayed jobs")


if __name__ == "__main__":
    main()
