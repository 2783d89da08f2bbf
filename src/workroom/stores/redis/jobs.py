"""Jobs as they stand: what decides their turn comes from the queue, what is large from their rooms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workroom.domain.job import Job, JobState
from workroom.domain.queries import FindJob, FindJobs, FindRunning, LastValues, Page, Running
from workroom.domain.waiting import Circumstances, why
from workroom.stores.redis import keys
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.packing import maybe_bytes, maybe_int, maybe_text, to_bytes, to_text
from workroom.stores.redis.records import Record, find_record, record
from workroom.stores.redis.replies import Row, extension_key
from workroom.stores.redis.wire import Command

_LOOK = 500
_FILTERS = ("room", "user", "worker", "status", "category", "name", "replayed")


async def find_job(asker: Asker, query: FindJob) -> Job | None:
    wanted: dict[str, object] = {"ids": [query.id], "limit": 1}
    room = asker.room_of(query.id)
    if room is not None:
        return await _find_in(asker, keys.folder(room, query.id), wanted)
    found, _, _ = await asker.script("find_jobs", wanted)
    jobs = await with_values(asker, found)
    return jobs[0] if jobs else None


async def _find_in(asker: Asker, folder: str, wanted: dict[str, object]) -> Job | None:
    """The folder comes along, read after the record: so it has what the record names."""
    (found, _, _), values = await asker.script_and([("HGETALL", folder)], "find_jobs", wanted)
    kept = dict(zip(values[::2], values[1::2], strict=True))
    data = kept.get(b"data")
    if not found or data is None:
        return None
    told = record(found[0][0])
    return _job(found[0], told, data, kept.get(to_bytes(told.result or "")))


async def find_jobs(asker: Asker, query: FindJobs) -> Page[Job]:
    """A bounded number of jobs is looked at in each trip, so that nobody waits for a long search."""
    wanted = {field: getattr(query, field) for field in _FILTERS}
    arguments: dict[str, object] = {field: value for field, value in wanted.items() if value is not None}
    arguments.update(index=_index(query), look=max(_LOOK, query.limit + 1))
    before = "+inf" if query.before is None else str(query.before)
    rows: list[Row] = []
    while len(rows) <= query.limit:
        arguments.update(before=before, limit=query.limit + 1 - len(rows))
        found, last, looked = await asker.script("find_jobs", arguments)
        rows += found
        if last is False or looked < max(_LOOK, query.limit + 1):
            break
        before = str(last)
    page = await with_values(asker, rows[: query.limit])
    return Page(page, _sequence(rows[query.limit - 1]) if len(rows) > query.limit else None)


def _sequence(row: Row) -> int:
    return record(row[0]).sequence


def _index(query: FindJobs) -> str:
    """The one that has the fewest jobs, as a rule."""
    if query.worker is not None:
        return f"jobs:worker:{query.worker}"
    if query.room is not None:
        return f"jobs:room:{query.room}"
    return "jobs" if query.user is None else f"jobs:user:{query.user}"


async def with_values(asker: Asker, rows: Sequence[Row]) -> list[Job]:
    """Jobs whose values are gone are just leaving."""
    records = [record(row[0]) for row in rows]
    commands: list[Command] = [
        ("HMGET", keys.folder(each.room, each.id), "data", each.result or "") for each in records
    ]
    values = await asker.values(commands) if commands else []
    found = zip(rows, records, values, strict=True)
    return [_job(row, each, data, result) for row, each, (data, result) in found if data is not None]


def _job(row: Row, kept: Record, data: bytes, result: bytes | None) -> Job:
    _, progress, error, key, runner, owner, paused, opened, standing = row
    where = extension_key(key)
    return Job(
        sequence=kept.sequence,
        id=kept.id,
        room=kept.room,
        scope=where.scope,
        category=where.category,
        name=where.name,
        data=data,
        schema_hash=kept.schema_hash,
        status=JobState(kept.status),
        version=kept.version,
        priority=kept.priority,
        user=kept.user,
        runner=runner,
        worker=maybe_text(kept.worker),
        attempt=kept.attempt,
        created_at_us=kept.created_us,
        assigned_at_us=maybe_int(kept.assigned_us),
        started_at_us=maybe_int(kept.started_us),
        completed_at_us=maybe_int(kept.completed_us),
        progress=maybe_bytes(progress),
        result=result,
        error=maybe_bytes(error),
        extension_owner=owner,
        tries=kept.tries,
        retry_of=maybe_text(kept.retry_of),
        extension_id=int(kept.extension),
        **({} if standing is False else _standing(kept, paused, opened, standing)),
    )


def _standing(kept: Record, paused: bool, opened: int | bool, standing: Row) -> dict[str, Any]:
    """Of a pending job, its place in the queue and what it waits for."""
    position, is_ready, holder, slots = standing
    circumstances = Circumstances(
        paused=paused,
        opened_us=maybe_int(opened),
        due_us=maybe_int(kept.due_us),
        lane=kept.lane if isinstance(kept.lane, str) else None,
        ready=is_ready,
        lane_holder=holder or None,
        slots=slots,
    )
    return {"waiting": why(circumstances), "queue_position": position, "slots": slots}


async def find_running(asker: Asker, query: FindRunning) -> Running | None:
    fence, kept = query.fence, await find_record(asker, query.fence.job_id)
    if kept is None:
        return None
    is_running = (kept.attempt, kept.token, kept.status) == (fence.attempt, fence.token, JobState.RUNNING)
    return Running(kept.user, kept.room) if is_running else None


async def last_values(asker: Asker, query: LastValues) -> bytes | None:
    """The form knows the job that has its values; without one, or while it leaves, the room keeps them."""
    form = keys.form(query.room, query.category, query.name)
    job_id = await asker.one("HGET", scheduling("forms", query.user), form)
    if job_id is None:
        return None
    own = keys.form(query.user, query.category, query.name)
    values: list[bytes | None] = await asker.send(
        [
            ("HGET", keys.folder(query.room, to_text(job_id)), "data"),
            ("HGET", keys.forms(query.room), own),
        ]
    )
    return values[0] if job_id and values[0] is not None else values[1]
