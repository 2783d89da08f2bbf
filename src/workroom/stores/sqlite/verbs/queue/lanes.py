"""Keeps the number of ready jobs in each lane within the lane's limit, and within its rate."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

import orjson

from workroom.domain.extension import Policy, make_policy
from workroom.domain.rules.queue.limits import free_places, limit_of
from workroom.domain.rules.queue.rates import rate_of
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue import pacing
from workroom.stores.sqlite.verbs.queue.pacing import Rebalanced
from workroom.stores.sqlite.verbs.queue.stages import PARKED, READY, Stage

Lane = tuple[int, str]


@lru_cache(maxsize=1024)
def parsed_policy(text: bytes) -> Policy:
    return make_policy(orjson.loads(text))


def policy_of(connection: sqlite3.Connection, extension: int) -> Policy:
    return parsed_policy(connection.execute(SQL["policy_of_extension"], (extension,)).fetchone()[0])


def waiting(connection: sqlite3.Connection, extension: int) -> int:
    """How many jobs of the extension are ready, up to a bound."""
    count: int = connection.execute(SQL["count_waiting"], (extension,)).fetchone()[0]
    return count


def rebalance(connection: sqlite3.Connection, lane: Lane, policy: Policy, at_us: int) -> Rebalanced:
    """Make the best waiting jobs of the lane ready, as many as fit."""
    extension, key = lane
    rate = rate_of(policy, key)
    if rate is not None:
        return pacing.rebalance(connection, extension, key, policy, rate, at_us)
    active = connection.execute(SQL["active_in_lane"], lane).fetchone()[0]
    ready = connection.execute(SQL["ready_in_lane"], lane).fetchone()[0]
    where = {"extension": extension, "lane": key}
    stage = Stage(connection, "lane_members", "last_ready_in_lane", where, PARKED, READY)
    return Rebalanced(stage.admit(free_places(limit_of(policy.concurrency, key), active, ready)))


def park(connection: sqlite3.Connection, extension: int) -> None:
    """Take back all jobs that have a place in a lane, before another policy distributes the places."""
    connection.execute(SQL["park_extension"], (extension,))
