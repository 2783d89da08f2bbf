"""The circuit breaker of an extension: five failures in a row, a break, then one job may try."""

from __future__ import annotations

from dataclasses import dataclass

THRESHOLD = 5
BREAK_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Breaker:
    """`opened_us` is when it opened; `trial` is the job that tries whether things are well again."""

    failures: int = 0
    opened_us: int | None = None
    trial: int | None = None

    @property
    def is_open(self) -> bool:
        return self.opened_us is not None

    def lets_one_try(self, now_us: int) -> bool:
        return self.opened_us is not None and self.trial is None and now_us >= self.opened_us + BREAK_US

    def admits(self, now_us: int) -> bool:
        """May a job of this extension be assigned?"""
        return not self.is_open or self.lets_one_try(now_us)

    def lets_start(self, job: int) -> bool:
        """May this job, already assigned, begin?"""
        return not self.is_open or self.trial == job

    def trying(self, job: int) -> Breaker:
        return Breaker(self.failures, self.opened_us, job) if self.is_open else self

    def after_success(self) -> Breaker:
        return Breaker()

    def after_failure(self, job: int, now_us: int) -> Breaker:
        if self.is_open:
            return Breaker(self.failures, now_us) if self.trial == job else self
        failures = self.failures + 1
        return Breaker(failures, now_us if failures >= THRESHOLD else None)

    def after_no_verdict(self, job: int) -> Breaker:
        """The trial was lost or cancelled: somebody else may try."""
        return Breaker(self.failures, self.opened_us) if self.trial == job else self
