"""How much one user, or one address, may ask for."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass

from workroom.errors import TooManyRequests
from workroom.settings import Settings

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_RATE = re.compile(rf"(\d+) */ *({'|'.join(_SECONDS)})")
_MANY = 10_000


@dataclass(slots=True)
class _Count:
    """In one window of time, and in the one before it."""

    window: int
    now: int = 0
    before: int = 0


class Throttle:
    """One kind of request, counted per key over a sliding window: `10/minute`.

    What came in the window before counts for the part of it that is not yet a whole window ago.
    """

    def __init__(self, what: str, rate: str) -> None:
        found = _RATE.fullmatch(rate.strip())
        if found is None:
            raise ValueError(f"'{rate}' is no rate: write it like 10/minute")
        self._what = what
        self._rate = rate
        self._amount, self._seconds = int(found[1]), _SECONDS[found[2]]
        self._counts: dict[str, _Count] = {}

    def take(self, key: str, cost: int = 1) -> None:
        """Count it, or refuse it."""
        count = self._count(key)
        cost = min(cost, self._amount)
        self._refuse_beyond(count, cost)
        count.now += cost

    def check(self, key: str) -> None:
        """Refuse it if the next one would be too much."""
        self._refuse_beyond(self._count(key), 1)

    def _count(self, key: str) -> _Count:
        window = int(time.monotonic() / self._seconds)
        count = self._counts.get(key)
        if count is None:
            self._forget_old(window)
            count = self._counts[key] = _Count(window)
        elif count.window != window:
            count.before = count.now if count.window == window - 1 else 0
            count.window, count.now = window, 0
        return count

    def _forget_old(self, window: int) -> None:
        if len(self._counts) >= _MANY:
            self._counts = {key: each for key, each in self._counts.items() if each.window >= window - 1}

    def _refuse_beyond(self, count: _Count, cost: int) -> None:
        gone = time.monotonic() / self._seconds - count.window
        if count.before * (1 - gone) + count.now + cost <= self._amount:
            return
        seconds = max(1, math.ceil((1 - gone) * self._seconds))
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
