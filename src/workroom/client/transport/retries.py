"""Retries while the server is unavailable, with backoff and jitter."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from workroom.client.transport.problems import is_wrong_address
from workroom.errors import Busy, ServerUnreachable, StoreUnavailable, TooManyConnections, WorkroomError

log = logging.getLogger(__name__)

T = TypeVar("T")
# Status 503: nothing was changed, and another server may be able to.
OVERLOADED = (StoreUnavailable, TooManyConnections, Busy)
TRANSIENT = (ServerUnreachable, StoreUnavailable, TooManyConnections)
_REMINDER_SECONDS = 60.0
_FIRST_SECONDS = 0.2
_MAX_SECONDS = 3.0
_TOTAL_SECONDS = 120.0


class Backoff:
    """Pauses that double up to a maximum, for a limited total time."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._pause = _FIRST_SECONDS

    async def wait(self, error: WorkroomError | None) -> None:
        """Sleep; once the total time is over, raise the error instead."""
        if error is not None and time.monotonic() - self._started > _TOTAL_SECONDS:
            raise error
        await asyncio.sleep(self._pause * (0.5 + random.random()))  # noqa: S311 - jitter
        self._pause = min(2 * self._pause, _MAX_SECONDS)


async def retry(act: Callable[[], Awaitable[T]]) -> T:
    """Repeat an idempotent call while it fails with a transient error: the server may be restarting."""
    backoff = Backoff()
    while True:
        try:
            return await act()
        except TRANSIENT as error:
            await backoff.wait(error)


async def wait_for_server(act: Callable[[], Awaitable[T]]) -> T:
    """Repeat an idempotent call until a server takes it, and log what is waited for.

    An address that cannot be right is an error at once.
    """
    pause, reminder = _FIRST_SECONDS, 0.0
    while True:
        try:
            result = await act()
        except (*TRANSIENT, Busy) as error:
            if is_wrong_address(error):
                raise
            if time.monotonic() > reminder:
                log.warning("waiting for the server: %s", error.detail)
                reminder = time.monotonic() + _REMINDER_SECONDS
            await asyncio.sleep(pause * (0.5 + random.random()))  # noqa: S311 - jitter
            pause = min(2 * pause, _MAX_SECONDS)
        else:
            if reminder:
                log.warning("the server is there")
            return result
