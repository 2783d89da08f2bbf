"""What follows the end of a job that belongs to a group, or that other jobs wait for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workroom.domain.job import JobState
from workroom.domain.jobs.group_ids import is_group_id
from workroom.domain.rules.queue.following import FOLLOW_BATCH, SKIPPER, FollowVerdict, follow, skip_reason
from workroom.domain.steps import Filled, Postponement, Step
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.groups import group_ends
from workroom.stores.sqlite.verbs.queue.postponing import enqueue_when_due, postpone

if TYPE_CHECKING:
    from workroom.stores.sqlite.verbs.step_builder import StepBuilder


class LinkedEnd(NamedTuple):
    """The end of a job that belongs to a group, or that other jobs wait for."""

    job: int
    job_id: str
    status: JobState
    group: str | None
    is_followed: bool


def begin(builder: StepBuilder, job: int, room: str, postponement: Postponement, *, is_paused: bool) -> None:
    """Postpone a new job. What it waits for exists, and may have ended."""
    blockers, skipped = 0, postponement.skip
    for before in postponement.after:
        status = end_of(builder, before, room)
        verdict = follow(status, on_end=postponement.on_end)
        if verdict is FollowVerdict.WAIT:
            blockers += _draw_arrow(builder, before, job, on_end=postponement.on_end)
        elif verdict is FollowVerdict.SKIP and skipped is None:
            skipped = skip_reason(before, status or "", is_group=is_group_id(before))
    if skipped is None:
        has_refs = postponement.has_refs
        postpone(builder, job, postponement.run_us, blockers, is_paused=is_paused, has_refs=has_refs)
        return
    builder.connection.execute(SQL["postpone_job"], (job, None, 0, False, False, False))
    _skip(builder, job, skipped)


def _draw_arrow(builder: StepBuilder, before: str, job: int, *, on_end: bool) -> int:
    """Return 1, or 0 if it was named twice."""
    execute = builder.connection.execute
    execute(SQL["mark_followed_group" if is_group_id(before) else "mark_followed_job"], (before,))
    return execute(SQL["insert_arrow"], (before, job, on_end)).rowcount


def end_of(builder: StepBuilder, before: str, room: str) -> str | None:
    """How a job or a group has ended; None if it has not."""
    if is_group_id(before):
        return group_ends.end_of(builder, before, room)
    (status,) = builder.connection.execute(SQL["end_of_job"], (before, room)).fetchone()
    return str(status) if JobState(status).is_terminal else None


def follow_ends(builder: StepBuilder) -> None:
    """Count the ends of this step in their groups, and update the jobs that wait for them."""
    _note(builder)
    follow_up(builder)


def follow_up(builder: StepBuilder, budget: int = FOLLOW_BATCH) -> None:
    """Update jobs that wait for something that has ended. A step does some; sweeps do the rest."""
    execute = builder.connection.execute
    while found := execute(SQL["next_followup"]).fetchone():
        if budget <= 0:
            builder.step.wake_in(0.0)
            return
        before, status, followed_to = found
        followers = execute(SQL["followers"], (before, followed_to, budget)).fetchall()
        for job, on_end in followers:
            _follow(builder, before, status, job, on_end=on_end)
        if len(followers) < budget:
            execute(SQL["end_followup"], (before,))
        else:
            execute(SQL["go_on_following"], (followers[-1][0], before))
        budget -= 1 + len(followers)
        _note(builder)  # skipped jobs have ended, too


def _note(builder: StepBuilder) -> None:
    ends, builder.linked_ends = builder.linked_ends, []
    over: Iterable[tuple[str, str]] = group_ends.count(builder, ends)
    followed = [(end.job_id, str(end.status)) for end in ends if end.is_followed]
    builder.connection.executemany(SQL["add_followup"], [*followed, *over])


def _follow(builder: StepBuilder, before: str, status: str, job: int, *, on_end: bool) -> None:
    """A job that was cancelled meanwhile waits for nothing."""
    row = builder.connection.execute(SQL["unblock"], (job,)).fetchone()
    if row is None:
        return
    if follow(status, on_end=on_end) is FollowVerdict.SKIP:
        _skip(builder, job, skip_reason(before, status, is_group=is_group_id(before)))
        return
    run_us, blockers, is_paused, has_refs = row
    enqueue_when_due(builder, job, run_us, blockers, is_paused=bool(is_paused), has_refs=bool(has_refs))


def fill(connection: sqlite3.Connection, builder: StepBuilder, values: Sequence[Filled]) -> Step:
    """Results were filled into the values of jobs, or they are skipped. Repeating this has no effect."""
    for each in values:
        row = connection.execute(SQL["job_to_fill"], (each.job_id,)).fetchone()
        if row is None:
            continue
        job, run_us, blockers, is_paused = row
        if each.refusal is not None:
            _skip(builder, job, each.refusal)
            continue
        connection.execute(SQL["fill_values"], (each.data, job))
        connection.execute(SQL["fill_lane"], (each.lane, job))
        connection.execute(SQL["end_references"], (job,))
        enqueue_when_due(builder, job, run_us, blockers, is_paused=bool(is_paused))
    return builder.build()


def _skip(builder: StepBuilder, job: int, reason: str) -> None:
    """Cancel a postponed job."""
    execute = builder.connection.execute
    row = execute(SQL["skipped_job"], (job,)).fetchone()
    job_id, room, user, created_us, group, version, extension, lane, is_followed = row
    execute(SQL["end_job"], (JobState.CANCELLED, builder.at_us, job))
    execute(SQL["end_postponement"], (job,))
    builder.count_end(extension, job, JobState.CANCELLED, created_us, None)
    builder.link_end(job, job_id, JobState.CANCELLED, group, is_followed)
    builder.record(
        job,
        job_id,
        room,
        user,
        version + 1,
        JobState.CANCELLED,
        0,
        None,
        SKIPPER,
        reason,
        created_us=created_us,
    )
    builder.recheck_lane(extension, lane)
