"""Records of rooms: verbs as scripts, and their queries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from workroom.domain.queries import FindRecord, FindRecords, Page
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.records import NewRecord, Put, Record
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import SEPARATOR, scheduling
from workroom.stores.redis.messages.codec import maybe_text, to_bytes, to_text, unpack
from workroom.stores.redis.messages.layouts import RecordRecord
from workroom.stores.redis.messages.reports import fence_row
from workroom.stores.redis.reader import Reader

T = TypeVar("T")
_BATCH = 500


class RecordVerbs:
    def _step(
        self, script: str, decode: Callable[[Any], T], *, before: Sequence[Command] = (), **arguments: object
    ) -> asyncio.Future[T]:
        raise NotImplementedError

    def put_record(self, new: NewRecord) -> Awaitable[Put]:
        return self._step(
            "put_record",
            lambda row: Put(_record(new.room, row[0]), row[1]),
            room=new.room,
            kind=new.kind,
            id=new.id,
            body=new.body,
            fields=[list(each) for each in new.fields],
            user=new.writer.user,
            fence=_fence(new.writer),
            limits=asdict(new.limits),
        )

    def delete_record(self, room: str, kind: str, id: str, writer: Writer) -> Awaitable[bool]:
        return self._step("delete_record", bool, room=room, kind=kind, id=id, fence=_fence(writer))


async def find_record(reader: Reader, query: FindRecord) -> Record | None:
    (found,) = await _records(reader, query.room, query.kind, [query.id])
    return found


async def find_records(reader: Reader, query: FindRecords) -> Page[Record]:
    """Read those with the first field page by page, until enough of them have the others too."""
    found: list[Record] = []
    async for record in _candidates(reader, query):
        if set(query.where) <= set(record.fields):
            found.append(record)
        if len(found) > query.limit:
            return Page(found[: query.limit], found[query.limit - 1].sequence)
    return Page(found, None)


async def _candidates(reader: Reader, query: FindRecords) -> AsyncIterator[Record]:
    before = query.before
    limit = min(query.limit + 1, _BATCH)
    while True:
        entries = await reader.execute(*_range(query, before, limit))
        names = [to_text(entry).split(SEPARATOR) for entry in entries]
        for record in await _records(reader, query.room, query.kind, [id for _, _, id in names]):
            if record is not None:  # else it was deleted meanwhile
                yield record
        if len(names) < limit:
            return
        before = int(names[-1][1])


def _range(query: FindRecords, before: int | None, limit: int) -> Command:
    field, value = query.where[0] if query.where else ("", "")
    key = scheduling("record_index", SEPARATOR.join((query.room, query.kind, field)))
    start = f"{value}{SEPARATOR}"
    end = f"({start}:" if before is None else f"({start}{before:020d}"  # a colon follows every digit
    return ("ZREVRANGEBYLEX", key, end, f"[{start}", "LIMIT", 0, limit)


async def _records(reader: Reader, room: str, kind: str, ids: Sequence[str]) -> list[Record | None]:
    if not ids:
        return []
    names = [SEPARATOR.join((kind, each)) for each in ids]
    found = await reader.execute("HMGET", scheduling("records", room), *names)
    return [None if packed is None else _record(room, unpack(packed)) for packed in found]


def _record(room: str, values: Sequence[Any]) -> Record:
    record = RecordRecord(*values)
    return Record(
        room,
        record.kind,
        record.id,
        record.sequence,
        to_bytes(record.body),
        tuple((name, value) for name, value in record.fields),
        record.user,
        maybe_text(record.job),
        record.created_us,
        record.updated_us,
    )


def _fence(writer: Writer) -> object:
    return False if writer.job is None else fence_row(writer.job)
