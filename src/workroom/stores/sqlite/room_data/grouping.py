"""Edits of one group make one version where that is possible."""

from __future__ import annotations

import sqlite3

from workroom.domain.room_data.documents import Edit
from workroom.domain.room_data.frames import FramesEdit
from workroom.domain.room_data.versions import Change, VersionKind, group_of
from workroom.domain.rules.room_data import versions as rules
from workroom.stores.sqlite.room_data import history, job_edits
from workroom.stores.sqlite.statements import SQL


def record(
    connection: sqlite3.Connection, at_us: int, edit: Edit | FramesEdit, number: int, change: Change
) -> None:
    """Keep a change as a version, or as part of the one that its group made before."""
    group = group_of(edit.writer, edit.group, keeps_on_failure=edit.keeps_on_failure)
    amended = _to_amend(connection, edit.room, group, change.key)
    if amended is None:
        entry = history.Entry(edit.room, number, VersionKind.CHANGE, None, edit.summary, edit.request, group)
        history.record(connection, at_us, entry, edit.writer, [change])
        if edit.writer.job is not None and not edit.keeps_on_failure:
            job_edits.note(connection, edit.room, edit.writer.job, versions=1)
        return
    connection.execute(SQL["amend_version"], (at_us, edit.summary, edit.request, edit.room, amended))
    _amend(connection, edit.room, amended, change)


def _to_amend(connection: sqlite3.Connection, room: str, group: str, key: str) -> int | None:
    if not group:
        return None
    found = connection.execute(SQL["newest_of_group"], (room, group)).fetchone()
    if found is None:
        return None
    number, state, changes = found
    (changed,) = connection.execute(SQL["newest_change_of_key"], (room, key)).fetchone()
    is_amended = rules.amends(number=number, state=state, changes=changes, changed=changed or 0)
    return number if is_amended else None


def _amend(connection: sqlite3.Connection, room: str, number: int, change: Change) -> None:
    """Replace what the version made of a document. What it was before stays."""
    made = {each.key: each.after for each in history.changes_of(connection, room, number)}
    if change.key not in made:
        history.add_change(connection, room, number, change)
        return
    history.refer(connection, room, change.key, change.after, 1)
    history.refer(connection, room, change.key, made[change.key], -1)
    connection.execute(SQL["amend_version_change"], (change.after, room, number, change.key))
