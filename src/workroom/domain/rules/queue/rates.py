"""When jobs of a rate may start: spread evenly, by one time stamp for each key.

This is the generic cell rate algorithm. `next_us` is when the next job starts if all are evenly spread; None
if that time has passed. A start may come a little early, and the interval makes up for it: no period,
wherever it begins, has more starts than the rate allows.
"""

from __future__ import annotations

import re
from functools import lru_cache

from workroom.domain.extension import Policy

PERIODS_US = {"s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
TOLERANCE_US = 50_000  # a server wakes up this often at most
MAX_STARTS = 100_000  # in one period

_RATE = re.compile(r"([0-9]{1,6})/(s|min|h)")


def is_rate(rate: str) -> bool:
    """Whether this is a rate: `100/min`, `5/s` or `20/h`."""
    found = _RATE.fullmatch(rate)
    return found is not None and 1 <= int(found[1]) <= MAX_STARTS


@lru_cache(maxsize=1024)
def interval_us(rate: str) -> int:
    """The time between two starts, rounded up."""
    starts, _, period = rate.partition("/")
    return -(-(PERIODS_US[period] + TOLERANCE_US) // int(starts))


def most_at_once(interval_us: int) -> int:
    """How many jobs may start together after a pause; more than one only if they are close to each other."""
    return TOLERANCE_US // interval_us + 1


def free_starts(next_us: int | None, now_us: int, interval_us: int) -> int:
    """How many jobs may start now."""
    return (now_us + TOLERANCE_US - _expected_us(next_us, now_us, interval_us)) // interval_us + 1


def opens_us(next_us: int | None, now_us: int, interval_us: int) -> int:
    """When the next job may start."""
    return max(now_us, _expected_us(next_us, now_us, interval_us) - TOLERANCE_US)


def starts_at_us(next_us: int, ahead: int, interval_us: int) -> int:
    """When a job can start at the earliest, behind so many others."""
    return next_us - TOLERANCE_US + ahead * interval_us


def after_start(next_us: int | None, now_us: int, interval_us: int) -> int:
    """`next_us` when one more job starts now."""
    return _expected_us(next_us, now_us, interval_us) + interval_us


def after_return(next_us: int, taken_us: int, interval_us: int) -> int:
    """`next_us` when the job that was to start at `taken_us` is given back.

    Only the last start can be taken back: those that followed it came no sooner because of it.
    """
    is_last = interval_us > TOLERANCE_US and next_us - interval_us <= taken_us + TOLERANCE_US
    return next_us - interval_us if is_last else next_us


def capped_us(next_us: int, now_us: int, interval_us: int) -> int:
    """`next_us` by a clock that may have been set back: no later than if a job started now."""
    return min(next_us, now_us + TOLERANCE_US + interval_us)


def _expected_us(next_us: int | None, now_us: int, interval_us: int) -> int:
    return now_us if next_us is None else max(now_us, capped_us(next_us, now_us, interval_us))


def bucket_of(policy: Policy, lane: str) -> str:
    """The key by which the jobs of a lane count: the lane itself, or one for the whole extension."""
    return lane if policy.rate_key is not None else ""


def rate_of(policy: Policy, bucket: str) -> str | None:
    """The rate of a key: its own, or the one of all keys that have none. None if there is none."""
    return policy.rates.get(bucket, policy.rate)
