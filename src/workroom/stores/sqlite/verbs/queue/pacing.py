"""Paces jobs whose extension has a rate: as many are ready as may start now."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from workroom.domain.extension import Policy
from workroom.domain.rules.queue import rates
from workroom.domain.rules.queue.limits import free_places, limit_of
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue.stages import PACED, PARKED, READY, Stage


class Rebalanced(NamedTuple):
    """How many jobs became ready, and the seconds until the rate lets the next one start."""

    added: int
    opens_s: float | None = None


def rebalance(
    connection: sqlite3.Connection, extension: int, lane: str, policy: Policy, rate: str, at_us: int
) -> Rebalanced:
    """Jobs first get a place in their lane, no more than may start together, and are then paced."""
    values = (extension, lane)
    active = connection.execute(SQL["active_in_lane"], values).fetchone()[0]
    placed = connection.execute(SQL["placed_in_lane"], values).fetchone()[0]
    most = active + rates.most_at_once(rates.interval_us(rate))
    limit = min(limit_of(policy.concurrency, lane), most)
    where = {"extension": extension, "lane": lane}
    places = Stage(connection, "lane_members", "last_placed_in_lane", where, PARKED, PACED)
    places.admit(free_places(limit, active, placed))
    return show(connection, extension, rates.bucket_of(policy, lane), policy, rate, at_us)


def show(
    connection: sqlite3.Connection, extension: int, bucket: str, policy: Policy, rate: str, at_us: int
) -> Rebalanced:
    """Make as many jobs ready as may start now, of those that have a place in a lane."""
    interval_us = rates.interval_us(rate)
    next_us = next_start(connection, extension, bucket)
    free = rates.free_starts(next_us, at_us, interval_us)
    where, of = {"extension": extension, "lane": bucket}, _PER_KEY
    if policy.rate_key is None:
        where, of = {"extension": extension}, _TOGETHER
    shown = connection.execute(SQL[of.number], where).fetchone()[0]
    stage = Stage(connection, of.best, of.worst, where, PACED, READY)
    added = stage.admit(free - shown)
    if free > 0 or not stage.has_waiting:
        return Rebalanced(added)
    return Rebalanced(added, (rates.opens_us(next_us, at_us, interval_us) - at_us) / 1_000_000)


class _Statements(NamedTuple):
    number: str
    best: str
    worst: str


_PER_KEY = _Statements("shown_in_lane", "lane_members", "last_ready_in_lane")
_TOGETHER = _Statements("shown_of_extension", "paced_of_extension", "last_shown_of_extension")


def next_start(connection: sqlite3.Connection, extension: int, bucket: str) -> int | None:
    row = connection.execute(SQL["next_start"], (extension, bucket)).fetchone()
    return None if row is None else row[0]


def take_start(
    connection: sqlite3.Connection, extension: int, lane: str, policy: Policy, rate: str, at_us: int
) -> None:
    """Count a job that is handed out."""
    bucket = rates.bucket_of(policy, lane)
    next_us = next_start(connection, extension, bucket)
    save_next_start(connection, extension, bucket, rates.after_start(next_us, at_us, rates.interval_us(rate)))


def return_start(
    connection: sqlite3.Connection, extension: int, lane: str, policy: Policy, rate: str, taken_us: int
) -> None:
    """A job that was handed out at `taken_us` never began."""
    bucket = rates.bucket_of(policy, lane)
    next_us = next_start(connection, extension, bucket)
    if next_us is not None:
        after_us = rates.after_return(next_us, taken_us, rates.interval_us(rate))
        save_next_start(connection, extension, bucket, after_us)


def save_next_start(connection: sqlite3.Connection, extension: int, bucket: str, next_us: int) -> None:
    connection.execute(SQL["save_next_start"], (extension, bucket, next_us))
