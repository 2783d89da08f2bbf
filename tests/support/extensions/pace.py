"""Jobs that note when they begin, and take as long as they are given."""

from __future__ import annotations

import os
import time
from pathlib import Path

from workroom import Extension, JobContext


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
        return os.getpid()


class TimedPace(Extension, category="analysis", timeout=1):
    ms: float = 0.0
    diary: str

    def run(self, job: JobContext) -> int:
        note(self.diary, job.id)
        time.sleep(self.ms / 1000)
        return os.getpid()


def note(diary: str, job_id: str) -> None:
    """One line per begin, in one write: processes may append at the same time."""
    descriptor = os.open(diary, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{job_id} {os.getpid()}\n".encode())
    os.close(descriptor)


def begun(diary: Path) -> dict[str, int]:
    """The jobs that have begun, in this order, with their processes."""
    if not diary.exists():
        return {}
    pairs = (line.split() for line in diary.read_text().splitlines())
    return {job_id: int(pid) for job_id, pid in pairs}
