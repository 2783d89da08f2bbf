"""Rows become values."""

from __future__ import annotations

from typing import Any, NamedTuple

from workroom.domain.extension import ExtensionSpec, RunnerKind
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.worker import Worker, WorkerSpec
from workroom.stores.sqlite.lanes import parsed_policy
from workroom.stores.sqlite.ledger import extension_key

Row = tuple[Any, ...]


class Standing(NamedTuple):
    """The columns of a job that say where it stands in the queue."""

    extension: int
    lane: str | None
    ready: int
    due_us: int | None
    paused: int
    opened_us: int | None
    rank: int
    tag: float


def job(row: Row) -> tuple[Job, Standing]:
    sequence, job_id, room, extension_room, category, name, data, schema_hash, status, *rest = row
    scope = extension_key(extension_room, category, name).scope
    standing = Standing(*rest[-8:])
    found = Job(
        sequence, job_id, room, scope, category, name, data, schema_hash, JobState(status), *rest[:-8]
    )
    found.extension_id = standing.extension
    return found, standing


def transition(row: Row) -> Transition:
    sequence, job_id, room, user, version, status, *rest = row
    return Transition(sequence, job_id, room, user, version, JobState(status), *rest)


def extension_spec(row: Row) -> ExtensionSpec:
    room, category, name, schema, schema_hash, runner, owner, policy = row
    return ExtensionSpec(
        key=extension_key(room, category, name),
        schema=schema,
        schema_hash=schema_hash,
        runner=RunnerKind(runner),
        owner=owner,
        policy=parsed_policy(policy),
    )


def worker(row: Row, extensions: list[Row]) -> Worker:
    online, draining, session, registered_at, since, assigned, running = row[6:]
    return Worker(
        spec=WorkerSpec(*row[:6]),
        online=bool(online),
        draining=bool(draining),
        session=session,
        registered_at_us=registered_at,
        since_us=since,
        assigned=assigned,
        running=running,
        extensions=tuple(extension_key(*key) for key in extensions),
    )
