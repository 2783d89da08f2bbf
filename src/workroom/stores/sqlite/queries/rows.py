"""Names the columns of rows, and converts rows to domain values.

The fields of a row class are the columns of its statements, in their order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from workroom.domain.extension import Extension, ExtensionSpec, RunnerKind
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.queries import ExtensionUsage, LastFailure
from workroom.domain.storage.recent_ends import decode_ends
from workroom.domain.worker import ConsentRequest, Worker, WorkerSpec
from workroom.stores.annotations import decode_annotation
from workroom.stores.exchanges import decode_exchanges
from workroom.stores.sqlite.verbs.queue.lanes import parsed_policy
from workroom.stores.sqlite.verbs.step_builder import extension_key

Row = tuple[Any, ...]


class JobRow(NamedTuple):
    """`find_jobs`. The last columns describe the job's place in the queue."""

    sequence: int
    id: str
    room: str
    extension_room: str
    category: str
    name: str
    data: bytes
    schema_hash: str
    status: str
    version: int
    priority: int
    user: str
    runner: str
    worker: str | None
    attempt: int
    created_us: int
    assigned_us: int | None
    started_us: int | None
    completed_us: int | None
    progress: bytes | None
    result: bytes | None
    error: bytes | None
    extension_owner: str
    tries: int
    retry_of: str | None
    parent: str | None
    secrets: bytes | None
    extension: int
    lane: str | None
    ready: int
    due_us: int | None
    paused: int
    opened_us: int | None
    rank: int
    tag: float
    exchanges: bytes | None
    annotation: bytes | None
    group: str | None


class ExtensionRow(NamedTuple):
    """`find_extension`, `find_actor`, `existing_extension`; `visible_extensions` also has the counts."""

    id: int
    room: str
    category: str
    name: str
    schema: bytes
    schema_hash: str
    runner: str
    owner: str
    policy: str
    active: int
    idle_workers: int = 0
    busy_workers: int = 0
    pending_jobs: int = 0
    paused: int = 0
    opened_us: int | None = None
    left_us: int | None = None


class EndedUsageRow(NamedTuple):
    """`ended_usage`. The job that failed last is missing once it was deleted."""

    extension: int
    completed: int
    failed: int
    cancelled: int
    last_job_us: int
    recent: bytes
    failed_job: str | None
    failed_us: int | None
    error: bytes | None


class RequestRow(NamedTuple):
    """`requests_of_worker`."""

    room: str
    category: str
    name: str
    schema: bytes
    schema_hash: str
    runner: str
    owner: str
    policy: str
    is_banned: int
    owner_here: str | None
    owner_in_public: str | None


class WorkerRow(NamedTuple):
    """`find_workers`. `served` has the extensions of a worker that left, as JSON."""

    id: str
    user: str
    name: str
    runner: str
    slots: int
    machine: bytes
    online: int
    draining: int
    session: int
    registered_us: int
    since_us: int
    assigned: int
    running: int
    served: bytes | None


def usage(
    extension: Extension,
    ended: EndedUsageRow | None,
    assigned: dict[str, int],
    last_unfinished_us: int | None,
) -> ExtensionUsage:
    counts = {"pending": extension.pending_jobs, **assigned}
    last_job_us = last_unfinished_us
    if ended is not None:
        counts |= {"completed": ended.completed, "failed": ended.failed, "cancelled": ended.cancelled}
        last_job_us = max(ended.last_job_us, last_unfinished_us or 0)
    return ExtensionUsage(
        extension,
        {status: count for status, count in counts.items() if count},
        last_job_us,
        [] if ended is None else decode_ends(ended.recent),
        None if ended is None else _last_failure(ended),
    )


def _last_failure(row: EndedUsageRow) -> LastFailure | None:
    if row.failed_job is None or row.failed_us is None or row.error is None:
        return None
    return LastFailure(row.failed_job, row.failed_us, row.error)


def job(row: JobRow) -> Job:
    return Job(
        sequence=row.sequence,
        id=row.id,
        room=row.room,
        scope=extension_key(row.extension_room, row.category, row.name).scope,
        category=row.category,
        name=row.name,
        data=row.data,
        schema_hash=row.schema_hash,
        status=JobState(row.status),
        version=row.version,
        priority=row.priority,
        user=row.user,
        runner=row.runner,
        worker=row.worker,
        attempt=row.attempt,
        created_at_us=row.created_us,
        assigned_at_us=row.assigned_us,
        started_at_us=row.started_us,
        completed_at_us=row.completed_us,
        progress=row.progress,
        result=row.result,
        error=row.error,
        extension_owner=row.extension_owner,
        tries=row.tries,
        retry_of=row.retry_of,
        parent=row.parent,
        secrets=row.secrets,
        extension_id=row.extension,
        group=row.group,
        annotation=decode_annotation(row.annotation),
        exchanges=decode_exchanges(row.exchanges),
    )


def transition(row: Row) -> Transition:
    sequence, job_id, room, user, version, status, *rest = row
    return Transition(sequence, job_id, room, user, version, JobState(status), *rest)


def extension(columns: Row) -> Extension:
    row = ExtensionRow(*columns)
    return Extension(
        id=row.id,
        spec=extension_spec(row),
        idle_workers=row.idle_workers,
        busy_workers=row.busy_workers,
        pending_jobs=row.pending_jobs,
        paused=row.paused,
        opened_us=row.opened_us,
        left_us=row.left_us,
    )


def extension_spec(row: ExtensionRow | RequestRow) -> ExtensionSpec:
    return ExtensionSpec(
        key=extension_key(row.room, row.category, row.name),
        schema=row.schema,
        schema_hash=row.schema_hash,
        runner=RunnerKind(row.runner),
        owner=row.owner,
        policy=parsed_policy(row.policy),
    )


def worker(row: WorkerRow, extensions: list[Row], awaiting: tuple[ConsentRequest, ...] = ()) -> Worker:
    offered = extensions or ([] if row.served is None else orjson.loads(row.served))
    return Worker(
        spec=WorkerSpec(row.id, row.user, row.name, row.runner, row.slots, row.machine),
        online=bool(row.online),
        draining=bool(row.draining),
        session=row.session,
        registered_at_us=row.registered_us,
        since_us=row.since_us,
        assigned=row.assigned,
        running=row.running,
        extensions=tuple(extension_key(*key) for key in offered),
        awaiting=awaiting,
    )
