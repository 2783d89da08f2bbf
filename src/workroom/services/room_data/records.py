"""Records: put, read, found and deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workroom.domain.events import Event, RecordChanged
from workroom.domain.identity import Principal
from workroom.domain.queries import FindRecord, FindRecords, Page
from workroom.domain.room_data.locks import Writer
from workroom.domain.room_data.records import (
    FieldValue,
    NewRecord,
    Record,
    RecordLimits,
    indexed_fields,
    record_id,
    record_kind,
)
from workroom.domain.rules.refusals import record_not_found
from workroom.domain.schema.json_parts import check_parts
from workroom.errors import BodyTooLarge
from workroom.ports import RecordIndex
from workroom.services.json_codec import encoded

MAX_PARTS = 10_000  # of one record: packs read 200 at once
_LEVELS_AROUND = 8  # of the responses of packs, which are encoded by libraries with limits of their own


class Records:
    def __init__(
        self,
        store: RecordIndex,
        publish: Callable[[Sequence[Event]], None],
        limits: RecordLimits,
        max_bytes: int,
    ) -> None:
        self._store = store
        self._publish = publish
        self._limits = limits
        self._max_bytes = max_bytes

    async def read(self, room: str, kind: str, id: str) -> Record:
        found = await self._store.read(FindRecord(room, record_kind(kind), record_id(id)))
        if found is None:
            raise record_not_found(kind, id)
        return found

    async def find(
        self, room: str, kind: str, where: Mapping[str, FieldValue], before: int | None, limit: int
    ) -> Page[Record]:
        query = FindRecords(room, record_kind(kind), indexed_fields(where), before, limit)
        return await self._store.read(query)

    async def put(
        self,
        who: Principal,
        room: str,
        kind: str,
        id: str,
        body: Mapping[str, Any],
        fields: Mapping[str, FieldValue],
    ) -> Record:
        """Create or replace a record. Sending the same one again changes nothing."""
        new = NewRecord(
            room,
            record_kind(kind),
            record_id(id),
            self._encoded(body),
            indexed_fields(fields),
            Writer(who.user, None, who.job),
            self._limits,
        )
        put = await self._store.put_record(new)
        if put.is_new:
            self._changed(who, room, kind, id, is_deleted=False)
        return put.record

    async def delete(self, who: Principal, room: str, kind: str, id: str) -> None:
        writer = Writer(who.user, None, who.job)
        if not await self._store.delete_record(room, record_kind(kind), record_id(id), writer):
            raise record_not_found(kind, id)
        self._changed(who, room, kind, id, is_deleted=True)

    def _changed(self, who: Principal, room: str, kind: str, id: str, *, is_deleted: bool) -> None:
        job_id = None if who.job is None else who.job.job_id
        self._publish([RecordChanged(room, kind, id, who.user, job_id, is_deleted)])

    def _encoded(self, body: Mapping[str, Any]) -> bytes:
        content = encoded(dict(body), "the record", around=_LEVELS_AROUND)
        check_parts(content, MAX_PARTS)
        if len(content) > self._max_bytes:
            raise BodyTooLarge(
                f"a record may have {self._max_bytes:,} bytes; this one has {len(content):,}",
                max_bytes=self._max_bytes,
            )
        return content
