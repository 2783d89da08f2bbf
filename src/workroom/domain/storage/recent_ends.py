"""How the last jobs of an extension ended, and how long they waited and ran.

Stores keep a bounded number of ends for each extension, newest first, each in a few bytes. So an overview
reads no jobs.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workroom.domain.job import JobState

RECENT_ENDS = 200
END_CODES = {JobState.COMPLETED: 0, JobState.FAILED: 1, JobState.CANCELLED: 2}
NEVER_STARTED = -1.0
_PACKED = struct.Struct("<IBff")  # seconds since 1970, end code, waiting and running milliseconds
RECENT_BYTES = RECENT_ENDS * _PACKED.size
_STATES = {code: state for state, code in END_CODES.items()}


class RecentEnd(NamedTuple):
    """One end; a job that never started has no durations."""

    at_us: int
    status: JobState
    wait_ms: float | None
    execution_ms: float | None


def encode_end(status: JobState, created_us: int, started_us: int | None, ended_us: int) -> bytes:
    if started_us is None:
        return _PACKED.pack(ended_us // 1_000_000, END_CODES[status], NEVER_STARTED, NEVER_STARTED)
    wait_ms, execution_ms = (started_us - created_us) / 1000, (ended_us - started_us) / 1000
    return _PACKED.pack(ended_us // 1_000_000, END_CODES[status], max(0.0, wait_ms), max(0.0, execution_ms))


def decode_ends(packed: bytes) -> list[RecentEnd]:
    return [
        RecentEnd(seconds * 1_000_000, _STATES[code], _duration(wait_ms), _duration(execution_ms))
        for seconds, code, wait_ms, execution_ms in _PACKED.iter_unpack(packed)
    ]


def _duration(milliseconds: float) -> float | None:
    return None if milliseconds < 0 else round(milliseconds, 3)


@dataclass(frozen=True, slots=True)
class Percentiles:
    p50: float
    p90: float
    p99: float


@dataclass(frozen=True, slots=True)
class EndStatistics:
    """`failure_rate` is the share of failed jobs among those that were not cancelled."""

    ends: int
    since_us: int | None
    failure_rate: float | None
    wait_ms: Percentiles | None
    execution_ms: Percentiles | None


def statistics_of(ends: Sequence[RecentEnd]) -> EndStatistics:
    judged = [end for end in ends if end.status is not JobState.CANCELLED]
    failed = sum(end.status is JobState.FAILED for end in judged)
    return EndStatistics(
        ends=len(ends),
        since_us=min((end.at_us for end in ends), default=None),
        failure_rate=round(failed / len(judged), 4) if judged else None,
        wait_ms=_percentiles([end.wait_ms for end in ends if end.wait_ms is not None]),
        execution_ms=_percentiles([end.execution_ms for end in ends if end.execution_ms is not None]),
    )


def _percentiles(durations: list[float]) -> Percentiles | None:
    if not durations:
        return None
    ordered = sorted(durations)
    return Percentiles(*(_nearest_rank(ordered, percent) for percent in (50, 90, 99)))


def _nearest_rank(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that at least this percentage of all values do not exceed."""
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]
