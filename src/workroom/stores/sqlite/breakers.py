"""Reads and writes the circuit breaker of an extension."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from workroom.domain.breaker import Breaker
from workroom.stores.sqlite.statements import SQL


def breaker_of(connection: sqlite3.Connection, extension: int) -> Breaker:
    return Breaker(*connection.execute(SQL["breaker_of_extension"], (extension,)).fetchone())


def change_breaker(
    connection: sqlite3.Connection, extension: int, change: Callable[[Breaker], Breaker]
) -> bool:
    """Apply a rule to the breaker; true if that closed it."""
    before = breaker_of(connection, extension)
    after = change(before)
    if after != before:
        connection.execute(SQL["save_breaker"], (after.failures, after.opened_us, after.trial, extension))
    return before.is_open and not after.is_open


def end_trial(connection: sqlite3.Connection, extension: int, token: str) -> None:
    """If this attempt was the trial, it let go without a verdict."""
    change_breaker(connection, extension, lambda breaker: breaker.after_no_verdict(token))
