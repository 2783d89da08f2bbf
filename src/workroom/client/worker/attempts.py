"""The attempts that a worker holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
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
    expected_ms: float | None = None  # set by the server if it may be started together with others
    phase: Phase = Phase.QUEUED
    outcome: Outcome | None = None
    suspended: bool = False  # it waits, and occupies no slot
    trace: str | None = None  # of its push, then of its run

    @property
    def continues_when_lost(self) -> bool:
        return self.extension is not None and self.extension.policy.continues_when_lost

    @property
    def is_in_this_process(self) -> bool:
        return self.extension is not None and self.extension.isolation is None


class HeldAttempts:
    """All attempts of a worker, by token, which no other has. Lives on the worker's event loop."""

    def __init__(self) -> None:
        self._by_token: dict[str, Attempt] = {}
        self._changed = asyncio.Event()
        self.changed = self._changed.set  # bound: each job calls it several times
        self._when_cancelled: Callable[[Attempt], None] = lambda _: None
        self.last_number = 0  # of the assignments received so far

    def __len__(self) -> int:
        return len(self._by_token)

    def __contains__(self, fence: Fence) -> bool:
        return fence.token in self._by_token

    def has(self, attempt: Attempt) -> bool:
        """Whether this very attempt is still held: it may have been dropped and assigned again."""
        return self._by_token.get(attempt.fence.token) is attempt

    def get(self, fence: Fence) -> Attempt | None:
        return self._by_token.get(fence.token)

    def when_cancelled(self, act: Callable[[Attempt], None]) -> None:
        """Call this with each attempt whose job was cancelled."""
        self._when_cancelled = act

    def add(self, attempt: Attempt) -> None:
        self._by_token[attempt.fence.token] = attempt

    def remove(self, attempt: Attempt) -> None:
        self._by_token.pop(attempt.fence.token, None)
        self.changed()

    async def wait_for_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def begun_but(self, others: Iterable[Attempt]) -> list[Attempt]:
        """The attempts that have begun, except these."""
        excluded = {id(each) for each in others}
        begun = (each for each in self._by_token.values() if each.phase is Phase.BEGUN)
        return [each for each in begun if id(each) not in excluded]

    def started(self) -> list[Attempt]:
        return [attempt for attempt in self._by_token.values() if attempt.phase is not Phase.QUEUED]

    def count_started(self) -> int:
        return len(self.started())

    def report(self) -> dict[str, Any]:
        """What the worker holds, as hello and heartbeats report it."""
        holds = [_hold(each) for each in self._by_token.values()]
        return {"holds": holds, "seen": self.last_number}

    def drop(self, items: Iterable[dict[str, Any]]) -> None:
        """Stop attempts that belong to others now, without reporting an end."""
        for item in items:
            attempt = self._by_token.pop(item["token"], None)
            if attempt is not None:
                attempt.context.cancel()
                self.changed()

    def cancel(self, item: dict[str, Any]) -> None:
        for attempt in list(self._by_token.values()):
            if (attempt.fence.job_id, attempt.fence.attempt) == (item["job_id"], item["attempt"]):
                attempt.context.cancel(is_over=True)
                self._when_cancelled(attempt)

    def stop_unrenewed(self) -> tuple[int, int]:
        """The lease could not be renewed: stop what another worker may start meanwhile, and keep the rest.

        Returns how many attempts were stopped, and how many continue.
        """
        unfinished = [each for each in self._by_token.values() if each.phase is not Phase.FINISHED]
        stopped = [each for each in unfinished if not each.continues_when_lost]
        for attempt in stopped:
            attempt.context.cancel()
            del self._by_token[attempt.fence.token]
        self.changed()
        return len(stopped), len(unfinished) - len(stopped)

    def abandon(self) -> None:
        """Stop all code, before another worker starts the same jobs.

        Finished attempts stay: the server decides whether their ends still count.
        """
        for attempt in [each for each in self._by_token.values() if each.phase is not Phase.FINISHED]:
            attempt.context.cancel()
            del self._by_token[attempt.fence.token]
        self.changed()


def _hold(attempt: Attempt) -> dict[str, Any]:
    hold = {**fence_fields(attempt.fence), "phase": attempt.phase}
    return {**hold, "suspended": True} if attempt.suspended else hold


def fence_fields(fence: Fence) -> dict[str, Any]:
    return {"job_id": fence.job_id, "attempt": fence.attempt, "token": fence.token}


def fence_of(item: dict[str, Any]) -> Fence:
    return Fence(item["job_id"], item["attempt"], item["token"])
