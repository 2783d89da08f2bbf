"""Records of versions, and the contents that they keep."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from workroom.domain.queries import FindVersions, Page
from workroom.domain.room_data.documents import DataLimits
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.versions import Change, Version, VersionKind
from workroom.domain.rules.room_data import versions as rules
from workroom.domain.rules.room_data.versions import VersionState
from workroom.stores.sqlite.statements import SQL


class Entry(NamedTuple):
    room: str
    number: int
    kind: VersionKind
    of: int | None
    summary: str
    request: str
    group: str = ""


def record(
    connection: sqlite3.Connection, at_us: int, entry: Entry, writer: Writer, changes: Sequence[Change]
) -> None:
    room, number, kind, of, summary, request, group = entry
    values = (room, number, kind, of, writer.user, writer.job_id, at_us, summary, request, group)
    connection.execute(SQL["insert_version"], values)
    for change in changes:
        add_change(connection, room, number, change)


def add_change(connection: sqlite3.Connection, room: str, number: int, change: Change) -> None:
    connection.execute(SQL["insert_version_change"], (room, number, change.key, change.before, change.after))
    _refer(connection, room, change, 1)


def trim(connection: sqlite3.Connection, at_us: int, room: str, limits: DataLimits) -> None:
    """Drop the oldest versions as long as there are too many, or they are too old or too large."""
    while (oldest := connection.execute(SQL["oldest_version"], (room,)).fetchone()) is not None:
        number, made_us, edits, count = oldest
        is_over = rules.is_over(
            edits=edits,
            count=count,
            age_us=at_us - made_us,
            size=_history_bytes(connection, room),
            most=limits.versions,
            keep_us=limits.keep_us,
            max_size=limits.history_bytes,
        )
        if not is_over:
            return
        for change in changes_of(connection, room, number):
            _refer(connection, room, change, -1)
            for content in (change.before, change.after):
                connection.execute(SQL["forget_content"], (room, change.key, content))
        connection.execute(SQL["delete_version_changes"], (room, number))
        connection.execute(SQL["delete_version"], (room, number))


def _history_bytes(connection: sqlite3.Connection, room: str) -> int:
    (kept,) = connection.execute(SQL["size_of_contents"], (room,)).fetchone()
    (current,) = connection.execute(SQL["size_of_current_contents"], (room,)).fetchone()
    return int(kept - current)


def refer(connection: sqlite3.Connection, room: str, key: str, content: int | None, more: int) -> None:
    if content is not None:
        connection.execute(SQL["refer_to_content"], (more, room, key, content))


def _refer(connection: sqlite3.Connection, room: str, change: Change, more: int) -> None:
    for content in (change.before, change.after):
        refer(connection, room, change.key, content, more)


def changes_of(connection: sqlite3.Connection, room: str, number: int) -> list[Change]:
    return [Change(*row) for row in connection.execute(SQL["changes_of_version"], (room, number))]


def find_version(connection: sqlite3.Connection, room: str, number: int) -> Version | None:
    wanted = {"room": room, "before": None, "number": number, "limit": 1}
    row = connection.execute(SQL["find_versions"], wanted).fetchone()
    return None if row is None else _version(connection, *row)


def find_versions(connection: sqlite3.Connection, query: FindVersions) -> Page[Version]:
    wanted = {"room": query.room, "before": query.before, "number": None, "limit": query.limit + 1}
    found = connection.execute(SQL["find_versions"], wanted).fetchall()
    versions = [_version(connection, *row) for row in found[: query.limit]]
    return Page(versions, versions[-1].number if len(found) > query.limit else None)


def _version(
    connection: sqlite3.Connection,
    room: str,
    number: int,
    kind: str,
    of: int | None,
    user: str,
    job: str | None,
    at_us: int,
    summary: str,
    state: str,
) -> Version:
    changes = tuple(changes_of(connection, room, number))
    is_undone = state in (VersionState.UNDONE, VersionState.DROPPED)
    return Version(room, number, VersionKind(kind), of, user, job, at_us, summary, is_undone, changes)
