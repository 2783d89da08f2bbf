"""What a report about the end of an attempt means, for its job and for the extension's breaker."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workroom.domain.job import TERMINAL, TRANSITIONS, JobState
from workroom.domain.rules import retry
from workroom.domain.rules.breaker import Sign
from workroom.domain.rules.failure import REFUSED_INPUT
from workroom.domain.rules.retry import Fate

# What a report may make of a job. A pending job has no attempt that could report.
MAY_END: dict[str, frozenset[str]] = {state: following & TERMINAL for state, following in TRANSITIONS.items()}
MAY_END[JobState.PENDING] = frozenset()


class ReportVerdict(StrEnum):
    """What becomes of a report."""

    ACCEPTED = "accepted"
    ILLEGAL = "illegal"  # the job cannot go from its state to the reported one
    LATE = "late"  # the job has ended or moved on: only the worker's slot is freed
    NOT_HELD = "not_held"  # neither the job nor the worker knows this attempt any more


@dataclass(frozen=True, slots=True)
class Ending:
    """What an accepted report does to the job, and the sign it gives the extension's breaker."""

    fate: Fate
    sign: Sign


_COMPLETED = Ending(Fate.COMPLETE, Sign.SUCCESS)
_CANCELLED = Ending(Fate.CANCEL, Sign.NONE)
_REFUSED = Ending(Fate.FAIL, Sign.NONE)
_BROKEN = {
    (fate, has_failed): Ending(fate, Sign.AGAIN if has_failed else Sign.FAILURE)
    for fate in (Fate.FAIL, Fate.GIVE_UP, Fate.RETRY)
    for has_failed in (False, True)
}


def receive(status: str, reported: str, *, is_current: bool, is_live: bool) -> ReportVerdict:
    """A current attempt is the one that the job waits for or ended with; a live one occupies its worker."""
    if is_current:
        if status in TERMINAL:
            return ReportVerdict.LATE
        return ReportVerdict.ACCEPTED if reported in MAY_END[status] else ReportVerdict.ILLEGAL
    return ReportVerdict.LATE if is_live else ReportVerdict.NOT_HELD


def is_repeat(status: str, reported: str, *, is_current: bool, same_result: bool, same_error: bool) -> bool:
    """Whether a late report is the one that ended the job, sent again because its reply was lost."""
    if not is_current or status != reported or not same_result:
        return False
    return status != JobState.FAILED or same_error


def was_retried(reported: str, *, has_result: bool, same_error: bool) -> bool:
    """Whether the report of an attempt that nobody holds is the one after which the job was retried.

    `same_error` if this attempt is on record as retried because of the same error.
    """
    return reported == JobState.FAILED and not has_result and same_error


def after_report(reported: str) -> Ending:
    """The worker reported an end without an error."""
    return _COMPLETED if reported == JobState.COMPLETED else _CANCELLED


def after_error(
    status: str, error_type: str, retry_on: str, retries: int, tries: int, *, has_failed: bool
) -> Ending:
    """Only errors of the code count against the extension and may be retried.

    Refused input is the submitter's error, and an attempt that never began ran no code.
    """
    if error_type == REFUSED_INPUT or status == JobState.ASSIGNED:
        return _REFUSED
    return after_timeout(retry_on, retries, tries, has_failed=has_failed)


def after_timeout(retry_on: str, retries: int, tries: int, *, has_failed: bool) -> Ending:
    """Code that runs too long has failed. Only the first failure of a job is a sign of its own."""
    return _BROKEN[retry.after_error(retry_on, retries, tries), has_failed]
