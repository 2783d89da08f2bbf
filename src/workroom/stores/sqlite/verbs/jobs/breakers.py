"""Reads and writes the circuit breaker of an extension, within a step."""

from __future__ import annotations

from workroom.domain.rules.breaker import Breaker, Sign
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.step_builder import StepBuilder


def breaker_of(builder: StepBuilder, extension: int) -> Breaker:
    if extension not in builder.breakers:
        row = builder.connection.execute(SQL["breaker_of_extension"], (extension,)).fetchone()
        builder.breakers[extension] = Breaker(*row)
    return builder.breakers[extension]


def change_breaker(builder: StepBuilder, extension: int, sign: Sign, token: str) -> bool:
    """Record how an attempt ended; True if that closed the breaker."""
    before = breaker_of(builder, extension)
    after = before.after(sign, token, builder.at_us)
    if after is not before and after != before:
        save_breaker(builder, extension, after)
    return before.is_open and not after.is_open


def save_breaker(builder: StepBuilder, extension: int, breaker: Breaker) -> None:
    """Written with the next flush, once for all ends of the step."""
    builder.breakers[extension] = breaker
    builder.changed_breakers.add(extension)
