"""How long attempts have been under way, by a clock that never jumps.

The time is counted from the begin of an attempt, if that is told, or else from the first sweep that sees it,
and anew after a restart or a gap in sweeping.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


class Deadlines:
    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def begin(self, token: str, now: float) -> None:
        """The time of this attempt runs from here."""
        self._since.setdefault(token, now)

    def clear(self) -> None:
        self._since.clear()

    def overdue(self, under_way: Mapping[str, tuple[float, T]], now: float) -> list[T]:
        """Those of the attempts, by token, that have taken longer than the seconds they have."""
        self._since = {token: self._since.get(token, now) for token in under_way}
        return [item for token, (seconds, item) in under_way.items() if now - self._since[token] >= seconds]
