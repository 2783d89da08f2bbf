"""Jobs: their records come from the scheduling keys, their values from the keys of their rooms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workroom.domain.job import Job, JobState
from workroom.domain.queries import (
    FindJob,
    FindJobs,
    FindJobsById,
    FindRunning,
    LastSecrets,
    LastValues,
    Page,
    Running,
)
from workroom.domain.rules.queue.rates import interval_us, starts_at_us
from workroom.domain.rules.queue.waiting import Circumstances, Pace, Postponed, while_running, why
from workroom.stores.annotations import decode_annotation
from workroom.stores.redis import keys
from workroom.stores.redis.connection import Command
from workroom.stores.redis.exchanges import decode_exchanges
from workroom.stores.redis.keys import scheduling
from workroom.stores.redis.messages.codec import maybe_bytes, maybe_int, maybe_text, to_bytes, to_text
from workroom.stores.redis.messages.layouts import JobRecord, JobRow, job_record
from workroom.stores.redis.messages.replies import Row, extension_key
from workroom.stores.redis.reader import Reader

_SCAN = 500
_FILTERS = ("room", "user", "worker", "status", "category", "name", "replayed", "queued", "unfinished")


async def find_job(reader: Reader, query: FindJob) -> Job | None:
    wanted: dict[str, object] = {"ids": [query.id], "limit": 1}
    room = reader.room_of(query.id)
    if room is not None:
        return await _find_in(reader, keys.folder(room, query.id), wanted)
    found, _, _ = await reader.run_script("find_jobs", wanted)
    jobs = await with_values(reader, found)
    return jobs[0] if jobs else None


async def find_jobs_by_id(reader: Reader, query: FindJobsById) -> list[Job]:
    wanted: dict[str, object] = {"ids": list(query.ids), "limit": len(query.ids), "brief": query.brief}
    found, _, _ = await reader.run_script("find_jobs", wanted)
    return await (_without_values if query.brief else with_values)(reader, found)


async def _find_in(reader: Reader, folder: str, wanted: dict[str, object]) -> Job | None:
    """Read the record, then the folder, so that the folder has the result that the record names."""
    (found, _, _), values = await reader.run_script_and([("HGETALL", folder)], "find_jobs", wanted)
    folder_values = dict(zip(values[::2], values[1::2], strict=True))
    data = folder_values.get(b"data")
    if not found or data is None:
        return None
    row = JobRow._make(found[0])
    record = job_record(row.record)
    result = folder_values.get(to_bytes(record.result or ""))
    return _job(row, record, data, result, folder_values.get(b"secrets"))


async def find_jobs(reader: Reader, query: FindJobs) -> Page[Job]:
    """Scan a bounded number of jobs per script run, so that a long search blocks no other client.

    A user's unfinished jobs are counted, so a search for them ends with the last one.
    """
    wanted = {field: getattr(query, field) for field in _FILTERS}
    arguments: dict[str, object] = {field: value for field, value in wanted.items() if value is not None}
    arguments.update(index=_index(query), scan=max(_SCAN, query.limit + 1), brief=query.brief)
    counting = [_count_unfinished(query.user)] if query.unfinished and query.user is not None else []
    before = "+inf" if query.before is None else str(query.before)
    rows: list[Row] = []
    while len(rows) <= query.limit:
        arguments.update(before=before, limit=query.limit + 1 - len(rows))
        (found, last, looked), *counts = await reader.run_script_and(counting, "find_jobs", arguments)
        rows += found
        is_complete = any(len(rows) >= int(count or 0) for count in counts)
        if is_complete or last is False or looked < max(_SCAN, query.limit + 1):
            break
        before = str(last)
    page = await (_without_values if query.brief else with_values)(reader, rows[: query.limit])
    return Page(page, _sequence(rows[query.limit - 1]) if len(rows) > query.limit else None)


def _count_unfinished(user: str) -> Command:
    return ("HGET", scheduling("quota", "user", user), "jobs")


def _sequence(row: Row) -> int:
    return job_record(JobRow._make(row).record).sequence


def _index(query: FindJobs) -> str:
    """Return the index that usually has the fewest jobs."""
    if query.group is not None:
        return f"jobs:group:{query.group}"
    if query.annotated and query.room is not None:
        return f"annotated:{query.room}"
    if query.parent is not None:
        return f"children:{query.parent}"
    if query.worker is not None:
        return f"jobs:worker:{query.worker}"
    if query.room is not None:
        return f"jobs:room:{query.room}"
    return "jobs" if query.user is None else f"jobs:user:{query.user}"


async def with_values(reader: Reader, rows: Sequence[Row]) -> list[Job]:
    """Add the values to jobs. Jobs without values are being deleted, and are skipped."""
    named = [JobRow._make(row) for row in rows]
    records = [job_record(row.record) for row in named]
    commands: list[Command] = [
        ("HMGET", keys.folder(each.room, each.id), "data", each.result or "", "secrets") for each in records
    ]
    values = await reader.send_raw(commands) if commands else []
    found = zip(named, records, values, strict=True)
    return [
        _job(row, each, data, result, secrets)
        for row, each, (data, result, secrets) in found
        if data is not None
    ]


async def _without_values(reader: Reader, rows: Sequence[Row]) -> list[Job]:
    named = [JobRow._make(row) for row in rows]
    records = [job_record(row.record) for row in named]
    commands: list[Command] = [("HEXISTS", keys.folder(each.room, each.id), "data") for each in records]
    kept = await reader.send_raw(commands) if commands else []
    found = zip(named, records, kept, strict=True)
    return [_job(row, each, b"", None, None) for row, each, is_kept in found if is_kept]


def _job(row: JobRow, record: JobRecord, data: bytes, result: bytes | None, secrets: bytes | None) -> Job:
    extension = extension_key(row.key)
    exchanges = decode_exchanges(row.exchanges)
    job = Job(
        sequence=record.sequence,
        id=record.id,
        room=record.room,
        scope=extension.scope,
        category=extension.category,
        name=extension.name,
        data=data,
        schema_hash=record.schema_hash,
        status=JobState(record.status),
        version=record.version,
        priority=record.priority,
        user=record.user,
        runner=row.runner,
        worker=maybe_text(record.worker),
        attempt=record.attempt,
        created_at_us=record.created_us,
        assigned_at_us=maybe_int(record.assigned_us),
        started_at_us=maybe_int(record.started_us),
        completed_at_us=maybe_int(record.completed_us),
        progress=maybe_bytes(row.progress),
        result=result,
        error=maybe_bytes(row.error),
        extension_owner=row.owner,
        tries=record.tries,
        retry_of=maybe_text(record.retry_of),
        parent=maybe_text(record.parent),
        secrets=secrets,
        extension_id=int(record.extension),
        group=maybe_text(record.group),
        annotation=decode_annotation(maybe_bytes(row.annotation)),
        exchanges=exchanges,
        waiting=while_running(row.waits or None, exchanges),
    )
    return job if row.queue is False else replace(job, **_waiting(record, row, row.queue))


def _waiting(record: JobRecord, row: JobRow, queue: Row) -> dict[str, Any]:
    """Return a pending job's queue position and what it waits for."""
    position, is_ready, holder, slots, pace = queue
    circumstances = Circumstances(
        paused=row.paused,
        opened_us=maybe_int(row.opened),
        due_us=maybe_int(record.due_us),
        lane=record.lane if isinstance(record.lane, str) else None,
        ready=is_ready,
        lane_holder=holder or None,
        slots=slots,
        postponed=None if row.postponed is False else _postponed(row.postponed),
        pace=_pace(*pace) if pace else None,
    )
    place = position if row.postponed is False else None
    return {"waiting": why(circumstances), "queue_position": place, "slots": slots}


