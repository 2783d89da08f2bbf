"""The record of a job as the scripts keep it, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from workroom.stores.redis.asking import Asker
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.packing import unpack


class Record(NamedTuple):
    """What is not there is false."""

    id: str
    sequence: int
    room: str
    user: str
    extension: str
    schema_hash: str
    size: int
    priority: int
    created_us: int
    retry_of: str | bool
    lane: str | bool
    status: str
    version: int
    attempt: int
    tries: int
    losses: int
    token: str | bool
    nonce: str | bool
    worker: str | bool
    assigned_us: int | bool
    started_us: int | bool
    completed_us: int | bool
    rank: int
    tag: int
    aged_us: int
    due_us: int | bool
    result: str | Literal[False]
    said: str | bool
    chat: int | bool
    events: Sequence[int]


_EVENTS = Record._fields.index("events")


def record_key(job_id: str) -> str:
    return scheduling("job", job_id)


def record(fields: Sequence[Any]) -> Record:
    """The events come last, as many as there are."""
    return Record._make([*fields[:_EVENTS], fields[_EVENTS:]])


async def find_record(asker: Asker, job_id: str) -> Record | None:
    (packed,) = await asker.values([("GET", record_key(job_id))])
    return None if packed is None else record(unpack(packed))
