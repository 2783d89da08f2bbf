"""What time does to the queue and to the record: waiting jobs rise, old ones are forgotten."""

from __future__ import annotations

import sqlite3

from workroom.domain.scheduling import AGE_BATCH, AGE_US, finish_tag, start_tag
from workroom.domain.steps import Step
from workroom.stores.sqlite import shelf
from workroom.stores.sqlite.ledger import Ledger
from workroom.stores.sqlite.statements import SQL

_RECORDS = ("logs", "log_heads", "chat", "outcomes", "progress", "retried", "transitions", "states", "jobs")
_FORGET_BATCH = 500


def age(connection: sqlite3.Connection, at_us: int) -> Step:
    """Raise those that have waited longest by one priority, so that nothing starves.

    Among those that already have it, each stands where its user's next job would stand.
    """
    ledger = Ledger(connection, at_us)
    aged = connection.execute(SQL["aged_jobs"], (at_us - AGE_US, AGE_BATCH)).fetchall()
    for job, extension, lane, rank, user in aged:
        tag = start_tag(*connection.execute(SQL["read_share"], {"rank": rank, "user": user}).fetchone())
        connection.execute(SQL["save_share"], (rank, user, finish_tag(tag)))
        connection.execute(SQL["raise_job"], {"rank": rank, "tag": tag, "now": at_us, "seq": job})
        ledger.touch(extension, lane)
    return ledger.close()


def forget(connection: sqlite3.Connection, ended_before_us: int) -> None:
    """Drop jobs that ended long ago, a few at a time, with all that is on record of them.

    Keys that came before then could lead to them, so they go first.
    """
    connection.execute(SQL["forget_idempotent"], (ended_before_us,))
    jobs = connection.execute(SQL["expired_jobs"], (ended_before_us, _FORGET_BATCH)).fetchall()
    shelf.forget(connection, jobs)
    for table in _RECORDS:
        connection.executemany(SQL[f"forget_{table}"], jobs)
