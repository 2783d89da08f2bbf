"""The measured jobs: they do nothing, wait, or return when they started, on the clock of all processes."""

from __future__ import annotations

import asyncio
import time

from workroom import Extension


class Noop(Extension, category="analysis"):
    n: int = 0

    def run(self) -> int:
        return self.n


class Stamp(Extension, category="analysis"):
    def run(self) -> int:
        return time.monotonic_ns()


class Nap(Extension, category="analysis"):
    """Too long to be started together with others, so each job has a push, a start and an end of its own."""

    n: int = 0

    async def run(self) -> int:
        await asyncio.sleep(0.025)
        return self.n
