"""What becomes of a job whose unique key an earlier job has."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from workroom.domain.extension import OnDuplicate
from workroom.domain.job import TERMINAL, JobState


class UniqueVerdict(StrEnum):
    TAKE = "take"  # nothing stands in its way
    JOIN = "join"  # the submit stands for the earlier job
    REFUSE = "refuse"
    REPLACE = "replace"  # the earlier job, which waits, is cancelled


def decide(
    on_duplicate: str, status: str | None, *, is_recent: bool, states: Collection[str]
) -> UniqueVerdict:
    """`status` is that of the last job with the key, `is_recent` whether it was submitted within the window.

    A job in none of the `states` stands in nobody's way, nor does one that failed or was cancelled.
    """
    if status not in states or (status in TERMINAL and not (status == JobState.COMPLETED and is_recent)):
        return UniqueVerdict.TAKE
    if on_duplicate != OnDuplicate.REPLACE:
        return UniqueVerdict.REFUSE if on_duplicate == OnDuplicate.REFUSE else UniqueVerdict.JOIN
    return UniqueVerdict.REPLACE if status == JobState.PENDING else UniqueVerdict.TAKE
