"""Slow work of sweeps: raises waiting jobs, deletes old ones."""

from __future__ import annotations

import sqlite3

import orjson
import structlog

from workroom.domain.rules.queue.fair_share import AGE_BATCH, aged_before, finish_tag, raised, start_tag
from workroom.domain.rules.retry import capped_due_us
from workroom.domain.rules.upkeep import CLOCK_JUMPED, UPKEEP_US, may_forget, steady_since_us
from workroom.domain.steps import Step
from workroom.stores.sqlite import file_index
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue import rates
from workroom.stores.sqlite.verbs.step_builder import StepBuilder

log = structlog.get_logger()
_RECORDS = (
    "annotations",
    "arrows",
    "exchanges",
    "open_questions",
    "logs",
    "log_heads",
    "chat",
    "outcomes",
    "progress",
    "retried",
    "transitions",
    "states",
    "jobs",
)
_FORGET_BATCH = 500


def age(connection: sqlite3.Connection, at_us: int) -> Step:
    """Raise the jobs that have waited longest by one priority, so that none starves.

    At its new priority, each is queued where its user's next job would be.
    """
    builder = StepBuilder(connection, at_us)
    aged = connection.execute(SQL["aged_jobs"], (aged_before(at_us), AGE_BATCH)).fetchall()
    for job, extension, lane, waited_at, user in aged:
        rank = raised(waited_at)
        tag = start_tag(*connection.execute(SQL["read_share"], {"rank": rank, "user": user}).fetchone())
        connection.execute(SQL["save_share"], (rank, user, finish_tag(tag)))
        connection.execute(SQL["raise_job"], {"rank": rank, "tag": tag, "now": at_us, "seq": job})
        builder.recheck_lane(extension, lane)
    return builder.build()


def cap_waits(connection: sqlite3.Connection, at_us: int) -> None:
    """The clock may have been set back: backoffs and the breaks of breakers begin anew at the latest now."""
    for job, due_us, tries in connection.execute(SQL["waiting_tries"]).fetchall():
        capped_us = capped_due_us(due_us, at_us, tries)
        if capped_us < due_us:
            connection.execute(SQL["set_due"], (capped_us, job))
    connection.execute(SQL["cap_breaks"], {"now": at_us})
    rates.cap(connection, at_us)


def trusts_clock(connection: sqlite3.Connection, at_us: int, keep_us: int) -> bool:
    """Whether history may be deleted by the clock: not soon after it jumped."""
    seen_us, known_us = connection.execute(SQL["read_clock"]).fetchone()
    since_us = at_us if seen_us is None else steady_since_us(at_us, seen_us, known_us, keep_us)
    if seen_us is None or not 0 <= at_us - seen_us < UPKEEP_US:
        connection.execute(SQL["save_clock"], (at_us, since_us))
    if seen_us is not None and since_us == at_us:
        log.warning("retention_paused", reason=CLOCK_JUMPED)
    return may_forget(at_us, since_us, keep_us)


def retire(connection: sqlite3.Connection, at_us: int) -> Step:
    """Deactivate extensions that have lingered long enough."""
    builder = StepBuilder(connection, at_us)
    builder.retire([row[0] for row in connection.execute(SQL["departing_extensions"], (at_us,))])
    return builder.build()


def forget(connection: sqlite3.Connection, ended_before_us: int) -> None:
    """Delete a batch of jobs that ended before a time, with all their records.

    Idempotency keys of that time could lead to them, so they are deleted first.
    """
    connection.execute(SQL["forget_idempotent"], (ended_before_us,))
    jobs = connection.execute(SQL["expired_jobs"], (ended_before_us, _FORGET_BATCH)).fetchall()
    file_index.forget(connection, jobs)
    numbers = orjson.dumps([job for (job,) in jobs])
    groups = connection.execute(SQL["groups_of_jobs"], (numbers,)).fetchall()
    connection.executemany(SQL["discount_end"], jobs)
    for table in _RECORDS:
        connection.executemany(SQL[f"forget_{table}"], jobs)
    for statement in ("forget_group", "forget_group_ends"):
        connection.executemany(SQL[statement], [{"id": group} for (group,) in groups])


def forget_extensions(connection: sqlite3.Connection) -> None:
    """Delete the records of extensions that have left and that nothing refers to."""
    if connection.execute(SQL["forget_extensions"]).rowcount:
        connection.execute(SQL["forget_extension_usage"])
