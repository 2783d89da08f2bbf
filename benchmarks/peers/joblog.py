"""The log that jobs write. Linux has one monotonic clock for all processes, so their times are comparable."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from peers.jobs import RECORD

LOOK_SECONDS = 0.001
PATIENCE_SECONDS = 120.0


class JobLog:
    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch()

    def clear(self) -> None:
        os.truncate(self._path, 0)

    def count(self) -> int:
        return self._path.stat().st_size // RECORD.size

    def began(self) -> dict[int, int]:
        """When each job began, by its number."""
        return dict(RECORD.iter_unpack(self._path.read_bytes()))

    async def until(self, count: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.count() < count:  # noqa: ASYNC110 - a file tells nobody that it grew
                await asyncio.sleep(LOOK_SECONDS)
