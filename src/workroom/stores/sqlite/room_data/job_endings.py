"""The end of an attempt's edits: they are taken back unless it completed, and its locks are freed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

from workroom.domain.job import Fence, JobState
from workroom.domain.room_data.documents import target_of
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.versions import (
    Change,
    EditsEnd,
    EndedEdits,
    JobEdits,
    Version,
    VersionKind,
    job_group,
)
from workroom.domain.rules.room_data import locks as lock_rules
from workroom.domain.rules.room_data import versions as rules
from workroom.domain.rules.room_data.versions import VersionState
from workroom.stores.sqlite.room_data import documents, history
from workroom.stores.sqlite.room_data.locks import find_lock
from workroom.stores.sqlite.statements import SQL


@dataclass(slots=True)
class _Rollback:
    """What the documents become, the keys of changes that stay, and how many of each version do not."""

    contents: dict[str, int | None] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    counts: Counter[int] = field(default_factory=Counter)


def end(connection: sqlite3.Connection, at_us: int, end: EditsEnd) -> EndedEdits | None:
    edits = end.edits
    name = (edits.room, edits.job_id, edits.attempt)
    found = connection.execute(SQL["find_job_edits"], name).fetchone()
    if found is None:
        return None
    versions, status, attempt = found
    is_current = attempt == edits.attempt
    if is_current and status == JobState.RUNNING:
        return None
    connection.execute(SQL["delete_job_edits"], name)
    stays = status is None or (is_current and status == JobState.COMPLETED)
    ended = EndedEdits(edits) if stays else _take_back(connection, at_us, end, versions)
    freed = tuple(target for (target,) in connection.execute(SQL["locks_of_attempt"], name).fetchall())
    for target in freed:
        connection.execute(SQL["delete_lock"], (edits.room, target))
    return EndedEdits(edits, ended.undone, ended.kept, ended.is_trimmed, freed)


def _take_back(connection: sqlite3.Connection, at_us: int, end: EditsEnd, versions: int) -> EndedEdits:
    room, edits = end.edits.room, end.edits
    group = job_group(edits.job_id, edits.attempt)
    found = connection.execute(SQL["versions_of_group"], (room, group)).fetchall()
    done = [
        version
        for number, state in found
        if state == VersionState.DONE and (version := history.find_version(connection, room, number))
    ]
    rollback = _rollback(connection, at_us, edits, done)
    for version in done:
        state = rules.after_rollback(
            changes=len(version.changes), rolled_back=rollback.counts[version.number]
        )
        connection.execute(SQL["set_version_state"], (state, room, version.number))
    if rollback.contents or any(state == VersionState.UNDONE for _, state in found):
        connection.execute(SQL["drop_undone"], (room,))
    undone = _undo(connection, at_us, end, done[0], rollback) if rollback.contents else None
    return EndedEdits(edits, undone, tuple(rollback.kept), len(found) < versions)


def _rollback(connection: sqlite3.Connection, at_us: int, edits: JobEdits, done: list[Version]) -> _Rollback:
    """`done` are the versions of the attempt that are not undone, the newest first."""
    by_key: dict[str, list[tuple[int, Change]]] = {}
    for version in done:
        for change in version.changes:
            by_key.setdefault(change.key, []).append((version.number, change))
    rollback = _Rollback()
    for key, changes in sorted(by_key.items()):
        row = documents.find_row(connection, edits.room, key)
        current = None if row is None else row.content
        is_free = not _is_locked(connection, at_us, edits, done[0].user, target_of(key))
        pairs = [(change.before or 0, change.after or 0) for _, change in changes]
        count = rules.rolls_back(pairs, current or 0) if is_free else 0
        rollback.counts.update(number for number, _ in changes[:count])
        if count and changes[count - 1][1].before != current:
            rollback.contents[key] = changes[count - 1][1].before
        if count < len(changes):
            rollback.kept.append(key)
    return rollback


def _is_locked(connection: sqlite3.Connection, at_us: int, edits: JobEdits, user: str, target: str) -> bool:
    """Whether somebody else holds the lock."""
    lock = find_lock(connection, at_us, edits.room, target)
    if lock is None:
        return False
    (parent,) = connection.execute(SQL["parent_of_job_id"], (edits.job_id,)).fetchone()
    return not lock_rules.is_holders_job(
        holder=lock.user, holder_job=lock.job, user=user, job=edits.job_id, parent=parent
    )


def _undo(
    connection: sqlite3.Connection, at_us: int, end: EditsEnd, of: Version, rollback: _Rollback
) -> Version:
    room = end.edits.room
    writer = Writer(of.user, None, Fence(end.edits.job_id, end.edits.attempt, ""))
    number = documents.next_change(connection, room)
    changes = [
        documents.replace_content(connection, at_us, room, key, number, content, writer, "")
        for key, content in sorted(rollback.contents.items())
    ]
    entry = history.Entry(room, number, VersionKind.UNDO, of.number, end.summary, "")
    history.record(connection, at_us, entry, writer, changes)
    history.trim(connection, at_us, room, end.limits)
    return Version(
        room,
        number,
        VersionKind.UNDO,
        of.number,
        of.user,
        end.edits.job_id,
        at_us,
        end.summary,
        False,
        tuple(changes),
    )
