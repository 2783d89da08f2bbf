"""Notices when the event loop, which sends heartbeats, could not run for seconds.

Code in a slot's thread causes that by holding Python's global lock (GIL), as some numerical libraries do for
the time of a call. Nothing else runs meanwhile, so it can only be noticed afterwards.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_INTERVAL_SECONDS = 1.0
_STALL_SECONDS = 5.0


class StallMonitor:
    def __init__(
        self,
        stalled: Callable[[float], None],
        interval: float = _INTERVAL_SECONDS,
        threshold: float = _STALL_SECONDS,
    ) -> None:
        """`stalled` gets the seconds for which the loop stood still, if those reach the threshold."""
        self._stalled = stalled
        self._interval = interval
        self._threshold = threshold
        self._loop = asyncio.get_running_loop()
        self._schedule()

    def close(self) -> None:
        self._timer.cancel()

    def _schedule(self) -> None:
        self._due = time.monotonic() + self._interval
        self._timer = self._loop.call_later(self._interval, self._check)

    def _check(self) -> None:
        late = time.monotonic() - self._due
        self._schedule()
        if late >= self._threshold:
            self._stalled(late)
