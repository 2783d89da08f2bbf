"""Groups: created, changed, and changes carried out some jobs at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

import orjson

from workroom.domain.job import JobState
from workroom.domain.jobs.group import ChangedGroup, Group, GroupChange, Neighbours, NewGroup
from workroom.domain.queries import FindGroup, FindGroupEnds, FindGroups, FindNeighbours, Page
from workroom.domain.rules.queue.grouping import CHANGE_BATCH
from workroom.domain.rules.queue.postponing import ENQUEUE_BATCH
from workroom.domain.rules.refusals import group_cancelled
from workroom.domain.steps import Step
from workroom.errors import GroupNotFound
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.groups import following, group_ends
from workroom.stores.sqlite.verbs.jobs import attempts
from workroom.stores.sqlite.verbs.queue.postponing import POSTPONED, enqueue, enqueue_when_due, offer, pause
from workroom.stores.sqlite.verbs.step_builder import StepBuilder


def create(connection: sqlite3.Connection, at_us: int, new: NewGroup) -> None:
    require_room(connection, new.room)
    parameters = orjson.dumps(new.parameters).decode()
    connection.execute(SQL["insert_group"], (new.id, new.room, new.user, new.title, parameters, at_us))


def change(
    connection: sqlite3.Connection, at_us: int, group: str, wanted: GroupChange, actor: str, reason: str
) -> Step:
    """Note what is wanted of a group. Sweeps carry it out."""
    builder = StepBuilder(connection, at_us)
    known = find_group(connection, FindGroup(group))
    if known is None:
        raise GroupNotFound()
    if known.is_cancelled and wanted in _ACTIONS:
        raise group_cancelled()
    is_carried_out = wanted is not GroupChange.CLOSE
    values = {
        "id": group,
        "open": wanted not in (GroupChange.CLOSE, GroupChange.CANCEL),
        "paused": {GroupChange.PAUSE: True, GroupChange.RESUME: False}.get(wanted, known.is_paused),
        "cancelled": wanted is GroupChange.CANCEL,
        "change": wanted if is_carried_out else known.change,
        "restarts": is_carried_out,
        "actor": actor if is_carried_out else None,
        "reason": reason if is_carried_out else None,
    }
    row = connection.execute(SQL["change_group"], values).fetchone()
    connection.executemany(SQL["add_followup"], group_ends.conclude(builder, group, row))
    following.follow_up(builder)
    if is_carried_out:
        builder.step.wake_in(0.0)
    return builder.build()


class _Member(NamedTuple):
    job: int
    job_id: str
    status: str
    ready: int
    extension: int
    lane: str | None
    due_us: int | None


def carry_on(connection: sqlite3.Connection, at_us: int) -> Step:
    """Enqueue what is due, follow up on ends, and carry out a change for some jobs of a group."""
    builder = StepBuilder(connection, at_us)
    for job, has_refs in connection.execute(SQL["due_postponed"], (at_us, ENQUEUE_BATCH)).fetchall():
        (offer if has_refs else enqueue)(builder, job)
    following.follow_up(builder)
    found = connection.execute(SQL["changing_group"]).fetchone()
    if found is not None:
        _carry_out(builder, *found)
        builder.step.wake_in(0.0)
    (next_us,) = connection.execute(SQL["next_postponed"]).fetchone()
    builder.step.wake_in(None if next_us is None else (next_us - at_us) / 1_000_000)
    return builder.build()


def _carry_out(
    builder: StepBuilder, group: str, wanted: str, changed_to: int, actor: str, reason: str
) -> None:
    rows = builder.connection.execute(SQL["members_of_group"], (group, changed_to, CHANGE_BATCH)).fetchall()
    members = [_Member(*row) for row in rows]
    unfinished = [each for each in members if not JobState(each.status).is_terminal]
    if wanted == GroupChange.CANCEL:
        attempts.cancel_jobs(builder, [each.job_id for each in unfinished], actor, reason)
    else:
        act = _ACTIONS[GroupChange(wanted)]
        for each in unfinished:
            act(builder, each)
    if len(members) == CHANGE_BATCH:
        builder.connection.execute(SQL["go_on_changing"], (members[-1].job, group))
        return
    room, version = builder.connection.execute(SQL["end_change"], (group,)).fetchone()
    builder.step.groups.append(ChangedGroup(group, room, version))


def _pause(builder: StepBuilder, member: _Member) -> None:
    if member.status != JobState.PENDING:
        return
    if member.ready == POSTPONED:
        builder.connection.execute(SQL["pause_postponed"], (member.job,))
        return
    pause(builder, member.job, member.due_us)
    builder.recheck_lane(member.extension, member.lane)


def _resume(builder: StepBuilder, member: _Member) -> None:
    if member.ready != POSTPONED:
        return
    row = builder.connection.execute(SQL["resume_postponed"], (member.job,)).fetchone()
    if row is not None:
        run_us, blockers, has_refs = row
        enqueue_when_due(builder, member.job, run_us, blockers, is_paused=False, has_refs=bool(has_refs))


_ACTIONS: dict[GroupChange, Callable[[StepBuilder, _Member], None]] = {
    GroupChange.PAUSE: _pause,
    GroupChange.RESUME: _resume,
}


def find_group(connection: sqlite3.Connection, query: FindGroup) -> Group | None:
    row = connection.execute(f"{SQL['find_groups']} WHERE id = ?", (query.id,)).fetchone()
    return None if row is None else _group(connection, *row)


def find_groups(connection: sqlite3.Connection, query: FindGroups) -> Page[Group]:
    sql = f"{SQL['find_groups']} WHERE room = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
    before = (1 << 62) if query.before is None else query.before
    rows = connection.execute(sql, (query.room, before, query.limit + 1)).fetchall()
    page = [_group(connection, *row) for row in rows[: query.limit]]
    return Page(page, page[-1].sequence if len(rows) > query.limit else None)


def find_neighbours(connection: sqlite3.Connection, query: FindNeighbours) -> Neighbours:
    before, after = (
        tuple(id for (id,) in connection.execute(SQL[name], (query.job_id, query.limit)))
        for name in ("neighbours_before", "neighbours_after")
    )
    return Neighbours(before, after)


def find_group_ends(connection: sqlite3.Connection, query: FindGroupEnds) -> list[str]:
    found = connection.execute(SQL["ends_of_group"], (query.id, query.after, query.limit))
    return [job_id for (job_id,) in found]


def _group(
    connection: sqlite3.Connection,
    sequence: int,
    group: str,
    room: str,
    user: str,
    title: str,
    parameters: str,
    created_us: int,
    is_open: int,
    is_paused: int,
    is_cancelled: int,
    wanted: str | None,
    version: int,
    ended_us: int | None,
    jobs: int,
    retried: int,
    completed: int,
    failed: int,
    cancelled: int,
) -> Group:
    active = dict(connection.execute(SQL["active_in_group"], (group,)).fetchall())
    assigned, running = active.get("assigned", 0), active.get("running", 0)
    counts = {
        JobState.PENDING: max(0, jobs - completed - failed - cancelled - assigned - running),
        JobState.ASSIGNED: assigned,
        JobState.RUNNING: running,
        JobState.COMPLETED: completed,
        JobState.FAILED: failed - retried,
        JobState.CANCELLED: cancelled,
    }
    return Group(
        sequence,
        group,
        room,
        user,
        title,
        tuple(orjson.loads(parameters)),
        created_us,
        bool(is_open),
        bool(is_paused),
        bool(is_cancelled),
        None if wanted is None else GroupChange(wanted),
        version,
        ended_us,
        counts,
    )
