"""The interface of a measured system."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from http_load import Target
from peers.joblog import JobLog

BROKER = os.environ.get("BENCH_BROKER", "")


class System:
    """Blocking libraries block in its coroutines; nothing else runs in this process meanwhile."""

    def __init__(self, log: JobLog, folder: Path) -> None:
        self.log = log
        self.folder = folder

    def commands(self) -> list[list[str]]:
        """The commands of its processes."""
        return []

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def submit(self, n: int) -> None:
        raise NotImplementedError

    async def submit_many(self, numbers: Sequence[int]) -> None:
        """Submit in the fastest way it offers; by default, one by one."""
        for n in numbers:
            await self.submit(n)

    async def result(self, n: int) -> int:
        """Submit a job and wait for its result in the system's own way."""
        raise NotImplementedError

    def forget(self) -> None:
        """Count jobs that end from now on."""
        self.log.clear()

    async def until_done(self, count: int) -> None:
        await self.log.until(count)

    async def http(self) -> Target:
        """The HTTP request of a web page that submits one job."""
        raise NotImplementedError

    async def verify(self, submitted: int) -> int:
        """Read back every stored job; return their number, or raise AuditFailed."""
        return 0


def script(name: str) -> str:
    """A command of the virtual environment that this process runs in."""
    return str(Path(sys.executable).parent / name)
