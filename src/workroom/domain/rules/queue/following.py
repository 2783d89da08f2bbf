"""What the end of a job or a group means for the jobs that wait for it."""

from __future__ import annotations

from enum import StrEnum

from workroom.domain.job import JobState

FOLLOW_BATCH = 500  # jobs that one step updates; sweeps do the rest
SKIPPER = "workroom"  # in the history of a skipped job
SKIP_TEXTS = {"failed": "failed", "cancelled": "was cancelled", "group": "did not complete"}


class FollowVerdict(StrEnum):
    WAIT = "wait"  # it has not ended
    GO = "go"
    SKIP = "skip"  # the job is cancelled


def follow(status: str | None, *, on_end: bool) -> FollowVerdict:
    """`status` is the end of a job, or of a group as a whole; None if it has not ended."""
    if status is None:
        return FollowVerdict.WAIT
    return FollowVerdict.GO if on_end or status == JobState.COMPLETED else FollowVerdict.SKIP


def group_end(failed: int, cancelled: int, retried: int) -> str:
    """How a group has ended as a whole: failed jobs that were retried do not count."""
    return JobState.COMPLETED if cancelled == 0 and failed <= retried else JobState.FAILED


def skip_reason(before: str, status: str, *, is_group: bool) -> str:
    """Why a job that waited for a job or a group is cancelled."""
    if is_group:
        return f"group {before} {SKIP_TEXTS['group']}"
    return f"job {before} {SKIP_TEXTS[status]}"
