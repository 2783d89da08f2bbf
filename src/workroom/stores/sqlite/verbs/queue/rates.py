"""Rates over time: they open when their next job may start, and follow a clock that was set."""

from __future__ import annotations

import sqlite3

from workroom.domain.rules.queue.rates import TOLERANCE_US, capped_us, interval_us, rate_of
from workroom.domain.steps import Step
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue.lanes import parsed_policy
from workroom.stores.sqlite.verbs.queue.pacing import save_next_start, show

_BATCH = 1000


def open_due(connection: sqlite3.Connection, at_us: int) -> Step:
    """Make jobs ready whose rate lets them start now, and delete rates that hold nothing back any more."""
    step = Step()
    due = connection.execute(SQL["due_rates"], (at_us + TOLERANCE_US, _BATCH)).fetchall()
    for extension, bucket, next_us, text in due:
        policy = parsed_policy(text)
        rate = rate_of(policy, bucket)
        if rate is not None:
            added = show(connection, extension, bucket, policy, rate, at_us).added
            if added:
                step.arrive(extension, added)
        if next_us <= at_us:
            connection.execute(SQL["forget_rate"], (extension, bucket))
    (next_us,) = connection.execute(SQL["next_rate"], (at_us + TOLERANCE_US,)).fetchone()
    is_all = len(due) < _BATCH
    if next_us is not None or not is_all:
        step.wake_in((next_us - TOLERANCE_US - at_us) / 1_000_000 if is_all else 0.0)
    return step


def cap(connection: sqlite3.Connection, at_us: int) -> None:
    """The clock may have been set back: no rate waits longer than from one start to the next."""
    for extension, bucket, next_us, text in connection.execute(SQL["all_rates"]).fetchall():
        rate = rate_of(parsed_policy(text), bucket)
        if rate is not None:
            save_next_start(connection, extension, bucket, capped_us(next_us, at_us, interval_us(rate)))
