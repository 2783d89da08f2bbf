"""Whether a job can still be cancelled."""

from __future__ import annotations

from enum import StrEnum

from workroom.domain.job import TERMINAL, JobState


class CancelVerdict(StrEnum):
    CANCEL = "cancel"
    REPEAT = "repeat"  # it is cancelled already
    ALREADY_ENDED = "already_ended"


def decide(status: str) -> CancelVerdict:
    if status == JobState.CANCELLED:
        return CancelVerdict.REPEAT
    return CancelVerdict.ALREADY_ENDED if status in TERMINAL else CancelVerdict.CANCEL
