"""Time that moves only when it is told to."""

from __future__ import annotations


class FakeClock:
    def __init__(self) -> None:
        self._elapsed = 0.0

    def now_us(self) -> int:
        return 1_700_000_000_000_000 + round(self._elapsed * 1_000_000)

    def monotonic(self) -> float:
        return 1000.0 + self._elapsed

    def advance(self, seconds: float) -> None:
        self._elapsed += seconds
