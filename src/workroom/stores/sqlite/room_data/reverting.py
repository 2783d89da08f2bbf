"""Undo, redo and restore: steps of the writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from workroom.domain.room_data.documents import FRAMES, target_of
from workroom.domain.room_data.versions import Revert, Version, VersionKind
from workroom.domain.rules.refusals import lock_lost, nothing_to_revert, version_not_found
from workroom.domain.rules.room_data import versions as rules
from workroom.domain.rules.room_data.versions import VersionState
from workroom.stores.sqlite.room_data import documents, history
from workroom.stores.sqlite.room_data.locks import check_writer, live_locks
from workroom.stores.sqlite.statements import SQL

_Contents = dict[str, int | None]  # the content that each document gets, by key


def revert(connection: sqlite3.Connection, at_us: int, revert: Revert) -> Version:
    room, writer = revert.room, revert.writer
    documents.check_access(connection, room, writer)
    repeated = _repeated(connection, revert)
    if repeated is not None:
        return repeated
    of, contents = _wanted(connection, revert)
    _check_locks(connection, at_us, revert, sorted({target_of(key) for key in contents}))
    _check_quota(connection, revert, contents)
    number = documents.next_change(connection, room)
    changes = [
        documents.replace_content(connection, at_us, room, key, number, content, writer, "")
        for key, content in sorted(contents.items())
    ]
    entry = history.Entry(room, number, revert.kind, of.number, of.summary, revert.request)
    history.record(connection, at_us, entry, writer, changes)
    _mark(connection, revert, of)
    history.trim(connection, at_us, room, revert.limits)
    return Version(
        room,
        number,
        revert.kind,
        of.number,
        writer.user,
        writer.job_id,
        at_us,
        of.summary,
        False,
        tuple(changes),
    )


def _repeated(connection: sqlite3.Connection, revert: Revert) -> Version | None:
    if not revert.request:
        return None
    row = connection.execute(SQL["version_of_request"], (revert.room, revert.request)).fetchone()
    return None if row is None else history.find_version(connection, revert.room, row[0])


def _wanted(connection: sqlite3.Connection, revert: Revert) -> tuple[Version, _Contents]:
    """The version that is undone, redone or restored, and what the documents become."""
    if revert.kind is VersionKind.RESTORE:
        return _restored(connection, revert)
    entries = connection.execute(
        SQL["version_entries"], {"room": revert.room, "target": revert.target}
    ).fetchall()
    is_undo = revert.kind is VersionKind.UNDO
    number = rules.to_undo(entries) if is_undo else rules.to_redo(entries)
    if number is None:
        raise nothing_to_revert(revert.kind)
    of = _found(connection, revert.room, number)
    changes = [(each.key, each.after, each.before) for each in of.changes]
    if not is_undo:
        changes = [(key, after, before) for key, before, after in changes]
    if revert.target is not None:
        changes = [each for each in changes if _content(connection, revert.room, each[0]) == each[1]]
    if not changes:
        raise nothing_to_revert(revert.kind)
    return of, {key: wanted for key, _, wanted in changes}


def _restored(connection: sqlite3.Connection, revert: Revert) -> tuple[Version, _Contents]:
    of = _found(connection, revert.room, revert.to or 0)
    wanted: _Contents = dict(connection.execute(SQL["changes_after"], (revert.room, of.number)).fetchall())
    contents: _Contents = {}
    for key, content in wanted.items():
        if content != _content(connection, revert.room, key):
            contents[key] = content
    if not contents:
        raise nothing_to_revert(revert.kind)
    return of, contents


def _content(connection: sqlite3.Connection, room: str, key: str) -> int | None:
    """The name of a document's content."""
    row = documents.find_row(connection, room, key)
    return None if row is None else row.content


def _found(connection: sqlite3.Connection, room: str, number: int) -> Version:
    version = history.find_version(connection, room, number)
    if version is None:
        raise version_not_found(number)
    return version


def _check_locks(connection: sqlite3.Connection, at_us: int, revert: Revert, targets: Sequence[str]) -> None:
    held = {each.target: each.digest for each in live_locks(connection, at_us, revert.room)}
    if not set(revert.digests) <= set(held.values()):
        raise lock_lost(targets[0])
    for target in targets:
        digest = held.get(target)
        own = digest if digest in revert.digests else None
        check_writer(connection, at_us, revert.room, target, replace(revert.writer, digest=own))


def _check_quota(connection: sqlite3.Connection, revert: Revert, contents: _Contents) -> None:
    more_documents = more_size = 0
    for key, content in contents.items():
        if key == FRAMES:
            continue
        row = documents.find_row(connection, revert.room, key)
        more_documents += (content is not None) - (row is not None)
        more_size -= 0 if row is None else row.size
        if content is not None:
            name = (revert.room, key, content)
            more_size += connection.execute(SQL["size_of_content"], name).fetchone()[0]
    documents.check_quota(connection, revert.room, more_documents, more_size, revert.limits)


def _mark(connection: sqlite3.Connection, revert: Revert, of: Version) -> None:
    if revert.kind is VersionKind.RESTORE:
        connection.execute(SQL["drop_undone"], (revert.room,))
        return
    state = VersionState.DONE
    if revert.kind is VersionKind.UNDO:
        before = connection.execute(SQL["state_of_version"], (revert.room, of.number)).fetchone()[0]
        state = rules.after_undo(before)
    if state is VersionState.DROPPED:
        connection.execute(SQL["drop_undone"], (revert.room,))
    connection.execute(SQL["set_version_state"], (state, revert.room, of.number))
