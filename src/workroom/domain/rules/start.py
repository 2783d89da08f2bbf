"""Whether an attempt may run code: the commit point."""

from __future__ import annotations

from enum import StrEnum

from workroom.domain.job import JobState


class StartVerdict(StrEnum):
    RUN = "run"
    REPEAT = "repeat"  # the same executor sent its start again
    STALE = "stale"  # the job does not wait for this attempt, or another executor runs it
    CIRCUIT_OPEN = "circuit_open"  # the attempt is released and the job is pending again


def decide(status: str, *, is_current: bool, is_same_nonce: bool, lets_start: bool) -> StartVerdict:
    """`lets_start` is the verdict of the extension's breaker on this attempt."""
    if not is_current:
        return StartVerdict.STALE
    if status == JobState.ASSIGNED:
        return StartVerdict.RUN if lets_start else StartVerdict.CIRCUIT_OPEN
    if status == JobState.RUNNING and is_same_nonce:
        return StartVerdict.REPEAT
    return StartVerdict.STALE
