"""How long jobs take, when they will begin, and how many a worker may fetch ahead."""

from __future__ import annotations

PREFETCH_MS = 20.0
PREFETCH_JOBS = 256  # for each slot
MOST_AHEAD = 512  # at one worker: a claim must not take long


def smoothed_ms(mean_ms: float | None, latest_ms: float) -> float:
    return latest_ms if mean_ms is None else mean_ms + (latest_ms - mean_ms) / 8


def eta_ms(position: int, slots: int, mean_ms: float) -> float:
    """When a job will begin, if the jobs before it take as long as those before them."""
    return round((position + 1) / slots * mean_ms, 1)


def prefetch(mean_ms: float | None) -> int:
    """How many jobs a worker may hold beyond its slots: as many as it is expected to finish in 20 ms."""
    if mean_ms is None:
        return 0
    return min(PREFETCH_JOBS, int(PREFETCH_MS / max(mean_ms, 0.001)))
