"""Postpones jobs, and enqueues them when nothing keeps them back any more."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from workroom.domain.jobs.group_ids import is_group_id
from workroom.domain.rules.queue.fair_share import finish_tag, start_tag
from workroom.domain.rules.queue.postponing import FILL_US, NEVER_US, enqueues_us
from workroom.domain.rules.queue.waiting import Postponed
from workroom.stores.sqlite.statements import SQL

if TYPE_CHECKING:
    from workroom.stores.sqlite.verbs.step_builder import StepBuilder

POSTPONED = 3  # `ready` of a postponed job


def postpone(
    builder: StepBuilder,
    job: int,
    run_us: int | None,
    blockers: int,
    *,
    is_paused: bool,
    has_refs: bool = False,
) -> None:
    """Keep a new job out of the queue, or enqueue it if nothing keeps it back."""
    builder.connection.execute(SQL["postpone_job"], (job, run_us, blockers, is_paused, False, has_refs))
    enqueue_when_due(builder, job, run_us, blockers, is_paused=is_paused, has_refs=has_refs)


def pause(builder: StepBuilder, job: int, due_us: int | None) -> None:
    """Take a job out of the queue, or out of its backoff, until its group is resumed. It keeps its place."""
    builder.connection.execute(SQL["pause_queued"], (NEVER_US, job))
    builder.connection.execute(SQL["postpone_job"], (job, due_us, 0, True, True, False))


def enqueue_when_due(
    builder: StepBuilder,
    job: int,
    run_us: int | None,
    blockers: int,
    *,
    is_paused: bool,
    has_refs: bool = False,
) -> None:
    due_us = enqueues_us(builder.at_us, run_us, blockers, is_paused=is_paused)
    if due_us == builder.at_us:
        (offer if has_refs else enqueue)(builder, job)
    elif due_us is not None:
        builder.connection.execute(SQL["set_postponed_until"], (due_us, job))
        builder.step.wake_in((due_us - builder.at_us) / 1_000_000)


def offer(builder: StepBuilder, job: int) -> None:
    """Let the server fill results into the values of the job. If that is lost, it is offered again."""
    (job_id,) = builder.connection.execute(SQL["id_of_postponed"], (job,)).fetchone()
    builder.step.to_fill.append(job_id)
    builder.connection.execute(SQL["set_postponed_until"], (builder.at_us + FILL_US, job))


def enqueue(builder: StepBuilder, job: int) -> None:
    """The job takes its place in the queue now, unless it had one before."""
    connection = builder.connection
    extension, lane, rank, tag, user, is_placed = connection.execute(SQL["postponed_job"], (job,)).fetchone()
    if not is_placed:
        tag = start_tag(*connection.execute(SQL["read_share"], {"rank": rank, "user": user}).fetchone())
        connection.execute(SQL["save_share"], (rank, user, finish_tag(tag)))
    connection.execute(SQL["enqueue_job"], (lane is None, tag, builder.at_us, job))
    connection.execute(SQL["end_postponement"], (job,))
    builder.recheck_lane(extension, lane)
    if lane is None:
        builder.step.arrive(extension)


def why(connection: sqlite3.Connection, job: int, group: str | None) -> Postponed:
    """What a postponed job waits for. One that was enqueued just now waits for nothing."""
    row = connection.execute(SQL["why_postponed"], (job,)).fetchone()
    if row is None:
        return Postponed()
    blockers, run_us, is_paused = row
    blocker = connection.execute(SQL["open_blocker"], (job,)).fetchone() if blockers else None
    before = None if blocker is None else blocker[0]
    is_group = before is not None and is_group_id(before)
    return Postponed(
        blockers,
        None if is_group else before,
        before if is_group else None,
        run_us,
        group if is_paused else None,
    )