def _postponed(row: Row) -> Postponed:
    blockers, job, group, run_us, paused_group = row
    return Postponed(blockers, job or None, group or None, run_us or None, paused_group or None)


def _pace(bucket: str, next_us: int | bool, ahead: int, rate: str) -> Pace:
    starts_us = None if next_us is False else starts_at_us(next_us, ahead, interval_us(rate))
    return Pace(bucket or None, starts_us)


async def find_running(reader: Reader, query: FindRunning) -> Running | None:
    fence, record = query.fence, await reader.find_record(query.fence.job_id)
    if record is None:
        return None
    is_running = (record.attempt, record.token, record.status) == (
        fence.attempt,
        fence.token,
        JobState.RUNNING,
    )
    return Running(record.user, record.room) if is_running else None


async def last_secrets(reader: Reader, query: LastSecrets) -> bytes | None:
    hidden = keys.form_secrets(query.user, query.category, query.name)
    found: bytes | None = await reader.execute("HGET", keys.forms(query.room), hidden)
    return found


async def last_values(reader: Reader, query: LastValues) -> bytes | None:
    """Read the values from the form's last job, or from the room if there is none or it is being deleted."""
    form = keys.form(query.room, query.category, query.name)
    job_id = await reader.execute("HGET", scheduling("forms", query.user), form)
    if job_id is None:
        return None
    own = keys.form(query.user, query.category, query.name)
    values: list[bytes | None] = await reader.send(
        [
            ("HGET", keys.folder(query.room, to_text(job_id)), "data"),
            ("HGET", keys.forms(query.room), own),
        ]
    )
    return values[0] if job_id and values[0] is not None else values[1]
