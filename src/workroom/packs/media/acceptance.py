"""How an order gets its id at a provider, and is never paid for twice.

An intent is durable before anything is sent. What comes of it is one of three:

- not sent: the provider refused it, or was not reached. It may be sent again.
- accepted: the provider's id is durable, and later attempts go on from there.
- unknown: the answer was lost. The provider is searched for the order; if it cannot list its orders, a person
  decides. It is not sent again before that.

A later attempt that finds an intent without an id is in the third case.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from pydantic import BaseModel, Field

from workroom.packs.media.providers import (
    Accepted,
    MediaProvider,
    Order,
    OutcomeUnknown,
    ProviderDown,
    ProviderError,
    RateLimited,
)
from workroom.packs.media.providers.transport import send_limit

_MAX_PAUSE_S = 30.0


class Choice(StrEnum):
    LOOK = "look again"
    SEND = "it was not charged, send again"
    GIVE_UP = "give up"


class Decision(BaseModel):
    """What a person decides about an order whose answer was lost."""

    choice: Choice = Choice.LOOK
    task_id: str = Field("", max_length=200, description="its id at the provider, if it was accepted")


class Register(Protocol):
    """What is durable about an order: the intent to send it, and the provider's id of it."""

    def task_id(self) -> str | None:
        """The id, which also an earlier attempt may have set meanwhile."""

    def intended_at(self) -> float | None:
        """When the order was first about to be sent, as a Unix time; None if it never was."""

    def check(self) -> None:
        """Raises if the order must not be sent."""

    def intend(self) -> None:
        """The order is about to be sent."""

    def withdraw(self) -> None:
        """The order was not accepted."""

    def accept(self, accepted: Accepted) -> None:
        """The provider has accepted the order."""

    def decide(self, reason: str) -> Decision:
        """Let a person decide."""


class Acceptance:
    """One order. `wait` is called with seconds, and raises to stop; `is_known` as in `MediaProvider.find`."""

    def __init__(
        self,
        provider: MediaProvider,
        order: Order,
        register: Register,
        *,
        wait: Callable[[float], None],
        is_known: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._provider = provider
        self._order = order
        self._register = register
        self._wait = wait
        self._is_known = is_known

    def task_id(self) -> str:
        """The provider's id of the order: set by an earlier attempt, found again, or new."""
        found = self._register.task_id()
        if found is not None:
            return found
        since = self._register.intended_at()
        if since is None:
            return self._send()
        return self._recover(since, self._provider.max_send_s, "an earlier attempt did not finish")

    def send_again(self) -> str:
        """Send an order that costs nothing once more."""
        return self._send()

    def _send(self) -> str:
        pause, deadline = self._provider.poll_s, time.monotonic() + self._provider.max_wait_s
        prepared: Order | None = None
        while True:
            try:
                prepared = prepared or self._provider.prepare(self._order)
                return self._send_once(prepared)
            except ProviderError as error:
                if not error.is_temporary or time.monotonic() + _pause(error, 0.0) >= deadline:
                    raise
                self._wait(_pause(error, pause))
                pause = min(pause * 2, _MAX_PAUSE_S)

    def _send_once(self, prepared: Order) -> str:
        """Send it right after the intent. Raises ProviderError if it was not accepted."""
        self._register.check()
        began = time.time()
        with send_limit(self._provider.max_send_s):
            self._register.intend()
            try:
                accepted, reason = self._provider.submit(prepared), ""
            except OutcomeUnknown as error:
                accepted, reason = None, str(error)
            except ProviderError:
                self._register.withdraw()
                raise
        return self._recover(began, 0.0, reason) if accepted is None else self._accept(accepted)

    def _accept(self, accepted: Accepted) -> str:
        self._register.accept(accepted)
        return accepted.task_id

    def _recover(self, since: float, under_way_s: float, reason: str) -> str:
        """The order may have been accepted, and may still be under way for so long."""
        if self._provider.is_free and not self._provider.can_find:
            return self._send()
        while True:
            try:
                found = self._find(since, under_way_s)
            except OutcomeUnknown as error:
                decision = self._register.decide(f"{reason}; {error}")
                if decision.choice is Choice.LOOK and not decision.task_id and not self._register.task_id():
                    continue
                return self._decided(decision, reason)
            return self._accept(found) if found is not None else self._send_unless_known()

    def _decided(self, decision: Decision, reason: str) -> str:
        if decision.task_id:
            return self._accept(Accepted(decision.task_id))
        if decision.choice is Choice.GIVE_UP and self._register.task_id() is None:
            raise OutcomeUnknown(f"given up: {reason}")
        return self._send_unless_known()

    def _send_unless_known(self) -> str:
        """An earlier attempt that was only slow may have set the id meanwhile."""
        return self._register.task_id() or self._send()

    def _find(self, since: float, under_way_s: float) -> Accepted | None:
        """An order that is not listed may only be late, so that absence counts after a while.

        The while begins here: the clock of the machine that has sent the order may be another one.
        """
        if not self._provider.can_find:
            raise OutcomeUnknown(f"{self._provider.name} cannot list its orders")
        began, pause = time.monotonic(), self._provider.poll_s
        deadline = began + self._provider.max_wait_s
        absent_at = began + (0.0 if self._provider.is_free else under_way_s + self._provider.listed_after_s)
        while True:
            try:
                found = self._provider.find(self._order, since, self._is_known)
            except (ProviderDown, RateLimited) as error:
                if time.monotonic() + _pause(error, 0.0) >= deadline:
                    raise OutcomeUnknown(f"its list could not be read: {error}") from error
                self._wait(_pause(error, pause))
            else:
                left = absent_at - time.monotonic()
                if found is not None or left <= 0:
                    return found
                self._wait(min(left, pause))
            pause = min(pause * 2, _MAX_PAUSE_S)


def _pause(error: ProviderError, pause: float) -> float:
    wanted = error.retry_after if isinstance(error, RateLimited) else None
    return max(pause, wanted or 0.0)
