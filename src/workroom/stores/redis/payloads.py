"""The values of jobs, kept by their rooms: written before a job is submitted, read when it is handed out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, cast

from redis.asyncio import Redis

from workroom.domain.steps import NewJob
from workroom.stores.redis import keys
from workroom.stores.redis.packing import unpack
from workroom.stores.redis.records import record, record_key
from workroom.stores.redis.wire import Command

INLINE_DATA_BYTES = 64 * 1024
_CACHE_BYTES = 32_000_000
_ROOMS = 100_000


class Payloads:
    """Remembers what went by lately: values never change, so most need not be read again."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._rooms: OrderedDict[str, str] = OrderedDict()

    def writes(self, jobs: Sequence[NewJob]) -> list[Command]:
        """A job that is known already keeps its values."""
        return [("HSETNX", keys.folder(job.room, job.id), "data", job.data) for job in jobs]

    async def drop(self, jobs: Sequence[NewJob]) -> None:
        """They were not taken."""
        if jobs:
            await self._client.unlink(*(keys.folder(job.room, job.id) for job in jobs))

    def remember(self, jobs: Sequence[NewJob]) -> None:
        for job in jobs:
            self.place(job.id, job.room)
            if len(job.data) <= INLINE_DATA_BYTES:
                self._keep(job.id, job.data)

    def place(self, job_id: str, room: str) -> None:
        self._rooms[job_id] = room
        if len(self._rooms) > _ROOMS:
            self._rooms.popitem(last=False)

    def room_of(self, job_id: str) -> str | None:
        return self._rooms.get(job_id)

    def known_rooms(self, job_ids: Sequence[str]) -> Mapping[str, str] | None:
        """Where jobs are, if that is known of all."""
        found = {job_id: self._rooms[job_id] for job_id in job_ids if job_id in self._rooms}
        return found if len(found) == len(set(job_ids)) else None

    async def rooms(self, job_ids: Sequence[str]) -> Mapping[str, str]:
        """Where jobs are. Those that nobody knows are left out."""
        unknown = [job_id for job_id in job_ids if job_id not in self._rooms]
        if unknown:
            records: list[bytes | None] = await cast("Any", self._client).mget(map(record_key, unknown))
            for job_id, packed in zip(unknown, records, strict=True):
                if packed is not None:
                    self.place(job_id, record(unpack(packed)).room)
        return {job_id: self._rooms[job_id] for job_id in job_ids if job_id in self._rooms}

    async def fetch(self, assignments: Sequence[Sequence[Any]]) -> Mapping[str, bytes | None]:
        """The values of jobs that are handed out. A job is handed out once, as a rule, so they are let go."""
        found: dict[str, bytes | None] = {}
        missing: list[tuple[str, str]] = []
        for job_id, _, _, _, _, _, _, room, _, size, _ in assignments:
            self.place(job_id, room)
            if size <= INLINE_DATA_BYTES:
                value = self._take(job_id)
                found[job_id] = value
                if value is None:
                    missing.append((job_id, room))
        if missing:
            found.update(await self._read(missing))
        return found

    async def _read(self, wanted: Sequence[tuple[str, str]]) -> dict[str, bytes | None]:
        pipeline = self._client.pipeline(transaction=False)
        for job_id, room in wanted:
            pipeline.hget(keys.folder(room, job_id), "data")
        values = await pipeline.execute()
        return {job_id: value for (job_id, _), value in zip(wanted, values, strict=True)}

    def _keep(self, job_id: str, data: bytes) -> None:
        self._bytes += len(data) + 100
        self._values[job_id] = data
        while self._bytes > _CACHE_BYTES:
            _, gone = self._values.popitem(last=False)
            self._bytes -= len(gone) + 100

    def _take(self, job_id: str) -> bytes | None:
        value = self._values.pop(job_id, None)
        if value is not None:
            self._bytes -= len(value) + 100
        return value
