"""Progress on its way to the server."""

from __future__ import annotations

import asyncio
from typing import Any

from workroom.client.telling import Telling
from workroom.domain.job import Fence

FENCE = Fence("job", 1, "token")


async def test_a_job_has_settled_when_its_last_progress_is_told() -> None:
    told: list[float] = []
    may_go = asyncio.Event()

    async def send(reports: list[dict[str, Any]]) -> None:
        await may_go.wait()
        told.extend(report["fraction"] for report in reports)

    telling = Telling(send)
    telling.put(FENCE, {"fraction": 0.5})
    await asyncio.sleep(0.01)
    telling.put(FENCE, {"fraction": 0.9})
    telling.put(FENCE, {"fraction": 1.0})
    settled = asyncio.ensure_future(telling.settle([FENCE]))
    await asyncio.sleep(0.01)
    assert not settled.done()

    may_go.set()
    await settled

    assert told == [0.5, 1.0]
    await telling.aclose()


async def test_a_job_that_told_nothing_has_settled() -> None:
    async def send(_: list[dict[str, Any]]) -> None:
        raise AssertionError

    telling = Telling(send)

    await asyncio.wait_for(telling.settle([FENCE]), 1)
    await telling.aclose()
