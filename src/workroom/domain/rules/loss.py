"""What becomes of a job when its worker no longer has the attempt."""

from __future__ import annotations

from workroom.domain.job import TERMINAL
from workroom.domain.rules import retry
from workroom.domain.rules.retry import Fate

MAX_LOSSES = 5  # after that many lost assignments a job fails although it never started


def is_awaited(status: str, *, is_same_token: bool) -> bool:
    """Whether the job still waits for the outcome of the attempt with this token."""
    return is_same_token and status not in TERMINAL


def decide(
    *, is_awaited: bool, is_started: bool, losses: int, is_loss: bool, retries: int, tries: int
) -> Fate:
    """A started attempt is charged as a try. One that never began is handed out again.

    `is_loss` is False for attempts that are given back in order, which count against nobody.
    """
    if not is_awaited:
        return Fate.UNCHANGED
    if is_started:
        return retry.after_loss(retries, tries)
    return Fate.FAIL if losses + is_loss >= MAX_LOSSES else Fate.REQUEUE
