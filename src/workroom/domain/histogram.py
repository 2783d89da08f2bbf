"""How values are distributed over buckets. To observe one costs little: each job may be observed.

Not frozen: it is counted into, by one thread at a time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

SECONDS = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1,
    2.5,
    5,
    10,
    30,
    60,
    300,
    1800,
    7200,
    86_400,
)
COMMIT_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class Distribution:
    """For each bound, how many values are not above it. `count` is of all values, and `total` their sum."""

    buckets: tuple[tuple[float, int], ...]
    count: int
    total: float

    def __sub__(self, before: Distribution) -> Distribution:
        """The values that came after an earlier distribution with the same bounds."""
        pairs = zip(self.buckets, before.buckets, strict=True)
        buckets = tuple((bound, count - then) for (bound, count), (_, then) in pairs)
        return Distribution(buckets, self.count - before.count, self.total - before.total)

    def __add__(self, other: Distribution) -> Distribution:
        pairs = zip(self.buckets, other.buckets, strict=True)
        buckets = tuple((bound, count + more) for (bound, count), (_, more) in pairs)
        return Distribution(buckets, self.count + other.count, self.total + other.total)

    def quantile(self, share: float) -> float | None:
        """An estimate: values are taken to be spread evenly between two bounds. None without values.

        A value above the last bound is taken to be at it.
        """
        if not self.count:
            return None
        wanted, low, below = share * self.count, 0.0, 0
        for bound, count in self.buckets:
            if count >= wanted and count > below:
                return low + (bound - low) * max(0.0, wanted - below) / (count - below)
            low, below = bound, count
        return low


class Histogram:
    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: Sequence[float]) -> None:
        """The bounds ascend; a value above the last one is counted too."""
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(self._bounds) + 1)
        self._total = 0.0

    def observe(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._total += value

    def read(self) -> Distribution:
        sums = list(accumulate(self._counts))
        return Distribution(tuple(zip(self._bounds, sums, strict=False)), sums[-1], self._total)
