"""A limit on the memory that large requests take together, and on the share of one user."""

from __future__ import annotations

import asyncio
from collections import deque

from workroom.errors import TooManyRequests

_WAIT_SECONDS = 20.0
_PER_USER = 4
_MAX_WAITING = 1000


class MemoryBudget:
    """Bytes are taken before they are used, and given back. Who finds none left waits for a while."""

    def __init__(self, max_bytes: int, wait_seconds: float = _WAIT_SECONDS) -> None:
        self._max_bytes = max_bytes
        self._wait_seconds = wait_seconds
        self._user_bytes = max_bytes // _PER_USER
        self._taken = 0
        self._taken_by: dict[str, int] = {}
        self._waiting: deque[asyncio.Event] = deque()

    async def take(self, user: str, size: int) -> Held:
        """Raises TooManyRequests. One who holds nothing always gets their first bytes before their share."""
        if not self._fits(user, size):
            await self._wait_for(user, size)
        self._taken += size
        self._taken_by[user] = self._taken_by.get(user, 0) + size
        return Held(self, user, size)

    def _fits(self, user: str, size: int) -> bool:
        own = self._taken_by.get(user, 0)
        is_within_share = not own or own + size <= self._user_bytes
        return is_within_share and (not self._taken or self._taken + size <= self._max_bytes)

    async def _wait_for(self, user: str, size: int) -> None:
        """One limit of time for the whole wait, however often others give back too little."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                while not self._fits(user, size):
                    await self._wait()
        except TimeoutError:
            raise _too_many() from None

    async def _wait(self) -> None:
        if len(self._waiting) >= _MAX_WAITING:
            raise _too_many()
        freed = asyncio.Event()
        self._waiting.append(freed)
        try:
            await freed.wait()
        finally:
            if freed in self._waiting:
                self._waiting.remove(freed)

    def give_back(self, user: str, size: int) -> None:
        self._taken -= size
        left = self._taken_by[user] - size
        if left:
            self._taken_by[user] = left
        else:
            del self._taken_by[user]
        waiting, self._waiting = self._waiting, deque()
        for each in waiting:
            each.set()


class Held:
    """Bytes that were taken, until they are given back; doing so twice changes nothing."""

    def __init__(self, budget: MemoryBudget, user: str, size: int) -> None:
        self._budget = budget
        self._user = user
        self._size = size

    def give_back(self) -> None:
        size, self._size = self._size, 0
        if size:
            self._budget.give_back(self._user, size)

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()


def _too_many() -> TooManyRequests:
    return TooManyRequests("too many large requests at the same time", retry_after_ms=1000)
