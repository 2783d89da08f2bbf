"""How long assignments have waited for their start, by a clock that never jumps.

The time runs only while the worker has a free slot: a job behind a long one is not late. It is counted from
the first sweep that sees the assignment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


class Deadlines:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: dict[str, float] = {}

    def clear(self) -> None:
        self._since.clear()

    def overdue(self, startable: Mapping[str, T], now: float) -> list[T]:
        """Those of the attempts, by token, that could have started for too long."""
        self._since = {token: self._since.get(token, now) for token in startable}
        return [startable[token] for token, since in self._since.items() if now - since >= self._seconds]
