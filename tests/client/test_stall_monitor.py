"""A worker notices when its event loop stood still."""

from __future__ import annotations

import asyncio
import time

from workroom.client.worker.execution.stall_monitor import StallMonitor


async def test_a_loop_that_stood_still_is_noticed_once() -> None:
    stalls: list[float] = []
    noticed = asyncio.Event()

    def stalled(seconds: float) -> None:
        stalls.append(seconds)
        noticed.set()

    monitor = StallMonitor(stalled, interval=0.01, threshold=1)
    time.sleep(1.2)  # noqa: ASYNC251 - what user code does that holds the GIL
    async with asyncio.timeout(10):
        await noticed.wait()
    monitor.close()

    assert len(stalls) == 1
    assert stalls[0] >= 1
