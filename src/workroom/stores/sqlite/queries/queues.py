"""The queues of all extensions, from counters and from the indexes by which jobs are handed out."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from workroom.domain.extension import ExtensionKey
from workroom.domain.queries import FindQueues, Queue
from workroom.stores.sqlite.statements import SQL

_MOST = 100_000  # counted of each kind: a scrape must not read a queue of millions


def find_queues(connection: sqlite3.Connection, query: FindQueues) -> list[Queue]:
    in_backoff: dict[int, int] = dict(
        connection.execute(SQL["queues_in_backoff"], {"most": _MOST}).fetchall()
    )
    return [
        _queue(connection, row, in_backoff.get(row[0], 0))
        for row in connection.execute(SQL["queues"]).fetchall()
    ]


def _queue(connection: sqlite3.Connection, row: Sequence[Any], backoff: int) -> Queue:
    extension, room, category, name, paused, is_broken, completed, failed, cancelled = row
    where = {"extension": extension, "most": _MOST}
    kinds = ("queue_ready", "queue_limited", "queue_paced")
    counts, first = zip(*(connection.execute(SQL[kind], where).fetchone() for kind in kinds), strict=True)
    (postponed,) = connection.execute(SQL["queue_postponed"], where).fetchone()
    oldest = min((each for each in first if each is not None), default=None)
    return Queue(
        extension,
        ExtensionKey(room or None, category, name),
        is_paused=bool(paused),
        is_broken=bool(is_broken),
        ready=counts[0],
        limited=counts[1],
        paced=counts[2],
        later=postponed + backoff,
        oldest_us=None
        if oldest is None
        else connection.execute(SQL["submitted_at"], (oldest,)).fetchone()[0],
        completed=completed or 0,
        failed=failed or 0,
        cancelled=cancelled or 0,
    )
