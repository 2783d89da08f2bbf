"""Background tasks end when they are cancelled, even if they swallow the first cancellation."""

from __future__ import annotations

import asyncio
import contextlib

from workroom.services.lifecycle.background import BackgroundTasks


async def test_a_task_that_swallows_a_cancellation_is_cancelled_again() -> None:
    cancellations = 0

    async def stubborn() -> None:
        nonlocal cancellations
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        cancellations += 1
        await asyncio.Event().wait()

    tasks = BackgroundTasks()
    task = tasks.start(stubborn())
    await asyncio.sleep(0)
    await asyncio.wait_for(tasks.aclose(), 20)

    assert (cancellations, task.cancelled()) == (1, True)
