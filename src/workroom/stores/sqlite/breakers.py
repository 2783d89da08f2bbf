"""Reads and writes the circuit breaker of an extension, within a step."""

from __future__ import annotations

from collections.abc import Callable

from workroom.domain.breaker import Breaker
from workroom.stores.sqlite.ledger import Ledger
from workroom.stores.sqlite.statements import SQL


def breaker_of(ledger: Ledger, extension: int) -> Breaker:
    if extension not in ledger.breakers:
        row = ledger.connection.execute(SQL["breaker_of_extension"], (extension,)).fetchone()
        ledger.breakers[extension] = Breaker(*row)
    return ledger.breakers[extension]


def change_breaker(ledger: Ledger, extension: int, change: Callable[[Breaker], Breaker]) -> bool:
    """Apply a rule to the breaker; true if that closed it."""
    before = breaker_of(ledger, extension)
    after = change(before)
    if after != before:
        ledger.breakers[extension] = after
        values = (after.failures, after.opened_us, after.trial, extension)
        ledger.connection.execute(SQL["save_breaker"], values)
    return before.is_open and not after.is_open


def end_trial(ledger: Ledger, extension: int, token: str) -> None:
    """If this attempt was the trial, it let go without a verdict."""
    change_breaker(ledger, extension, lambda breaker: breaker.after_no_verdict(token))
