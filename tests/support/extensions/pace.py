"""Jobs that note when they begin and end, and take as long as they are given."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from workroom import Extension, JobContext

BEGIN, END = "begin", "end"


class Note(NamedTuple):
    job: str
    pid: int
    at: float


class Pace(Extension, category="analysis"):
    """Runs until the gate, a file, exists, if it has one."""

    ms: float = 0.0
    diary: str
    gate: str | None = None

    def run(self, job: JobContext) -> int:
        note(self.diary, job.id)
        time.sleep(self.ms / 1000)
        while self.gate is not None and not Path(self.gate).exists():
            time.sleep(0.01)
        note(self.diary, job.id, END)
        return os.getpid()


class TimedPace(Extension, category="analysis", timeout=1):
    ms: float = 0.0
    diary: str

    def run(self, job: JobContext) -> int:
        note(self.diary, job.id)
        time.sleep(self.ms / 1000)
        return os.getpid()


def note(diary: str, job_id: str, what: str = BEGIN) -> None:
    """One line, in one write: processes may append at the same time, and be killed after it."""
    descriptor = os.open(diary, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{what} {job_id} {os.getpid()} {time.time():.6f}\n".encode())
    os.close(descriptor)


def noted(diary: Path, what: str) -> list[Note]:
    if not diary.exists():
        return []
    lines = (line.split() for line in diary.read_text().splitlines())
    return [Note(job, int(pid), float(at)) for kind, job, pid, at in lines if kind == what]


def begun(diary: Path) -> dict[str, int]:
    """The jobs that have begun, in this order, with their processes."""
    return {each.job: each.pid for each in noted(diary, BEGIN)}
