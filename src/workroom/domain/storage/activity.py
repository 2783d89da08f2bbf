"""What a store has written since it was opened."""

from __future__ import annotations

from dataclasses import dataclass, field

from workroom.domain.histogram import COMMIT_SECONDS, STEPS, Histogram


@dataclass(frozen=True, slots=True)
class StoreActivity:
    """`steps` has how many steps shared each commit, and `seconds` how long it took.

    On Redis, a round trip of scripts is a commit.
    """

    steps: Histogram = field(default_factory=lambda: Histogram(STEPS))
    seconds: Histogram = field(default_factory=lambda: Histogram(COMMIT_SECONDS))

    def committed(self, steps: int, seconds: float) -> None:
        self.steps.observe(steps)
        self.seconds.observe(seconds)
