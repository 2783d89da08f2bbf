"""The one interface to all that is measured."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from http_load import Target
from peers.joblog import JobLog

BROKER = os.environ.get("BENCH_BROKER", "")


class System:
    """Blocking libraries block in its coroutines: while one is awaited, nothing else happens here."""

    def __init__(self, log: JobLog, folder: Path) -> None:
        self.log = log
        self.folder = folder

    def commands(self) -> list[list[str]]:
        """The processes that belong to it, beside this one."""
        return []

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def submit(self, n: int) -> None:
        raise NotImplementedError

    async def submit_many(self, numbers: Sequence[int]) -> None:
        """As many at once as it can take; here, one after the other."""
        for n in numbers:
            await self.submit(n)

    async def result(self, n: int) -> int:
        """Submit, and wait for the result by its own means."""
        raise NotImplementedError

    def forget(self) -> None:
        """Count what is done from here on."""
        self.log.clear()

    async def until_done(self, count: int) -> None:
        await self.log.until(count)

    async def http(self) -> Target:
        """What a web page would send, to submit one job."""
        raise NotImplementedError

    async def verify(self, submitted: int) -> int:
        """Read back every job, as far as the system keeps them; how many there were. Raises AuditFailed."""
        return 0


def script(name: str) -> str:
    """A command of the virtual environment that this process runs in."""
    return str(Path(sys.executable).parent / name)
