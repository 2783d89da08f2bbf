"""Background work ends when it is told to, also if it does not listen at first."""

from __future__ import annotations

import asyncio
import contextlib

from workroom.services.tasks import TaskKeeper


async def test_who_swallows_a_cancellation_is_told_again() -> None:
    told = 0

    async def stubborn() -> None:
        nonlocal told
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        told += 1
        await asyncio.Event().wait()

    tasks = TaskKeeper()
    task = tasks.start(stubborn())
    await asyncio.sleep(0)
    await asyncio.wait_for(tasks.aclose(), 20)

    assert (told, task.cancelled()) == (1, True)
