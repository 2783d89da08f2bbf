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
from workroom.stores.redis.line import Command
from workroom.stores.redis.packing import maybe_bytes, maybe_int, to_text
from workroom.stores.redis.replies import Row, extension_key

_LOOK = 500
_FILTERS = ("room", "user", "worker", "status", "category", "name", "replayed")


async def find_job(asker: Asker, query: FindJob) -> Job | None:
    found, _, _ = await asker.script("find_jobs", {"ids": [query.id], "limit": 1})
    jobs = await _with_values(asker, found)
    return jobs[0] if jobs else None


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
    page = await _with_values(asker, rows[: query.limit])
    return Page(page, page[-1].sequence if len(rows) > query.limit else None)


def _index(query: FindJobs) -> str:
    """The one that has the fewest jobs, as a rule."""
    if query.worker is not None:
        return f"jobs:worker:{query.worker}"
    if query.room is not None:
        return f"jobs:room:{query.room}"
    return "jobs" if query.user is None else f"jobs:user:{query.user}"


async def _with_values(asker: Asker, rows: Sequence[Row]) -> list[Job]:
    """Jobs whose values are gone are just being forgotten."""
    commands: list[Command] = [
        ("HMGET", keys.folder(row[2][1], row[0]), "data", row[2][13] or "result") for row in rows
    ]
    values = await asker.send(commands) if commands else []
    return [
        _job(row, data, result) for row, (data, result) in zip(rows, values, strict=True) if data is not None
    ]


def _job(row: Row, data: bytes, result: bytes | None) -> Job:
    job_id, status, kept, key, runner, owner, extension, *rest = row
    (
        sequence,
        room,
        schema_hash,
        version,
        priority,
        user,
        worker,
        attempt,
        created,
        assigned,
        started,
        completed,
        progress,
        _,
        error,
        tries,
        retry_of,
    ) = kept
    where = extension_key(key)
    return Job(
        sequence=int(sequence),
        id=job_id,
        room=room,
        scope=where.scope,
        category=where.category,
        name=where.name,
        data=data,
        schema_hash=schema_hash,
        status=JobState(status),
        version=int(version),
        priority=int(priority),
        user=user,
        runner=runner,
        worker=worker or None,
        attempt=int(attempt),
        created_at_us=int(created),
        assigned_at_us=maybe_int(assigned),
        started_at_us=maybe_int(started),
        completed_at_us=maybe_int(completed),
        progress=maybe_bytes(progress),
        result=result,
        error=maybe_bytes(error),
        extension_owner=owner,
        tries=int(tries),
        retry_of=retry_of or None,
        extension_id=extension,
        **_standing(*rest),
    )


def _standing(lane: Any, due: Any, paused: bool, opened: Any, standing: Any) -> dict[str, Any]:
    """Of a pending job, its place in the queue and what it waits for."""
    if standing is False:
        return {}
    position, is_ready, holder, slots = standing
    circumstances = Circumstances(
        paused=paused,
        opened_us=maybe_int(opened),
        due_us=maybe_int(due),
        lane=None if lane is False else lane,
        ready=is_ready,
        lane_holder=holder or None,
        slots=slots,
    )
    return {"waiting": why(circumstances), "queue_position": position, "slots": slots}


async def find_running(asker: Asker, query: FindRunning) -> Running | None:
    fence = query.fence
    row = await asker.one(
        "HMGET", scheduling("job", fence.job_id), "user", "room", "attempt", "token", "status"
    )
    if row[0] is None or None in row:
        return None
    user, room, attempt, token, status = map(to_text, row)
    is_running = (int(attempt), token, status) == (fence.attempt, fence.token, JobState.RUNNING)
    return Running(user, room) if is_running else None


async def last_values(asker: Asker, query: LastValues) -> bytes | None:
    """The form knows the job that has its values; without one, the room keeps them."""
    form = keys.form(query.room, query.category, query.name)
    job_id = await asker.one("HGET", scheduling("forms", query.user), form)
    if job_id is None:
        return None
    values: bytes | None
    if job_id:
        values = await asker.one("HGET", keys.folder(query.room, to_text(job_id)), "data")
    else:
        own = keys.form(query.user, query.category, query.name)
        values = await asker.one("HGET", keys.forms(query.room), own)
    return values
