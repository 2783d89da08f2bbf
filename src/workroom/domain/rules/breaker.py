"""The circuit breaker of an extension: too many jobs fail, a break, then one job may try.

It counts jobs, not tries: only the first failure of a job is recorded, so that a few jobs that always fail
never stop the others by their retries.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MIN_FAILURES = 5
WINDOW = 20
BREAK_US = 60_000_000
SUCCEEDED, FAILED = "0", "1"
HEALTHY = SUCCEEDED * WINDOW


class Sign(StrEnum):
    """What the end of an attempt means for the extension."""

    SUCCESS = "success"
    FAILURE = "failure"
    AGAIN = "again"  # a failure of a job that failed before: a verdict only if it was the trial
    NONE = "none"  # lost, cancelled or refused: another attempt may be the trial


@dataclass(frozen=True, slots=True)
class Breaker:
    """How the last jobs ended, when it opened, and the token of the attempt that tries again.

    The trial keeps all others out until it has a verdict, or its worker has let go of it without one.
    """

    ends: str = ""  # the oldest first
    opened_us: int | None = None
    trial: str | None = None

    @property
    def is_open(self) -> bool:
        return self.opened_us is not None

    def admits_trial(self, now_us: int) -> bool:
        """Whether the break is over and no other attempt is the trial."""
        return self.opened_us is not None and self.trial is None and self.opened_us <= opened_before(now_us)

    def admits(self, now_us: int) -> bool:
        """Whether a job of this extension may be assigned."""
        return not self.is_open or self.admits_trial(now_us)

    def lets_start(self, token: str) -> bool:
        """Whether this attempt, already assigned, may begin."""
        return self.opened_us is None or self.trial == token

    def trying(self, token: str) -> Breaker:
        return Breaker(self.ends, self.opened_us, token) if self.is_open else self

    def after(self, sign: Sign, token: str, now_us: int) -> Breaker:
        """The breaker after an attempt ended with this sign."""
        if sign is Sign.SUCCESS:
            return self.after_success(token)
        if sign is Sign.FAILURE:
            return self.after_failure(token, now_us)
        return self.after_repeat(token, now_us) if sign is Sign.AGAIN else self.after_no_verdict(token)

    def after_success(self, token: str) -> Breaker:
        """The trial closes it and clears the failures; others began before things went wrong."""
        if self.opened_us is None and self.ends == HEALTHY:
            return self
        if self.is_open and self.trial == token:
            return Breaker(_latest(self.ends.replace(FAILED, "") + SUCCEEDED))
        return Breaker(_latest(self.ends + SUCCEEDED), self.opened_us, self.trial)

    def after_failure(self, token: str, now_us: int) -> Breaker:
        ends = _latest(self.ends + FAILED)
        if self.is_open:
            is_trial = self.trial == token
            return Breaker(ends, now_us, None) if is_trial else Breaker(ends, self.opened_us, self.trial)
        return Breaker(ends, now_us if opens(ends) else None)

    def after_repeat(self, token: str, now_us: int) -> Breaker:
        is_trial = self.is_open and self.trial == token
        return Breaker(self.ends, now_us) if is_trial else self

    def after_no_verdict(self, token: str) -> Breaker:
        """If this was the trial, another attempt may try."""
        return Breaker(self.ends, self.opened_us) if self.trial == token else self


def opens(ends: str) -> bool:
    """Whether at least five jobs, and half of those that ended last, have failed."""
    failures = ends.count(FAILED)
    return failures >= MIN_FAILURES and 2 * failures >= len(ends)


def opened_before(now_us: int) -> int:
    """Breakers that opened at this time or earlier admit a trial."""
    return now_us - BREAK_US


def _latest(ends: str) -> str:
    return ends[-WINDOW:]
