"""How a worker sends progress."""

from __future__ import annotations

import asyncio
from typing import Any

from workroom.client.worker.reports.outbox import Refusals
from workroom.client.worker.reports.progress_sender import ProgressSender
from workroom.domain.job import Fence

FENCE = Fence("job", 1, "token")


async def test_a_job_is_flushed_when_its_last_progress_is_sent() -> None:
    sent: list[float] = []
    may_go = asyncio.Event()

    async def send(reports: list[dict[str, Any]]) -> Refusals:
        await may_go.wait()
        sent.extend(report["fraction"] for report in reports)
        return [None] * len(reports)

    sender = ProgressSender(send)
    sender.put(FENCE, {"fraction": 0.5})
    await asyncio.sleep(0.01)
    sender.put(FENCE, {"fraction": 0.9})
    sender.put(FENCE, {"fraction": 1.0})
    flushed = asyncio.ensure_future(sender.flush([FENCE]))
    await asyncio.sleep(0.01)
    assert not flushed.done()

    may_go.set()
    await flushed

    assert sent == [0.5, 1.0]
    await sender.aclose()


async def test_a_job_without_progress_is_flushed() -> None:
    async def send(_: list[dict[str, Any]]) -> Refusals:
        raise AssertionError

    sender = ProgressSender(send)

    await asyncio.wait_for(sender.flush([FENCE]), 1)
    await sender.aclose()
