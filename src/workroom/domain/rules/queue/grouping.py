"""Whether a group takes jobs, and when it has ended."""

from __future__ import annotations

from enum import StrEnum

CHANGE_BATCH = 500  # jobs of a group that one sweep cancels, pauses or resumes


class JoinVerdict(StrEnum):
    TAKE = "take"
    POSTPONE = "postpone"  # until the group is resumed
    CLOSED = "closed"


def join(*, is_open: bool, is_paused: bool, is_cancelled: bool, is_retry: bool) -> JoinVerdict:
    """A job is added to a group. A closed one takes retries of its own jobs."""
    if is_cancelled or not (is_open or is_retry):
        return JoinVerdict.CLOSED
    return JoinVerdict.POSTPONE if is_paused else JoinVerdict.TAKE


def is_over(total: int, ended: int, *, is_open: bool) -> bool:
    """Whether all its jobs have ended, and no more are to come."""
    return not is_open and ended >= total
