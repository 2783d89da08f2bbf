"""Turns for costly work: a user with many requests delays nobody else."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workroom.errors import TooManyRequests


class FairTurns:
    """So many turns at once, at most one per user; between users they go round.

    Each user has a waiting list of bounded length.
    """

    def __init__(self, at_once: int, max_waiting: int, what: str, retry_after: float) -> None:
        self._free = at_once
        self._max_waiting = max_waiting
        self._what = what
        self._retry_after_ms = round(retry_after * 1000)
        self._busy: set[str] = set()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, user: str) -> AsyncIterator[None]:
        await self._take(user)
        try:
            yield
        finally:
            self._give_back(user)

    async def _take(self, user: str) -> None:
        if self._free and user not in self._busy and user not in self._waiting:
            self._begin(user)
            return
        line = self._waiting.setdefault(user, deque())
        if len(line) >= self._max_waiting:
            raise TooManyRequests(
                f"too many {self._what} of yours are waiting: {self._max_waiting} may. "
                f"Try again in {max(1, self._retry_after_ms // 1000)} s.",
                retry_after_ms=self._retry_after_ms,
            )
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(place)
        try:
            await place
        except asyncio.CancelledError:
            self._leave(user, place)
            raise

    def _leave(self, user: str, place: asyncio.Future[None]) -> None:
        if place.done() and not place.cancelled():
            self._give_back(user)
        elif place in self._waiting.get(user, ()):
            self._waiting[user].remove(place)
            self._forget_if_empty(user)

    def _begin(self, user: str) -> None:
        self._free -= 1
        self._busy.add(user)

    def _give_back(self, user: str) -> None:
        self._free += 1
        self._busy.discard(user)
        while self._free and (following := self._next_user()) is not None:
            place = self._waiting[following].popleft()
            self._waiting.move_to_end(following)
            self._forget_if_empty(following)
            if not place.done():
                self._begin(following)
                place.set_result(None)

    def _next_user(self) -> str | None:
        return next((user for user in self._waiting if user not in self._busy), None)

    def _forget_if_empty(self, user: str) -> None:
        if not self._waiting[user]:
            del self._waiting[user]
