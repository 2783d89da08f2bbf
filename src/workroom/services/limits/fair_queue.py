"""A bounded queue for costly work, fair between keys."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workroom.errors import Busy

_RETRY_MS = 2000


class FairQueue:
    """Limits what runs at once, what waits, and what waits with one key. Keys take turns."""

    def __init__(self, what: str, running: int, max_waiting: int, max_per_key: int) -> None:
        self._what = what
        self._free = running
        self._max_waiting = max_waiting
        self._max_per_key = max_per_key
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # the next key comes first
        self._count = 0

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait for a turn. Raises Busy if too many wait already."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._wait(key)
        try:
            yield
        finally:
            self._leave()

    async def _wait(self, key: str) -> None:
        mine = len(self._waiting.get(key, ()))
        if self._count >= self._max_waiting or mine >= self._max_per_key:
            raise Busy(f"too many {self._what} are waiting: try again in 2 s", retry_after_ms=_RETRY_MS)
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(place)
        self._count += 1
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave()  # the turn was given at the same moment
            raise

    def _leave(self) -> None:
        """Give the turn to the next key, if any."""
        while self._waiting:
            place = self._next()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1

    def _next(self) -> asyncio.Future[None]:
        key, places = next(iter(self._waiting.items()))
        del self._waiting[key]
        place = places.popleft()
        self._count -= 1
        if places:
            self._waiting[key] = places  # behind the others
        return place
