"""How long to wait for a server that was there before."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from workroom.errors import ServerUnreachable, StoreUnavailable, WorkroomError

T = TypeVar("T")
PASSING = (ServerUnreachable, StoreUnavailable)  # what may be over when asked again
_FIRST_SECONDS = 0.2
_LONGEST_SECONDS = 3.0
_GIVE_UP_SECONDS = 120.0


class Patience:
    """Pauses that grow, until it is too long."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._pause = _FIRST_SECONDS

    async def wait(self, error: WorkroomError | None) -> None:
        """Raises the error when there is nothing to hope for."""
        if error is not None and time.monotonic() - self._began > _GIVE_UP_SECONDS:
            raise error
        await asyncio.sleep(self._pause * (0.5 + random.random()))  # noqa: S311 - jitter
        self._pause = min(2 * self._pause, _LONGEST_SECONDS)


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask again while the server cannot answer: it may be restarting."""
    patience = Patience()
    while True:
        try:
            return await ask()
        except PASSING as error:
            await patience.wait(error)
