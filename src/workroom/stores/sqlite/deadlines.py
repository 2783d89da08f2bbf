"""Measures how long attempts have run, by the monotonic clock.

Time counts from `begin`, or else from the first sweep that sees the attempt, and starts again after a
restart or a gap in sweeping.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


class Deadlines:
    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def begin(self, token: str, now: float) -> None:
        """Start measuring this attempt."""
        self._since.setdefault(token, now)

    def clear(self) -> None:
        self._since.clear()

    def next_in(self, running: Mapping[str, tuple[float, object]], now: float) -> float | None:
        """Return the seconds until the next of these attempts is overdue."""
        left = (self._since[token] + seconds - now for token, (seconds, _) in running.items())
        return min((each for each in left if each > 0), default=None)

    def overdue(self, running: Mapping[str, tuple[float, T]], now: float) -> list[T]:
        """Return the attempts that took longer than their seconds. `running` is keyed by token."""
        self._since = {token: self._since.get(token, now) for token in running}
        return [item for token, (seconds, item) in running.items() if now - self._since[token] >= seconds]
