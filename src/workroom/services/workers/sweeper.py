"""Expires leases, deadlines and backoffs, and suspects workers that do not ack."""

from __future__ import annotations

import asyncio
import contextlib

import structlog

from workroom.errors import WorkroomError
from workroom.ports import WorkerChannel
from workroom.services.effects import Effects
from workroom.services.steps import Steps
from workroom.services.workers.dispatcher import Dispatcher

log = structlog.get_logger()

_MIN_SECONDS = 0.05  # between two sweeps
_MARGIN_SECONDS = 0.005  # a sweep that comes too early would have to be repeated


class Sweeper:
    """Sweeps at an interval, and whenever a timeout or a backoff expires."""

    def __init__(
        self, steps: Steps, effects: Effects, dispatcher: Dispatcher, channel: WorkerChannel, interval: float
    ) -> None:
        self._steps = steps
        self._dispatcher = dispatcher
        self._channel = channel
        self._interval = interval
        self._next = 0.0
        self._is_sooner = asyncio.Event()
        effects.on_wake(self.wake_in)

    def wake_in(self, seconds: float) -> None:
        """Sweep again after so long, if no sweep is due sooner."""
        at = asyncio.get_running_loop().time() + max(seconds + _MARGIN_SECONDS, _MIN_SECONDS)
        if at < self._next:
            self._next = at
            self._is_sooner.set()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        self._next = loop.time() + self._interval
        while True:
            await self._wait()
            self._next = loop.time() + self._interval
            self._dispatcher.suspect(self._channel.silent())
            try:
                await self._steps.sweep()
            except WorkroomError as error:
                log.warning("sweep_postponed", reason=error.detail)

    async def _wait(self) -> None:
        """Wait for the next sweep, which `wake_in` may move forward."""
        while self._next > asyncio.get_running_loop().time():
            self._is_sooner.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(self._next):
                    await self._is_sooner.wait()
