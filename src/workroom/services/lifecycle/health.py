"""Whether the server would accept a job now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from workroom.errors import StoreUnavailable, WorkroomError
from workroom.ports import Clock

_TRUSTED_SECONDS = 1.0
_TIMEOUT_SECONDS = 5.0


class Probed(Protocol):
    async def probe(self) -> None: ...


class Health:
    """Writes to the store at most once a second, whatever the number of requests."""

    def __init__(self, store: Probed, check_disk: Callable[[], None], clock: Clock) -> None:
        """`check_disk` raises StorageFull."""
        self._store = store
        self._check_disk = check_disk
        self._clock = clock
        self._checking = asyncio.Lock()
        self._checked_at = float("-inf")
        self._problem: WorkroomError | None = None

    async def problem(self) -> WorkroomError | None:
        """Why a job would be refused, or None."""
        async with self._checking:
            if self._clock.monotonic() - self._checked_at >= _TRUSTED_SECONDS:
                self._problem = await self._check()
                self._checked_at = self._clock.monotonic()
            return self._problem

    async def _check(self) -> WorkroomError | None:
        try:
            self._check_disk()
            async with asyncio.timeout(_TIMEOUT_SECONDS):
                await self._store.probe()
        except WorkroomError as problem:
            return problem
        except TimeoutError:
            return StoreUnavailable("the store does not respond")
        return None
