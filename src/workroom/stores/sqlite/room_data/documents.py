"""Documents and their contents: steps of the writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from workroom.domain.queries import FindContents, FindDocument, FindDocuments
from workroom.domain.room_data.documents import (
    DataLimits,
    Document,
    DocumentInfo,
    Edit,
    Written,
    is_volatile,
    target_of,
)
from workroom.domain.room_data.frames import FramesEdit
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.versions import Change
from workroom.domain.rules.refusals import data_quota, document_not_found, version_conflict
from workroom.domain.rules.room_data import documents as rules
from workroom.domain.rules.room_data.documents import NO_DOCUMENT, DataQuota, EditVerdict
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.room_data import grouping, history
from workroom.stores.sqlite.room_data.locks import check_writer
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.attempts import running_job


class DocumentRow(NamedTuple):
    room: str
    key: str
    version: int
    content: int
    size: int
    user: str
    job: str | None
    changed_us: int
    request: str


def edit(connection: sqlite3.Connection, at_us: int, edit: Edit) -> Written:
    check_access(connection, edit.room, edit.writer)
    row = find_row(connection, edit.room, edit.key)
    verdict = rules.decide(
        version=NO_DOCUMENT if row is None else row.version,
        expected=edit.expected,
        is_repeat=row is not None and bool(edit.request) and row.request == edit.request,
        is_delete=edit.content is None,
    )
    if verdict is EditVerdict.REPEAT and row is not None:
        return Written(row.version, row.changed_us, False)
    check_writer(connection, at_us, edit.room, target_of(edit.key), edit.writer)
    if verdict is EditVerdict.MISSING:
        raise document_not_found(edit.key)
    if verdict is EditVerdict.CONFLICT:
        raise version_conflict(edit.key, NO_DOCUMENT if row is None else row.version)
    check_quota(
        connection,
        edit.room,
        (edit.content is not None) - (row is not None),
        len(edit.content or b"") - (0 if row is None else row.size),
        edit.limits,
    )
    return Written(write(connection, at_us, edit, edit.key, edit.content), at_us, True)


def write(
    connection: sqlite3.Connection, at_us: int, edit: Edit | FramesEdit, key: str, content: bytes | None
) -> int:
    """Make a content that of a document, as a version of its own or of the edit's group."""
    room = edit.room
    number = next_change(connection, room)
    after = None
    if content is not None:
        connection.execute(SQL["insert_content"], (room, key, number, content))
        after = number
    change = replace_content(connection, at_us, room, key, number, after, edit.writer, edit.request)
    if not is_volatile(key):
        grouping.record(connection, at_us, edit, number, change)
        connection.execute(SQL["drop_undone"], (room,))
        history.trim(connection, at_us, room, edit.limits)
    forget_unused(connection, room, [change])
    return number


def replace_content(
    connection: sqlite3.Connection,
    at_us: int,
    room: str,
    key: str,
    number: int,
    after: int | None,
    writer: Writer,
    request: str,
) -> Change:
    """Make a content that of a document, or delete the document."""
    row = find_row(connection, room, key)
    before = None if row is None else row.content
    history.refer(connection, room, key, after, 1)
    history.refer(connection, room, key, before, -1)
    if after is None:
        connection.execute(SQL["delete_document"], (room, key))
    else:
        (size,) = connection.execute(SQL["size_of_content"], (room, key, after)).fetchone()
        document = DocumentRow(room, key, number, after, size, writer.user, writer.job_id, at_us, request)
        connection.execute(SQL["save_document"], document)
    return Change(key, before, after)


def forget_unused(connection: sqlite3.Connection, room: str, changes: Sequence[Change]) -> None:
    """Delete the contents that these changes replaced, unless a version refers to them."""
    for change in changes:
        if change.before is not None:
            connection.execute(SQL["forget_content"], (room, change.key, change.before))


def check_access(connection: sqlite3.Connection, room: str, writer: Writer) -> None:
    require_room(connection, room)
    if writer.job is not None:
        running_job(connection, None, writer.job)


def check_quota(
    connection: sqlite3.Connection, room: str, more_documents: int, more_size: int, limits: DataLimits
) -> None:
    count, size = connection.execute(SQL["size_of_documents"], (room,)).fetchone()
    quota = rules.exceeded(
        documents=count,
        size=size,
        more_documents=more_documents,
        more_size=more_size,
        most=limits.documents,
        max_size=limits.bytes,
    )
    if quota is not None:
        is_count = quota is DataQuota.DOCUMENTS
        raise data_quota(quota, *((limits.documents, count) if is_count else (limits.bytes, size)))


def next_change(connection: sqlite3.Connection, room: str) -> int:
    connection.execute(SQL["begin_room_data"], (room,))
    (number,) = connection.execute(SQL["next_change"], (room,)).fetchone()
    return int(number)


def find_row(connection: sqlite3.Connection, room: str, key: str) -> DocumentRow | None:
    row = connection.execute(SQL["find_document"], (room, key)).fetchone()
    return None if row is None else DocumentRow(*row)


def find_document(connection: sqlite3.Connection, query: FindDocument) -> Document | None:
    row = connection.execute(SQL["find_document_content"], (query.room, query.key)).fetchone()
    if row is None:
        return None
    *info, content = row
    return Document(DocumentInfo(*info), content)


def find_documents(connection: sqlite3.Connection, query: FindDocuments) -> list[DocumentInfo]:
    return [DocumentInfo(*row) for row in connection.execute(SQL["documents_of_room"], (query.room,))]


def find_contents(connection: sqlite3.Connection, query: FindContents) -> list[bytes | None]:
    found = [
        connection.execute(SQL["find_content"], (query.room, key, number)).fetchone()
        for key, number in query.names
    ]
    return [None if row is None else row[0] for row in found]
