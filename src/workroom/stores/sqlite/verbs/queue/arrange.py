"""Gives pending jobs each other's places in the queue, so that they start in another order."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from workroom.domain.job import JobState
from workroom.domain.rules.queue.fair_share import finish_tag, start_tag
from workroom.domain.rules.refusals import already_ended, not_queued
from workroom.domain.steps import Step
from workroom.errors import JobNotFound, WorkroomError
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue.postponing import POSTPONED
from workroom.stores.sqlite.verbs.step_builder import StepBuilder


class _Place(NamedTuple):
    rank: int
    tag: float
    aged_us: int


class _Queued(NamedTuple):
    job: int
    extension: int
    lane: str | None
    place: _Place


def arrange(connection: sqlite3.Connection, at_us: int, job_ids: Sequence[str]) -> Step:
    builder = StepBuilder(connection, at_us)
    found = [_find(builder, job_id) for job_id in job_ids]
    builder.step.answers.extend(None if isinstance(each, _Queued) else each for each in found)
    queued = [each for each in found if isinstance(each, _Queued)]
    for each, place in zip(queued, sorted(each.place for each in queued), strict=True):
        connection.execute(SQL["set_place"], (*place, each.job))
        builder.recheck_lane(each.extension, each.lane)
    return builder.build()


def _find(builder: StepBuilder, job_id: str) -> _Queued | WorkroomError:
    row = builder.connection.execute(SQL["place_of_job"], (job_id,)).fetchone()
    if row is None:
        return JobNotFound()
    job, user, status, extension, lane, ready, rank, tag, aged_us, is_placed, is_only_paused = row
    if status != JobState.PENDING:
        return already_ended(status)
    if ready == POSTPONED and not is_placed:
        if not is_only_paused:
            return not_queued()
        tag = _place(builder, job, rank, user)
    return _Queued(job, extension, lane, _Place(rank, tag, aged_us))


def _place(builder: StepBuilder, job: int, rank: int, user: str) -> float:
    """A job that was submitted to a paused group takes its place now."""
    connection = builder.connection
    tag = start_tag(*connection.execute(SQL["read_share"], {"rank": rank, "user": user}).fetchone())
    connection.execute(SQL["save_share"], (rank, user, finish_tag(tag)))
    connection.execute(SQL["place_postponed"], (job,))
    return tag
