"""The submitted values of jobs: written before a submit, read when a job is assigned."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from redis.asyncio import Redis

from workroom.domain.schema.masking import carries_secrets
from workroom.domain.steps import INLINE_DATA_BYTES, NewJob
from workroom.stores.redis import keys
from workroom.stores.redis.connection import Command
from workroom.stores.redis.keys import job_record_key
from workroom.stores.redis.messages.codec import unpack
from workroom.stores.redis.messages.layouts import job_record

_CACHE_BYTES = 32_000_000
_ENTRY_BYTES = 300
_CACHED_ROOMS = 10_000


class Payload(NamedTuple):
    """The values that an assignment carries: all of them if they are small, and the encrypted ones."""

    data: bytes | None = None
    secrets: bytes | None = None
    trace: bytes | None = None


NO_PAYLOAD = Payload()


class Payloads:
    """Caches the rooms and values of recent jobs, which never change."""

    def __init__(self, client: Redis) -> None:
        self._client = client
        self._values: OrderedDict[str, Payload] = OrderedDict()
        self._bytes = 0
        self._rooms: OrderedDict[str, str] = OrderedDict()

    def writes(self, jobs: Sequence[NewJob]) -> list[Command]:
        """Return commands that write the values. A job that already exists keeps its own."""
        writes: list[Command] = [("HSETNX", keys.folder(job.room, job.id), "data", job.data) for job in jobs]
        writes += [
            ("HSETNX", keys.folder(job.room, job.id), "secrets", job.secrets)
            for job in jobs
            if job.secrets is not None
        ]
        writes += [
            ("HSETNX", keys.folder(job.room, job.id), "trace", job.trace)
            for job in jobs
            if job.trace is not None
        ]
        return writes

    async def drop(self, jobs: Sequence[NewJob]) -> None:
        """Delete the values of refused jobs."""
        if jobs:
            await self._client.unlink(*(keys.folder(job.room, job.id) for job in jobs))

    def cache(self, jobs: Sequence[NewJob]) -> None:
        for job in jobs:
            self._cache_room(job.id, job.room)
            is_final = job.postponed is None or not job.postponed.has_refs
            if is_final and len(job.data) <= INLINE_DATA_BYTES:
                trace = None if job.trace is None else job.trace.encode()
                self._cache_values(job.id, Payload(job.data, None, trace))

    def _cache_room(self, job_id: str, room: str) -> None:
        self._rooms[job_id] = room
        if len(self._rooms) > _CACHED_ROOMS:
            self._rooms.popitem(last=False)

    def room_of(self, job_id: str) -> str | None:
        return self._rooms.get(job_id)

    def known_rooms(self, job_ids: Sequence[str]) -> Mapping[str, str] | None:
        """Return the rooms of these jobs, or None if one of them is not cached."""
        found = {job_id: self._rooms[job_id] for job_id in job_ids if job_id in self._rooms}
        return found if len(found) == len(set(job_ids)) else None

    async def rooms(self, job_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the rooms of these jobs, without those that do not exist."""
        unknown = [job_id for job_id in job_ids if job_id not in self._rooms]
        if unknown:
            records: list[bytes | None] = await cast("Any", self._client).mget(map(job_record_key, unknown))
            for job_id, packed in zip(unknown, records, strict=True):
                if packed is not None:
                    self._cache_room(job_id, job_record(unpack(packed)).room)
        return {job_id: self._rooms[job_id] for job_id in job_ids if job_id in self._rooms}

    async def fetch(self, assignments: Sequence[Sequence[Any]]) -> Mapping[str, Payload]:
        """Return the values of assigned jobs and drop them from the cache: most jobs are assigned once."""
        found: dict[str, Payload] = {}
        missing: list[tuple[str, str, int]] = []
        for job_id, _, token, _, _, _, _, room, _, size, _ in assignments:
            self._cache_room(job_id, room)
            value = self._take(job_id)
            if carries_secrets(token) or value is None:
                missing.append((job_id, room, size))
            else:
                found[job_id] = value
        if missing:
            found.update(await self._read(missing))
        return found

    async def _read(self, wanted: Sequence[tuple[str, str, int]]) -> dict[str, Payload]:
        pipeline = self._client.pipeline(transaction=False)
        for job_id, room, size in wanted:
            data = "data" if size <= INLINE_DATA_BYTES else ""
            pipeline.hmget(keys.folder(room, job_id), [data, "secrets", "trace"])
        values = await pipeline.execute()
        return {job_id: Payload(*value) for (job_id, *_), value in zip(wanted, values, strict=True)}

    def _cache_values(self, job_id: str, payload: Payload) -> None:
        self._bytes += _size(payload)
        self._values[job_id] = payload
        while self._bytes > _CACHE_BYTES:
            _, oldest = self._values.popitem(last=False)
            self._bytes -= _size(oldest)

    def _take(self, job_id: str) -> Payload | None:
        payload = self._values.pop(job_id, None)
        if payload is not None:
            self._bytes -= _size(payload)
        return payload


def _size(payload: Payload) -> int:
    return len(payload.data or b"") + _ENTRY_BYTES
