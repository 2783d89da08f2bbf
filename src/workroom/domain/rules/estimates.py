"""How long jobs take, when they will begin, and what a worker may hold and start ahead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

EVIDENCE_ENDS = 100  # as many ends must have been measured before anything is handed out ahead
AHEAD_MS = 20.0  # of predicted work, beyond a worker's slots
AHEAD_JOBS = 256  # for each slot
MOST_AHEAD = 512  # at one worker: a claim must not take long
FIRST_AHEAD = 32  # at a worker that has not shown yet how soon it starts them
TOGETHER_BELOW_MS = 1.0  # only shorter jobs may be started before a slot begins them
TOGETHER_MS = 5.0  # of predicted work, for each slot
PROBED_BELOW_MS = TOGETHER_MS / 2  # if not reported as longer: two are started together, to measure better
SHORTEST_MS = 0.05  # no job counts as shorter
LONG_MS = 100.0  # jobs that take so long disprove all evidence
RECALL_SECONDS = 0.06  # after which what was handed out ahead and has not begun is taken back
UNKNOWN_START_SECONDS = 0.5  # until a worker is known to start what it is assigned sooner
LONGEST_START_SECONDS = 10.0
_START_DECAY = 0.9  # with each start, of how long earlier ones took


class Sample(NamedTuple):
    """How long slots were busy until so many jobs had ended, with the round trips and without them."""

    busy_ms: float
    run_ms: float
    ends: int


def without_trips(busy_ms: float, trips_ms: float) -> float:
    """The time without round trips. Half of it at least stays: a worker decides when it acks."""
    return max(busy_ms / 2, busy_ms - trips_ms)


def fastest_ms(samples: Iterable[Sample]) -> float:
    """How long the fastest tenth of the jobs took: a busy machine or network makes jobs only seem longer."""
    ordered = sorted(samples, key=lambda sample: sample.run_ms / sample.ends)
    left = sum(sample.ends for sample in ordered) / 10
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


def next_evidence_ms(evidence_ms: float | None, fastest_ms: float) -> float:
    """What another window proves. A little more may be due to a busy machine: then it doubles at most."""
    if evidence_ms is None or fastest_ms >= TOGETHER_MS:
        return fastest_ms
    return min(fastest_ms, 2 * evidence_ms)


def expected_ms(measured_ms: float | None, reported_ms: float) -> float | None:
    """What a worker is sent as the duration of a job that it may start together with others.

    A job that is started alone seems longer by a round trip, and a long round trip would hide for ever that
    jobs are short. So two are started together if the server's measurement allows it and no report objects.
    """
    if measured_ms is None or measured_ms >= PROBED_BELOW_MS or reported_ms >= TOGETHER_BELOW_MS:
        return None
    return round(max(measured_ms, reported_ms), 3)


def start_limit_s(start_s: float) -> float:
    """How long a start may be under way at a worker that recently took so long, before its job may move."""
    return max(RECALL_SECONDS, 2 * start_s)


def next_start_s(start_s: float, took_s: float) -> float:
    """How long a worker takes to start an assigned attempt, after another one took so long.

    It doubles at most, so one that stood still for a minute is not waited for that long again. A recall
    counts as a start that takes for ever: where every worker is slow, jobs stop moving after a few recalls.
    """
    most = min(2 * max(start_s, RECALL_SECONDS / 2), LONGEST_START_SECONDS)
    return min(max(took_s, start_s * _START_DECAY), most)


def paced_limit(elapsed_ms: float, starts: float) -> int:
    """How many jobs a worker may hold ahead that started so many in that time: what it starts in 20 ms.

    Predictions do not know how busy the server is. What waits for longer could be recalled.
    """
    if not starts:
        return FIRST_AHEAD
    return max(1, min(MOST_AHEAD, int(AHEAD_MS * starts / max(elapsed_ms, 0.001))))
