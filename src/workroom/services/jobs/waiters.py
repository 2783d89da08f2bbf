"""Futures that resolve when a job ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from workroom.domain.job import Transition


class Waiters:
    def __init__(self) -> None:
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}

    @contextmanager
    def expecting(self, job_id: str) -> Iterator[asyncio.Future[None]]:
        """Resolves when the job ends. Enter before reading the job, so that its end is not missed."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(job_id, []).append(future)
        try:
            yield future
        finally:
            self._remove(job_id, future)

    def _remove(self, job_id: str, future: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(job_id, [])
        if future in waiting:
            waiting.remove(future)
        if not waiting:
            self._waiting.pop(job_id, None)

    @property
    def expected(self) -> list[str]:
        """The ids of all jobs that somebody waits for."""
        return list(self._waiting)

    def resolve_ended(self, transitions: Iterable[Transition]) -> None:
        if not self._waiting:
            return
        for transition in transitions:
            if transition.status.is_terminal:
                self.end(transition.job_id)

    def end(self, job_id: str) -> None:
        for future in self._waiting.pop(job_id, []):
            resolve(future)


async def until_end(ended: asyncio.Future[None], seconds: float) -> None:
    """Wait for the future, but no longer than this."""
    limit = asyncio.get_running_loop().call_later(seconds, resolve, ended)
    try:
        await ended
    finally:
        limit.cancel()


def resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
