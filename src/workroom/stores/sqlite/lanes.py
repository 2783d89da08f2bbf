"""Keeps each lane's jobs that may be handed out within what its limit leaves room for."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

import orjson

from workroom.domain.extension import Policy, make_policy
from workroom.stores.sqlite.statements import SQL

Lane = tuple[int, str]


@lru_cache(maxsize=1024)
def parsed_policy(text: bytes) -> Policy:
    return make_policy(orjson.loads(text))


def policy_of(connection: sqlite3.Connection, extension: int) -> Policy:
    return parsed_policy(connection.execute(SQL["policy_of_extension"], (extension,)).fetchone()[0])


def waiting(connection: sqlite3.Connection, extension: int) -> int:
    """How many jobs of the extension may be handed out, as far as it matters."""
    count: int = connection.execute(SQL["count_waiting"], (extension,)).fetchone()[0]
    return count


def rebalance(connection: sqlite3.Connection, lane: Lane) -> int:
    """Let the best waiting jobs of the lane be handed out, as many as fit. Says how many more may be."""
    extension, key = lane
    concurrency = policy_of(connection, extension).concurrency
    limit = concurrency.limit(key) if concurrency else _NO_LIMIT
    active = connection.execute(SQL["active_in_lane"], lane).fetchone()[0]
    ready = connection.execute(SQL["ready_in_lane"], lane).fetchone()[0]
    room = limit - active - ready
    added = _set_ready(connection, _first(connection, lane, ready=0, limit=room), ready=1) if room > 0 else 0
    if room < 0:
        _set_ready(connection, _last_ready(connection, lane, -room), ready=0)
    _swap(connection, lane)
    return added


_NO_LIMIT = 1_000_000_000
_Member = tuple[int, float, int]


def _swap(connection: sqlite3.Connection, lane: Lane) -> None:
    """A better job that came later takes the place of the worst that may be handed out."""
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
