"""Decides when a worker starts the attempts that it holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from workroom.client.worker.attempts import Attempt, HeldAttempts
from workroom.domain.rules.estimates import TOGETHER_MS


class Starter:
    """Starts an attempt when a slot will begin it now, because `running` means that code runs.

    Attempts that the server expects to be very short are started together, up to 5 ms of work for each slot:
    otherwise each would wait for its own reply. Lives on the worker's event loop.
    """

    def __init__(self, slots: int, attempts: HeldAttempts, start: Callable[[Attempt], None]) -> None:
        self._slots = slots
        self._attempts = attempts
        self._start = start
        self._waiting: deque[Attempt] = deque()
        self._returning: deque[tuple[Attempt, Callable[[], None]]] = deque()
        self._started: dict[int, Attempt] = {}  # by identity: a fence may be dropped and assigned again
        self._expected_ms = 0.0  # of the started attempts that are expected to be short
        self._long = 0  # started attempts that are not

    def add(self, attempt: Attempt) -> None:
        self._waiting.append(attempt)
        self.fill()

    def withdraw(self, job_id: str, number: int) -> Attempt | None:
        """Do not start this attempt. None if it does not wait here: its start may be on the way."""
        for attempt in self._waiting:
            if (attempt.fence.job_id, attempt.fence.attempt) == (job_id, number):
                self._waiting.remove(attempt)
                return attempt
        return None

    def ended(self, attempt: Attempt) -> None:
        """The attempt occupies no slot, or no longer."""
        self._forget(attempt)
        self._stay_away(attempt)
        self.fill()

    def suspend(self, attempt: Attempt) -> None:
        """The attempt waits, and occupies no slot meanwhile, nor does it want one."""
        self._forget(attempt)
        self._stay_away(attempt)
        attempt.expected_ms = None
        self.fill()

    def resume(self, attempt: Attempt, ready: Callable[[], None]) -> None:
        """Call `ready` once a slot is free for the attempt again, before any other is started."""
        self._returning.append((attempt, ready))
        self.fill()

    def _stay_away(self, attempt: Attempt) -> None:
        if self._returning:
            self._returning = deque(each for each in self._returning if each[0] is not attempt)

    def outlasted(self, attempts: Iterable[Attempt]) -> None:
        """These take longer than expected: start nothing behind them."""
        for attempt in attempts:
            if self._forget(attempt):
                attempt.expected_ms = None
                self._note(attempt)

    def fill(self) -> None:
        """Start what fits, after what has waited for its slot."""
        while self._returning and len(self._started) < self._slots:
            returning, ready = self._returning.popleft()
            self._note(returning)
            ready()
        while self._waiting and not self._returning:
            attempt = self._waiting[0]
            is_held = self._attempts.has(attempt)
            if is_held and not self._fits(attempt):
                return
            self._waiting.popleft()
            if is_held:
                self._note(attempt)
                self._start(attempt)

    def _fits(self, attempt: Attempt) -> bool:
        if len(self._started) < self._slots:
            return True
        budget_ms = (self._slots - self._long) * TOGETHER_MS
        return attempt.expected_ms is not None and self._expected_ms + attempt.expected_ms <= budget_ms

    def _note(self, attempt: Attempt) -> None:
        self._started[id(attempt)] = attempt
        if attempt.expected_ms is None:
            self._long += 1
        else:
            self._expected_ms += attempt.expected_ms

    def _forget(self, attempt: Attempt) -> bool:
        if self._started.pop(id(attempt), None) is None:
            return False
        if attempt.expected_ms is None:
            self._long -= 1
        else:
            self._expected_ms -= attempt.expected_ms
        if not self._started:
            self._expected_ms = 0.0  # no rounding errors add up
        return True
