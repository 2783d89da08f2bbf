"""What time does to the queue and to the record: waiting jobs rise, old ones are forgotten."""

from __future__ import annotations

import sqlite3

from workroom.domain.scheduling import AGE_BATCH, AGE_US, PRIORITIES, rank
from workroom.stores.sqlite.statements import SQL

_RECORDS = ("outcomes", "progress", "transitions", "states", "jobs")


def age(connection: sqlite3.Connection, at_us: int) -> None:
    """Raise the first jobs of each priority that have waited long, so that nothing starves."""
    for (extension,) in connection.execute(SQL["waiting_extensions"]).fetchall():
        for priority in PRIORITIES[:-1]:
            query = {
                "extension": extension,
                "rank": rank(priority),
                "limit": AGE_BATCH,
                "before": at_us - AGE_US,
            }
            for (job,) in connection.execute(SQL["aged_jobs"], query).fetchall():
                connection.execute(SQL["raise_job"], {"now": at_us, "seq": job})


def forget(connection: sqlite3.Connection, ended_before_us: int) -> None:
    """Drop jobs that ended long ago, a few at a time, with all that is on record of them."""
    jobs = connection.execute(SQL["expired_jobs"], (ended_before_us,)).fetchall()
    for table in _RECORDS:
        connection.executemany(SQL[f"forget_{table}"], jobs)
