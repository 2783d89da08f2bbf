"""Whether a job whose attempt went wrong gets another try, and when."""

from __future__ import annotations

from enum import StrEnum

from workroom.domain.extension import RetryOn

FIRST_DELAY_S = 1.0
MAX_DELAY_S = 60.0
MAX_DOUBLINGS = 16  # keeps the power small; the delay is capped long before
JITTER = 0.2


class Fate(StrEnum):
    """What becomes of a job when one of its attempts ends."""

    COMPLETE = "complete"
    CANCEL = "cancel"
    FAIL = "fail"  # with the error of this attempt
    GIVE_UP = "give_up"  # fails with MaxRetriesExceeded
    RETRY = "retry"  # pending again after a backoff
    REQUEUE = "requeue"  # pending again at once, at its old position
    UNCHANGED = "unchanged"  # the job does not wait for this attempt


def backoff_s(tries: int, jitter: float) -> float:
    """1 s, doubled with each try, at most 60 s; `jitter` from -1 to 1 moves it by up to a fifth."""
    doubled: float = FIRST_DELAY_S * 2 ** min(tries - 1, MAX_DOUBLINGS)
    return min(MAX_DELAY_S, doubled) * (1 + JITTER * jitter)


def capped_due_us(due_us: int, now_us: int, tries: int) -> int:
    """When a backoff ends by a clock that may have been set back: no later than if it began now."""
    return min(due_us, now_us + round(backoff_s(tries, 1.0) * 1_000_000))


def after_loss(retries: int, tries: int) -> Fate:
    """The worker was lost while it ran the job; this was try number `tries`."""
    if tries <= retries:
        return Fate.RETRY
    return Fate.FAIL if retries == 0 else Fate.GIVE_UP


def after_error(retry_on: str, retries: int, tries: int) -> Fate:
    """The code failed or took too long."""
    if retry_on != RetryOn.ERROR:
        return Fate.FAIL
    return after_loss(retries, tries)
