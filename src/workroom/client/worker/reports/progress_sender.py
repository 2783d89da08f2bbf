"""Sends the progress of jobs: only the latest of each, and before their end is reported."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from workroom.client.worker.attempts import fence_fields
from workroom.client.worker.reports.outbox import Flush, Outbox, Refusals, log_refusal
from workroom.domain.job import Fence
from workroom.errors import WorkroomError

Progress = dict[str, Any]


class ProgressSender:
    def __init__(self, send: Callable[[list[Progress]], Awaitable[Refusals]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = send
        self._lock = threading.Lock()
        self._unsent: dict[Fence, Progress] = {}
        self._flush = Flush()
        self._outbox: Outbox[Fence] = Outbox(self._send, self._refused)

    def put(self, fence: Fence, progress: Progress) -> None:
        """Safe to call from any thread."""
        with self._lock:
            self._unsent[fence] = progress
        self._loop.call_soon_threadsafe(self._outbox.put, fence)

    async def flush(self, fences: Iterable[Fence]) -> None:
        """Wait until the server has the latest progress of these attempts."""
        if self._unsent:
            wanted = set(fences)
            await self._flush.wait_until(lambda: wanted.isdisjoint(self._unsent))

    def limit(self, items: int, size: int) -> None:
        self._outbox.limit(items, size)

    async def aclose(self) -> None:
        await self._outbox.aclose()

    async def _send(self, fences: list[Fence]) -> Refusals:
        with self._lock:
            latest = {fence: self._unsent[fence] for fence in fences if fence in self._unsent}
        if not latest:
            return [None] * len(fences)
        refusals = await self._call(
            [{**fence_fields(fence), **progress} for fence, progress in latest.items()]
        )
        refused = {fence: why for fence, why in zip(latest, refusals, strict=True) if why is not None}
        self._done({fence: progress for fence, progress in latest.items() if fence not in refused})
        return [refused.get(fence) for fence in fences]

    def _done(self, sent: dict[Fence, Progress]) -> None:
        with self._lock:
            for fence, progress in sent.items():
                if self._unsent.get(fence) is progress:
                    del self._unsent[fence]
        self._flush.changed()

    def _refused(self, fence: Fence, why: WorkroomError) -> None:
        """Drop it: refused progress must not fail a job."""
        log_refusal("progress", fence, why)
        with self._lock:
            self._unsent.pop(fence, None)
        self._flush.changed()
