"""How fast would a job on an idle system be if Workroom's own logic took no time?

    python benchmarks/idle_path.py [--quick]

Three processes on uvloop, and what the kernel must do for one job, with none of the logic: no websocket, no
JSON, no library, only lines over loopback TCP (`idle_links.py` draws them) and two commits. This is the floor
under `idle, submit -> code runs`.

Below it, single calls of libraries, each timed alone: after the pause, when caches are cold, and again and
again, as a benchmark in a loop would. Files are in TMPDIR: where that is in memory, commits cost nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import uvloop
from pydantic import BaseModel

from idle_links import KEPT, UNKEPT, Journal, Link
from measure import Latency
from sizes import PAUSE_SECONDS

LINKS = Path(__file__).with_name("idle_links.py")
TIMES, QUICK_TIMES = 200, 50
WARM_TIMES = 20
PATIENCE_SECONDS = 30.0
MESSAGE = orjson.dumps({"room": "demo", "name": "Noop", "category": "analysis", "n": 1, "note": "x" * 128})


class Message(BaseModel):
    room: str
    name: str
    category: str
    n: int
    note: str


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    cold: Latency
    hot: Latency


@dataclass(frozen=True, slots=True)
class Rounds:
    """Seconds since the submit."""

    runs: list[float]
    results: list[float]


class Caller:
    """Records when each job ran: its result carries a timestamp of the clock that all processes share."""

    def __init__(self) -> None:
        self._link: Link
        self._ran: asyncio.Future[int]

    async def connect(self, port: int) -> None:
        self._link = await Link.to(port, self._hear)

    async def rounds(self, kept: bytes, *, times: int, pause: float) -> Rounds:
        found = Rounds([], [])
        async with asyncio.timeout(PATIENCE_SECONDS):
            for _ in range(times):
                await asyncio.sleep(pause)
                await self._round(kept, found)
        return found

    async def _round(self, kept: bytes, found: Rounds) -> None:
        self._ran = asyncio.get_running_loop().create_future()
        sent = time.monotonic_ns()
        self._link.say(b"submit", kept)
        ran = await self._ran
        found.results.append((time.monotonic_ns() - sent) / 1e9)
        found.runs.append((ran - sent) / 1e9)

    def _hear(self, link: Link, word: bytes, kept: bytes, stamp: bytes) -> None:
        self._ran.set_result(int(stamp))


@contextmanager
def child(role: str, where: object) -> Iterator[str]:
    """Start a process that ends with this one; yield its first line."""
    command = [sys.executable, str(LINKS), role, str(where)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, f"the {role} did not start"
            yield line
        finally:
            process.kill()


async def measure_path(port: int, times: int) -> list[Row]:
    caller = Caller()
    await caller.connect(port)
    found = {}
    for kept in (UNKEPT, KEPT):
        await caller.rounds(kept, times=WARM_TIMES, pause=0)
        hot = await caller.rounds(kept, times=times, pause=0)
        cold = await caller.rounds(kept, times=times, pause=PAUSE_SECONDS)
        found[kept] = cold, hot
    return [*path_rows("messages only", *found[UNKEPT]), *path_rows("messages and commits", *found[KEPT])]


def path_rows(name: str, cold: Rounds, hot: Rounds) -> list[Row]:
    return [
        Row(f"submit -> code runs, {name}", Latency.of(cold.runs), Latency.of(hot.runs)),
        Row(f"submit -> result, {name}", Latency.of(cold.results), Latency.of(hot.results)),
    ]


def measure_touches(journal: Journal, times: int) -> list[Row]:
    fields = orjson.loads(MESSAGE)
    touches: dict[str, Callable[[], object]] = {
        "an empty function": lambda: None,
        "hashlib.sha256, 200 bytes": lambda: hashlib.sha256(MESSAGE).digest(),
        "orjson.loads, 200 bytes": lambda: orjson.loads(MESSAGE),
        "pydantic model_validate, 5 fields": lambda: Message.model_validate(fields),
        "SQLite, select one row": journal.read,
        "SQLite, commit one row": journal.write,
    }
    return [Row(name, *touched(touch, times)) for name, touch in touches.items()]


def touched(touch: Callable[[], object], times: int) -> tuple[Latency, Latency]:
    """Measure with cold and with warm caches, with the same code."""
    timed(touch, WARM_TIMES, pause=0)
    hot = timed(touch, times, pause=0)
    return timed(touch, times, pause=PAUSE_SECONDS), hot


def timed(touch: Callable[[], object], times: int, *, pause: float) -> Latency:
    samples = []
    for _ in range(times):
        if pause:
            time.sleep(pause)
        begun = time.perf_counter_ns()
        touch()
        samples.append((time.perf_counter_ns() - begun) / 1e9)
    return Latency.of(samples)


def show(rows: list[Row]) -> None:
    after, straight = f"after {PAUSE_SECONDS * 1000:.0f} ms idle", "no pause"
    print(f"{'microseconds':44} {after:>17} {straight:>17} {'ratio':>7}")
    print(f"{'':44} {'p50':>8} {'p99':>8} {'p50':>8} {'p99':>8} {'p50':>7}")
    for row in rows:
        print(f"{row.name:44} {_micros(row.cold)} {_micros(row.hot)} {row.cold.p50 / row.hot.p50:7.1f}")


def _micros(latency: Latency) -> str:
    return f"{latency.p50 * 1000:8.1f} {latency.p99 * 1000:8.1f}"


def measure(times: int) -> list[Row]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with child("server", folder) as port, child("worker", int(port)):
            path = uvloop.run(measure_path(int(port), times))
        return [*path, *measure_touches(Journal(folder / "touched.sqlite"), times)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    show(measure(QUICK_TIMES if parser.parse_args().quick else TIMES))
