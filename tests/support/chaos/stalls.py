"""For how long the machine kept processes from running, so that a test can measure what is their own."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

SAMPLE_SECONDS = 0.01
_PRESSURE = Path("/proc/pressure/io")


class Sample(NamedTuple):
    """Seconds since the beginning: waiting for a processor, by process, and for the disk."""

    at: float
    delays: dict[int, float]
    disk: float


class Stalls:
    """Samples the scheduler's own figures for some processes, all with wall-clock times."""

    def __init__(self) -> None:
        self._essential: set[int] = set()
        self._others: set[int] = set()
        self._samples: list[Sample] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stalls", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def watch(self, *pids: int, essential: bool = False) -> None:
        """Everything waits for an essential process; of the others, at most one is waited for at a time."""
        (self._essential if essential else self._others).update(pids)

    def between(self, begin: float, end: float) -> float:
        """The seconds for which the machine can have delayed what happened between these times."""
        first, last = self._before(begin), self._after(end)
        delays = {
            pid: delay - first.delays.get(pid, 0.0)
            for pid, delay in last.delays.items()
            if pid in self._essential or pid in first.delays
        }
        essential = sum(delays.get(pid, 0.0) for pid in self._essential)
        others = max((delays[pid] for pid in delays.keys() - self._essential), default=0.0)
        return essential + others + last.disk - first.disk

    def _before(self, at: float) -> Sample:
        return self._samples[max(0, bisect_right(self._samples, at, key=lambda each: each.at) - 1)]

    def _after(self, at: float) -> Sample:
        place = bisect_left(self._samples, at, key=lambda each: each.at)
        return self._samples[min(len(self._samples) - 1, place)]

    def _run(self) -> None:
        while not self._is_over.wait(SAMPLE_SECONDS):
            pids = self._essential | self._others
            self._samples.append(Sample(time.time(), _delays(pids), _disk_seconds()))


def _delays(pids: Iterable[int]) -> dict[int, float]:
    delays = {}
    for pid in pids:
        with suppress(OSError):  # it has ended
            delays[pid] = sum(map(_delay, Path(f"/proc/{pid}/task").iterdir()))
    return delays


def _delay(task: Path) -> float:
    """For how long a thread has waited for a processor."""
    try:
        return int((task / "schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def _disk_seconds() -> float:
    """For how long some process of the machine has waited for a disk."""
    return int(_PRESSURE.read_text().split("total=")[1].split()[0]) / 1e6 if _PRESSURE.exists() else 0.0
