"""Counts of what quotas limit."""

from __future__ import annotations

import sqlite3

from workroom.domain.queries import CountUsage, FindOwners, FindSubmitted
from workroom.domain.quotas import Counter, Per
from workroom.stores.sqlite.statements import SQL


def count_usage(connection: sqlite3.Connection, query: CountUsage) -> tuple[int, ...]:
    return tuple(_count(connection, counter, query.now_us) for counter in query.counters)


def _count(connection: sqlite3.Connection, counter: Counter, now_us: int) -> int:
    suffix = "" if counter.per is Per.TOTAL else f"_of_{counter.per}"
    parameters = {"subject": counter.subject, "now": now_us}
    count: int = connection.execute(SQL[f"count_{counter.kind}{suffix}"], parameters).fetchone()[0]
    return count


def find_owners(connection: sqlite3.Connection, query: FindOwners) -> tuple[str | None, ...]:
    found = (
        connection.execute(SQL["owner_of_extension"], (key.room or "", key.category, key.name)).fetchone()
        for key in query.keys
    )
    return tuple(None if row is None else row[0] for row in found)


def find_submitted(connection: sqlite3.Connection, query: FindSubmitted) -> tuple[str, str] | None:
    key = (query.user, query.route, query.key, query.since_us)
    row: tuple[str, str] | None = connection.execute(SQL["find_idempotent"], key).fetchone()
    return row
