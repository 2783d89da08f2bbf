"""Waiting until what a job has said is on record; not for ever, for its end matters more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_SETTLE_SECONDS = 10.0


class Settling:
    def __init__(self) -> None:
        self._moved = asyncio.Event()

    def moved(self) -> None:
        self._moved.set()

    async def until(self, is_settled: Callable[[], bool]) -> None:
        if is_settled():
            return
        try:
            async with asyncio.timeout(_SETTLE_SECONDS):
                while not is_settled():
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            return
