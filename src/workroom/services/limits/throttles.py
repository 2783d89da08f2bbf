"""Rate limits per user, address or account, and limits on guesses at passwords and codes."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workroom.errors import Forbidden, TooManyRequests, Unauthenticated
from workroom.settings import Settings

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_RATE = re.compile(rf"(\d+) */ *({'|'.join(_SECONDS)})")
MAX_KEYS = 10_000


@dataclass(slots=True)
class _Count:
    """Requests in the current window and in the one before it."""

    window: int
    now: int = 0
    before: int = 0


class Throttle:
    """Limits one kind of request per key over a sliding window: `10/minute`.

    Requests of the previous window count for the share of it that is less than a whole window ago.
    """

    def __init__(self, what: str, rate: str) -> None:
        found = _RATE.fullmatch(rate.strip())
        if found is None:
            raise ValueError(f"'{rate}' is not a rate: write it like 10/minute")
        self._what = what
        self._rate = rate
        self._amount, self._seconds = int(found[1]), _SECONDS[found[2]]
        self._counts: dict[str, _Count] = {}

    def take(self, key: str, cost: int = 1) -> None:
        """Count a request, or refuse it. Every submit is counted, so far below the rate it is quick."""
        count = self._counts.get(key)
        if (
            count is not None
            and count.window == int(time.monotonic() / self._seconds)
            and count.now + count.before + cost <= self._amount
        ):
            count.now += cost
            return
        count = self._count(key)
        cost = min(cost, self._amount)
        self._refuse_beyond(count, cost)
        count.now += cost

    def check(self, key: str) -> None:
        """Refuse if one more request would exceed the rate."""
        self._refuse_beyond(self._count(key), 1)

    def give_back(self, key: str) -> None:
        """Take back a request that was counted and turned out not to be of this kind."""
        count = self._count(key)
        count.now = max(0, count.now - 1)

    def __len__(self) -> int:
        """How many keys are remembered."""
        return len(self._counts)

    def note(self, key: str) -> None:
        """Count a request that was checked before."""
        self._count(key).now += 1

    def _count(self, key: str) -> _Count:
        """Keys are ordered by their windows: the first key has been quiet longest."""
        window = int(time.monotonic() / self._seconds)
        count = self._counts.get(key)
        if count is None:
            if len(self._counts) >= MAX_KEYS:
                del self._counts[next(iter(self._counts))]
            count = self._counts[key] = _Count(window)
        elif count.window != window:
            count.before = count.now if count.window == window - 1 else 0
            count.window, count.now = window, 0
            self._counts[key] = self._counts.pop(key)
        return count

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
    passwords: Throttle
    account_passwords: Throttle
    invites: Throttle
    codes: Throttle
    rooms: Throttle
    chats: Throttle
    presets: Throttle
    guests: Throttle
    annotations: Throttle
    room_data: Throttle
    frames: Throttle
    positions: Throttle


def throttles(settings: Settings) -> Throttles:
    return Throttles(
        Throttle("registrations by one user", settings.register_rate),
        Throttle("jobs submitted by one user", settings.submit_rate),
        Throttle("logins from one address", settings.login_rate),
        Throttle("wrong passwords from one address", settings.guess_rate),
        Throttle("wrong passwords for one account", settings.account_guess_rate),
        Throttle("wrong invites from one address or account", settings.invite_guess_rate),
        Throttle("wrong pairing codes and links from one address", settings.code_guess_rate),
        Throttle("rooms created or deleted by one user", settings.room_rate),
        Throttle("chat messages of one user", settings.chat_rate),
        Throttle("presets saved or deleted by one user", settings.preset_rate),
        Throttle("new guests from one address", settings.guest_rate),
        Throttle("annotations by one user", settings.annotate_rate),
        Throttle("locks and changes of documents by one user", settings.data_rate),
        Throttle("uploads and changes of frames by one user", settings.frames_rate),
        Throttle("positions shown by one job", settings.positions_rate),
    )


@contextmanager
def count_guess(*counts: tuple[Throttle, str]) -> Iterator[None]:
    """Count a guess before it is checked, so that parallel guesses count too. A right guess is taken back."""
    for throttle, key in counts:
        throttle.check(key)
    for throttle, key in counts:
        throttle.take(key)
    try:
        yield
    except (Unauthenticated, Forbidden):
        raise
    except BaseException:
        _give_back(counts)
        raise
    _give_back(counts)


def _give_back(counts: tuple[tuple[Throttle, str], ...]) -> None:
    for throttle, key in counts:
        throttle.give_back(key)


class KnownNetworks:
    """Networks from which each account has logged in: guesses from elsewhere do not lock its owner out."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], None] = {}

    def add(self, account: str, network: str) -> None:
        self._known.pop((account, network), None)
        if len(self._known) >= MAX_KEYS:
            del self._known[next(iter(self._known))]
        self._known[account, network] = None

    def __contains__(self, place: tuple[str, str]) -> bool:
        return place in self._known
