"""The attempts that a worker holds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workroom.domain.job import Fence
from workroom.domain.worker import Phase
from workroom.runtime.context import JobContext
from workroom.runtime.extension import Extension
from workroom.runtime.outcome import Outcome


@dataclass(slots=True)
class Attempt:
    """An attempt in this process, from its assignment until the server has acked its end."""

    fence: Fence
    room: str
    extension: type[Extension] | None
    data: bytes | None
    context: JobContext
    phase: Phase = Phase.QUEUED
    outcome: Outcome | None = None

    @property
    def is_in_this_process(self) -> bool:
        return self.extension is not None and self.extension.isolation is None


class HeldAttempts:
    """All attempts of a worker, by fence. Lives on the worker's event loop."""

    def __init__(self) -> None:
        self._by_fence: dict[Fence, Attempt] = {}
        self._changed = asyncio.Event()
        self.last_number = 0  # of the assignments received so far

    def __len__(self) -> int:
        return len(self._by_fence)

    def __contains__(self, fence: Fence) -> bool:
        return fence in self._by_fence

    def has(self, attempt: Attempt) -> bool:
        """Whether this very attempt is still held: it may have been dropped and assigned again."""
        return self._by_fence.get(attempt.fence) is attempt

    def add(self, attempt: Attempt) -> None:
        self._by_fence[attempt.fence] = attempt

    def remove(self, attempt: Attempt) -> None:
        self._by_fence.pop(attempt.fence, None)
        self.changed()

    def changed(self) -> None:
        self._changed.set()

    async def wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def started(self) -> list[Attempt]:
        return [attempt for attempt in self._by_fence.values() if attempt.phase is not Phase.QUEUED]

    def count_started(self) -> int:
        return len(self.started())

    def report(self) -> dict[str, Any]:
        """What the worker holds, as hello and heartbeats report it."""
        holds = [{**fence_fields(each.fence), "phase": each.phase} for each in self._by_fence.values()]
        return {"holds": holds, "seen": self.last_number}

    def drop(self, items: Iterable[dict[str, Any]]) -> None:
        """Stop attempts that belong to others now, without reporting an end."""
        for item in items:
            attempt = self._by_fence.pop(fence_of(item), None)
            if attempt is not None:
                attempt.context.cancel()
                self.changed()

    def cancel(self, item: dict[str, Any]) -> None:
        for fence, attempt in self._by_fence.items():
            if (fence.job_id, fence.attempt) == (item["job_id"], item["attempt"]):
                attempt.context.cancel()

    def abandon(self) -> None:
        """Stop all code, before another worker starts the same jobs.

        Finished attempts stay: the server decides whether their ends still count.
        """
        for attempt in [each for each in self._by_fence.values() if each.phase is not Phase.FINISHED]:
            attempt.context.cancel()
            del self._by_fence[attempt.fence]
        self.changed()


def fence_fields(fence: Fence) -> dict[str, Any]:
    return {"job_id": fence.job_id, "attempt": fence.attempt, "token": fence.token}


def fence_of(item: dict[str, Any]) -> Fence:
    return Fence(item["job_id"], item["attempt"], item["token"])
