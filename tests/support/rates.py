"""How many jobs were handed out in any period."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from workroom import JobHandle

_ROUNDED = timedelta(milliseconds=1)  # times are given in milliseconds


def most_in(period: timedelta, jobs: Iterable[JobHandle]) -> int:
    """The largest number of jobs that were assigned in one period, wherever it begins."""
    times = [datetime.fromisoformat(job.document["assigned_at"]) for job in jobs]
    return max(sum(start <= each < start + period - _ROUNDED for each in times) for start in times)
