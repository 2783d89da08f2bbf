"""The length of each measurement."""

from __future__ import annotations

from dataclasses import dataclass

CALLERS = 32
BATCH = 500
PAUSE_SECONDS = 0.02  # between calls to an idle system, so that caches are cold for the floor and for a job


@dataclass(frozen=True, slots=True)
class Sizes:
    seconds: float
    times: int
    jobs: int


FULL, QUICK = Sizes(3.0, 200, 6000), Sizes(1.5, 100, 2000)
TURN = Sizes(0.6, 20, 1500)  # of a comparison that takes turns
