"""A clock that only tests advance."""

from __future__ import annotations


class FakeClock:
    def __init__(self) -> None:
        self._elapsed = 0.0
        self._wall = 1_700_000_000.0

    def now_us(self) -> int:
        return round((self._wall + self._elapsed) * 1_000_000)

    def monotonic(self) -> float:
        return 1000.0 + self._elapsed

    def advance(self, seconds: float) -> None:
        self._elapsed += seconds

    def jump(self, seconds: float) -> None:
        """Somebody sets the wall clock; no time goes by."""
        self._wall += seconds
