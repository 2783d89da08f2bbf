"""The circuit breaker of an extension: five failures in a row, a break, then one job may try."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

THRESHOLD = 5
BREAK_US = 60_000_000


class Sign(StrEnum):
    """What the end of an attempt means for the extension."""

    SUCCESS = "success"
    FAILURE = "failure"
    NONE = "none"  # lost, cancelled or refused: another attempt may be the trial


@dataclass(frozen=True, slots=True)
class Breaker:
    """When it opened, and the token of the attempt that tries whether the extension works again.

    The trial keeps all others out until it has a verdict, or its worker has let go of it without one.
    """

    failures: int = 0
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
        return Breaker(self.failures, self.opened_us, token) if self.is_open else self

    def after(self, sign: Sign, token: str, now_us: int) -> Breaker:
        """The breaker after an attempt ended with this sign."""
        if sign is Sign.SUCCESS:
            return self.after_success(token)
        return self.after_failure(token, now_us) if sign is Sign.FAILURE else self.after_no_verdict(token)

    def after_success(self, token: str) -> Breaker:
        """While it is open only the trial counts: others began before things went wrong."""
        return CLOSED if self.lets_start(token) else self

    def after_failure(self, token: str, now_us: int) -> Breaker:
        if self.is_open:
            return Breaker(self.failures, now_us) if self.trial == token else self
        failures = self.failures + 1
        return Breaker(failures, now_us if failures >= THRESHOLD else None)

    def after_no_verdict(self, token: str) -> Breaker:
        """If this was the trial, another attempt may try."""
        return Breaker(self.failures, self.opened_us) if self.trial == token else self


CLOSED = Breaker()


def opened_before(now_us: int) -> int:
    """Breakers that opened at this time or earlier admit a trial."""
    return now_us - BREAK_US
