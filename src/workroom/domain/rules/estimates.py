"""How long jobs take, when they will begin, and what a worker may hold and start ahead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

EVIDENCE_ENDS = 100  # as many ends must have been measured before anything is handed out ahead
AHEAD_MS = 20.0  # of predicted work, beyond a worker's slots
AHEAD_JOBS = 256  # for each slot
MOST_AHEAD = 512  # at one worker: a claim must not take long
TOGETHER_BELOW_MS = 1.0  # only shorter jobs may be started before a slot begins them
TOGETHER_MS = 5.0  # of predicted work, for each slot
SHORTEST_MS = 0.05  # no job counts as shorter
LONG_MS = 100.0  # jobs that take so long disprove all evidence
RECALL_SECONDS = 0.06  # after which what was handed out ahead and has not begun is taken back


class Sample(NamedTuple):
    """How long slots were busy until so many jobs had ended, with the round trips and without them."""

    busy_ms: float
    run_ms: float
    ends: int


def fastest_ms(samples: Iterable[Sample]) -> float:
    """How long the faster quarter of the jobs took: a busy machine or network makes jobs only seem longer."""
    ordered = sorted(samples, key=lambda sample: sample.run_ms / sample.ends)
    left = sum(sample.ends for sample in ordered) / 4
    total_ms, ends = 0.0, 0
    for sample in ordered:
        total_ms += sample.run_ms
        ends += sample.ends
        if ends >= left:
            break
    return max(SHORTEST_MS, total_ms / ends)


def eta_ms(position: int, slots: int, mean_ms: float) -> float:
    """When a job will begin, if the jobs before it take as long as those before them."""
    return round((position + 1) / slots * mean_ms, 1)


def read_ahead(mean_ms: float | None) -> int:
    """How many jobs a worker may hold beyond each slot: as many as it is expected to finish in 20 ms."""
    if mean_ms is None:
        return 0
    return min(AHEAD_JOBS, int(AHEAD_MS / max(mean_ms, 0.001)))


def expected_ms(mean_ms: float | None) -> float | None:
    """What a worker is sent as the duration of a job that it may start together with others."""
    return round(mean_ms, 3) if mean_ms is not None and mean_ms < TOGETHER_BELOW_MS else None


def adapted_limit(limit: float, waited_ms: float) -> float:
    """How many jobs to hand out ahead, if the last ones waited so long for their start.

    Predictions do not know how busy the server is. What waits for longer than 20 ms could be recalled.
    """
    if waited_ms > AHEAD_MS:
        return max(1.0, limit * max(0.5, AHEAD_MS / waited_ms))
    return min(MOST_AHEAD, limit * 1.25 + 1)
