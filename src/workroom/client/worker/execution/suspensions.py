"""Lets attempts wait for an answer or a child without occupying a slot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from workroom.client.worker.attempts import Attempt
from workroom.client.worker.execution.slots import Slots
from workroom.client.worker.execution.starter import Starter

_SHORT_SECONDS = 0.01  # a shorter wait frees no slot

# Sends what an attempt waits for, or None, and returns whether its slot is free now.
Report = Callable[[Attempt, dict[str, str] | None], Awaitable[bool]]


@dataclass(slots=True)
class _Waiting:
    """One attempt: how many of its calls wait, if the server knows, and if it has given up its slot.

    It is `returning` while it waits for a slot.
    """

    calls: int = 0
    is_reported: bool = False
    is_suspended: bool = False
    returning: asyncio.Event | None = None
    reporting: asyncio.Task[None] | None = field(default=None)


class Suspensions:
    """An attempt is suspended while at least one of its calls waits, if the server agrees.

    It continues when its last call is done and a slot is free, before jobs that have not begun. Code that
    continues while another of its calls still waits runs without a slot: taking one could block what that
    call waits for. Lives on the worker's event loop.
    """

    def __init__(self, starter: Starter, slots: Slots[Attempt], report: Report) -> None:
        self._starter = starter
        self._slots = slots
        self._report = report
        self._reports: set[asyncio.Future[bool]] = set()
        self._waiting: dict[int, _Waiting] = {}  # by identity: a fence may be dropped and assigned again

    def begin(self, attempt: Attempt, waits: dict[str, str]) -> None:
        """A call of the attempt waits."""
        waiting = self._waiting.setdefault(id(attempt), _Waiting())
        waiting.calls += 1
        if waiting.returning is not None:
            self._stay_without_slot(attempt, waiting, waiting.returning)
            self._report_soon(attempt, waits)
        elif waiting.calls == 1:
            work = self._suspend(attempt, waiting, waits)
            waiting.reporting = asyncio.get_running_loop().create_task(work)

    async def end(self, attempt: Attempt) -> None:
        """A call is done. Returns once the attempt has its slot again, or needs none."""
        waiting = self._waiting.get(id(attempt))
        if waiting is None:
            return  # the attempt has ended
        waiting.calls -= 1
        if waiting.calls:
            return
        if waiting.reporting is not None:
            waiting.reporting.cancel()
        attempt.suspended = False
        if waiting.is_reported:
            self._report_soon(attempt, None)
        if waiting.is_suspended:
            await self._take_slot(attempt, waiting)
        else:
            del self._waiting[id(attempt)]

    def ended(self, attempt: Attempt) -> None:
        """The code of the attempt has ended, perhaps while a call still waits."""
        waiting = self._waiting.pop(id(attempt), None)
        if waiting is None:
            return
        if waiting.reporting is not None:
            waiting.reporting.cancel()
        if waiting.returning is not None:
            self._stay_without_slot(attempt, waiting, waiting.returning)
        if waiting.is_suspended:
            self._slots.shrink()

    async def _suspend(self, attempt: Attempt, waiting: _Waiting, waits: dict[str, str]) -> None:
        await asyncio.sleep(_SHORT_SECONDS)
        waiting.is_reported = True
        if await self._report(attempt, waits) and waiting.calls:
            waiting.is_suspended = attempt.suspended = True
            self._slots.grow()
            self._starter.suspend(attempt)

    def _report_soon(self, attempt: Attempt, waits: dict[str, str] | None) -> None:
        """Nobody waits for the reply: the server may be away."""
        task = asyncio.ensure_future(self._report(attempt, waits))
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    async def _take_slot(self, attempt: Attempt, waiting: _Waiting) -> None:
        """A cancelled attempt does not wait for a slot: it is about to end."""
        free = waiting.returning = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._starter.resume(attempt, free.set)
        attempt.context.when_cancelled(lambda: loop.call_soon_threadsafe(free.set))
        await free.wait()
        if waiting.returning is free:
            waiting.returning = None
            del self._waiting[id(attempt)]
            self._slots.shrink()

    def _stay_without_slot(self, attempt: Attempt, waiting: _Waiting, returning: asyncio.Event) -> None:
        """Another call waits, or the code has ended: what waits for a slot goes on without one."""
        waiting.returning = None
        attempt.suspended = waiting.calls > 0
        self._starter.suspend(attempt)
        returning.set()
