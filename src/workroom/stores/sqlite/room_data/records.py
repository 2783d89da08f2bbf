"""Records and their index: steps of the writer, and queries."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from workroom.domain.queries import FindRecord, FindRecords, Page
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.records import NewRecord, Put, Record
from workroom.domain.rules.refusals import record_quota
from workroom.domain.rules.room_data import documents as rules
from workroom.domain.rules.room_data.documents import DataQuota
from workroom.stores.sqlite.room_data.documents import check_access
from workroom.stores.sqlite.statements import SQL

_LATEST = 2**63 - 1
_BATCH = 500


def put(connection: sqlite3.Connection, at_us: int, new: NewRecord) -> Put:
    check_access(connection, new.room, new.writer)
    before = find_record(connection, FindRecord(new.room, new.kind, new.id))
    if before is not None and (before.body, before.fields) == (new.body, new.fields):
        return Put(before, False)
    _check_quota(connection, new, before)
    sequence = _insert(connection, at_us, new) if before is None else _replace(connection, at_us, new, before)
    for field, value in new.fields:
        connection.execute(SQL["insert_record_field"], (new.room, new.kind, field, value, sequence))
    _count(connection, new.room, before is None, new.size - (0 if before is None else len(before.body)))
    created_us = at_us if before is None else before.created_us
    writer = new.writer
    record = Record(
        new.room,
        new.kind,
        new.id,
        sequence,
        new.body,
        new.fields,
        writer.user,
        writer.job_id,
        created_us,
        at_us,
    )
    return Put(record, True)


def _insert(connection: sqlite3.Connection, at_us: int, new: NewRecord) -> int:
    writer = new.writer
    values = (new.room, new.kind, new.id, new.body, _encoded(new), writer.user, writer.job_id, at_us, at_us)
    return int(connection.execute(SQL["insert_record"], values).lastrowid or 0)


def _replace(connection: sqlite3.Connection, at_us: int, new: NewRecord, before: Record) -> int:
    _drop_fields(connection, before)
    values = (new.body, _encoded(new), new.writer.user, new.writer.job_id, at_us, before.sequence)
    connection.execute(SQL["replace_record"], values)
    return before.sequence


def delete(connection: sqlite3.Connection, room: str, kind: str, id: str, writer: Writer) -> bool:
    check_access(connection, room, writer)
    found = find_record(connection, FindRecord(room, kind, id))
    if found is None:
        return False
    _drop_fields(connection, found)
    connection.execute(SQL["delete_record"], (found.sequence,))
    _count(connection, room, -1, -len(found.body))
    return True


def _drop_fields(connection: sqlite3.Connection, record: Record) -> None:
    for field, value in record.fields:
        names = (record.room, record.kind, field, value, record.sequence)
        connection.execute(SQL["delete_record_fields"], names)


def _check_quota(connection: sqlite3.Connection, new: NewRecord, before: Record | None) -> None:
    count, size = connection.execute(SQL["totals_of_records"], (new.room,)).fetchone() or (0, 0)
    limits = new.limits
    quota = rules.exceeded(
        documents=count,
        size=size,
        more_documents=int(before is None),
        more_size=new.size - (0 if before is None else len(before.body)),
        most=limits.records,
        max_size=limits.bytes,
    )
    if quota is not None:
        is_count = quota is DataQuota.DOCUMENTS
        raise record_quota(quota, *((limits.records, count) if is_count else (limits.bytes, size)))


def _count(connection: sqlite3.Connection, room: str, records: int, size: int) -> None:
    connection.execute(SQL["count_records"], {"room": room, "records": int(records), "bytes": size})


def find_record(connection: sqlite3.Connection, query: FindRecord) -> Record | None:
    row = connection.execute(SQL["find_record"], (query.room, query.kind, query.id)).fetchone()
    return None if row is None else _record(query.room, query.kind, (query.id, *row))


def find_records(connection: sqlite3.Connection, query: FindRecords) -> Page[Record]:
    """Read those with the first field page by page, until enough of them have the others too."""
    found: list[Record] = []
    for record in _candidates(connection, query):
        if set(query.where) <= set(record.fields):
            found.append(record)
        if len(found) > query.limit:
            return Page(found[: query.limit], found[query.limit - 1].sequence)
    return Page(found, None)


def _candidates(connection: sqlite3.Connection, query: FindRecords) -> Iterator[Record]:
    before = _LATEST if query.before is None else query.before
    field, value = query.where[0] if query.where else ("", "")
    statement = SQL["find_records_by_field" if query.where else "find_records"]
    limit = min(query.limit + 1, _BATCH)
    while True:
        wanted = {
            "room": query.room,
            "kind": query.kind,
            "field": field,
            "value": value,
            "before": before,
            "limit": limit,
        }
        rows = connection.execute(statement, wanted).fetchall()
        for row in rows:
            yield _record(query.room, query.kind, row)
        if len(rows) < limit:
            return
        before = rows[-1][1]


def _record(room: str, kind: str, row: Sequence[Any]) -> Record:
    id, sequence, body, fields, user, job, created_us, updated_us = row
    pairs = tuple((name, value) for name, value in orjson.loads(fields))
    return Record(room, kind, id, sequence, body, pairs, user, job, created_us, updated_us)


def _encoded(new: NewRecord) -> str:
    return orjson.dumps(new.fields).decode()
