"""The circuit breaker of an extension: five failures in a row, a break, then one job may try."""

from __future__ import annotations

from dataclasses import dataclass

THRESHOLD = 5
BREAK_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Breaker:
    """`opened_us` is when it opened; `trial` is the attempt, by token, that tries if all is well again.

    The trial keeps all others out until it has a verdict, or its worker has let go of it without one.
    """

    failures: int = 0
    opened_us: int | None = None
    trial: str | None = None

    @property
    def is_open(self) -> bool:
        return self.opened_us is not None

    def lets_one_try(self, now_us: int) -> bool:
        return self.opened_us is not None and self.trial is None and now_us >= self.opened_us + BREAK_US

    def admits(self, now_us: int) -> bool:
        """May a job of this extension be assigned?"""
        return not self.is_open or self.lets_one_try(now_us)

    def lets_start(self, token: str) -> bool:
        """May this attempt, already assigned, begin?"""
        return not self.is_open or self.trial == token

    def trying(self, token: str) -> Breaker:
        return Breaker(self.failures, self.opened_us, token) if self.is_open else self

    def after_success(self, token: str) -> Breaker:
        """While it is open only the trial counts: others began before things went wrong."""
        return Breaker() if self.lets_start(token) else self

    def after_failure(self, token: str, now_us: int) -> Breaker:
        if self.is_open:
            return Breaker(self.failures, now_us) if self.trial == token else self
        failures = self.failures + 1
        return Breaker(failures, now_us if failures >= THRESHOLD else None)

    def after_no_verdict(self, token: str) -> Breaker:
        """The trial was lost or cancelled, and its worker is done with it: somebody else may try."""
        return Breaker(self.failures, self.opened_us) if self.trial == token else self
