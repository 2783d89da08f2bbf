"""What becomes of an attempt that is given back without having begun."""

from __future__ import annotations

from enum import StrEnum

from workroom.domain.job import JobState


class ReleaseVerdict(StrEnum):
    REQUEUE = "requeue"  # pending again at its old position, charged to nobody
    LATE = "late"  # the job has ended or moved on: only the worker's slot is freed
    STALE = "stale"  # nothing changes: another executor runs it, or nobody holds it any more


def decide(
    status: str, *, is_current: bool, is_live: bool, is_same_nonce: bool, is_recall: bool
) -> ReleaseVerdict:
    """A worker may give back what it has started, because it alone knows that no code ran.

    The server recalls only what is not started: the start and the recall of an attempt exclude each other.
    """
    if is_current and status == JobState.ASSIGNED:
        return ReleaseVerdict.REQUEUE
    if is_current and status == JobState.RUNNING:
        return ReleaseVerdict.REQUEUE if is_same_nonce and not is_recall else ReleaseVerdict.STALE
    return ReleaseVerdict.LATE if is_live and not is_recall else ReleaseVerdict.STALE
