"""Keeps the number of ready jobs in each lane within the lane's limit."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

import orjson

from workroom.domain.extension import Policy, make_policy
from workroom.domain.rules.limits import free_places, limit_of
from workroom.stores.sqlite.statements import SQL

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


def rebalance(connection: sqlite3.Connection, lane: Lane) -> int:
    """Make the best waiting jobs of the lane ready, as many as fit, and return how many were added."""
    extension, key = lane
    concurrency = policy_of(connection, extension).concurrency
    active = connection.execute(SQL["active_in_lane"], lane).fetchone()[0]
    ready = connection.execute(SQL["ready_in_lane"], lane).fetchone()[0]
    room = free_places(limit_of(concurrency, key), active, ready)
    added = _set_ready(connection, _first(connection, lane, ready=0, limit=room), ready=1) if room > 0 else 0
    if room < 0:
        _set_ready(connection, _last_ready(connection, lane, -room), ready=0)
    _swap(connection, lane)
    return added


_Member = tuple[int, float, int]


def _swap(connection: sqlite3.Connection, lane: Lane) -> None:
    """Replace the worst ready jobs by better ones that came later."""
    while True:
        best, worst = _first(connection, lane, ready=0, limit=1), _last_ready(connection, lane, 1)
        if not best or not worst or best[0] > worst[0]:
            return
        _set_ready(connection, best, ready=1)
        _set_ready(connection, worst, ready=0)


def _first(connection: sqlite3.Connection, lane: Lane, *, ready: int, limit: int) -> list[_Member]:
    query = {"extension": lane[0], "lane": lane[1], "ready": ready, "limit": limit}
    return connection.execute(SQL["lane_members"], query).fetchall()


def _last_ready(connection: sqlite3.Connection, lane: Lane, limit: int) -> list[_Member]:
    return connection.execute(SQL["last_ready_in_lane"], (*lane, limit)).fetchall()


def _set_ready(connection: sqlite3.Connection, members: list[_Member], *, ready: int) -> int:
    connection.executemany(SQL["set_ready"], [(ready, sequence) for _, _, sequence in members])
    return len(members)
