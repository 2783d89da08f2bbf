"""How much one user, or one address, may ask for."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from workroom.errors import TooManyRequests
from workroom.settings import Settings


class Throttle:
    """One kind of request, counted per key over a sliding window: `10/minute`."""

    def __init__(self, what: str, rate: str) -> None:
        self._what = what
        self._rate: RateLimitItem = parse(rate)
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def take(self, key: str, cost: int = 1) -> None:
        """Count it, or refuse it."""
        if not self._limiter.hit(self._rate, key, cost=min(cost, self._rate.amount)):
            self._refuse(key)

    def check(self, key: str) -> None:
        """Refuse it if the next one would be too much."""
        if not self._limiter.test(self._rate, key):
            self._refuse(key)

    def _refuse(self, key: str) -> None:
        window = self._limiter.get_window_stats(self._rate, key)
        seconds = max(1, math.ceil(window.reset_time - time.time()))
        raise TooManyRequests(
            f"too many {self._what}: at most {self._rate}. Try again in {seconds} s.",
            retry_after_ms=seconds * 1000,
        )


@dataclass(frozen=True, slots=True)
class Throttles:
    registrations: Throttle
    submits: Throttle
    logins: Throttle
    guesses: Throttle


def throttles(settings: Settings) -> Throttles:
    return Throttles(
        Throttle("registrations by one user", settings.register_rate),
        Throttle("jobs submitted by one user", settings.submit_rate),
        Throttle("logins from one address", settings.login_rate),
        Throttle("wrong passwords or codes from one address", settings.guess_rate),
    )
