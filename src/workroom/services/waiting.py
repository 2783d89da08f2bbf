"""Callers that wait for a job to end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from workroom.domain.job import Transition


class Waiters:
    def __init__(self) -> None:
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}

    def expect(self, job_id: str) -> asyncio.Future[None]:
        """Resolves when the job ends. Ask before the job is looked at, so that no end is missed."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(job_id, []).append(future)
        return future

    def forget(self, job_id: str, future: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(job_id, [])
        if future in waiting:
            waiting.remove(future)
        if not waiting:
            self._waiting.pop(job_id, None)

    @contextmanager
    def expecting(self, job_id: str) -> Iterator[asyncio.Future[None]]:
        future = self.expect(job_id)
        try:
            yield future
        finally:
            self.forget(job_id, future)

    @property
    def expected(self) -> list[str]:
        return list(self._waiting)

    def tell(self, transitions: Iterable[Transition]) -> None:
        if not self._waiting:
            return
        for transition in transitions:
            if transition.status.is_terminal:
                self.end(transition.job_id)

    def end(self, job_id: str) -> None:
        for future in self._waiting.pop(job_id, []):
            _resolve(future)


async def until_end(ended: asyncio.Future[None], seconds: float) -> None:
    """Or until the time is over."""
    limit = asyncio.get_running_loop().call_later(seconds, _resolve, ended)
    try:
        await ended
    finally:
        limit.cancel()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
