"""Rows become values."""

from __future__ import annotations

from typing import Any

import orjson

from workroom.domain.extension import ExtensionSpec, Policy, RunnerKind
from workroom.domain.job import Job, JobState, Transition
from workroom.domain.worker import Worker, WorkerSpec
from workroom.stores.sqlite.ledger import extension_key

Row = tuple[Any, ...]


def job(row: Row) -> Job:
    sequence, job_id, room, extension_room, category, name, data, schema_hash, status, *rest = row
    scope = extension_key(extension_room, category, name).scope
    return Job(sequence, job_id, room, scope, category, name, data, schema_hash, JobState(status), *rest)


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
        policy=Policy(**orjson.loads(policy)),
    )


def worker(row: Row, extensions: list[Row]) -> Worker:
    online, session, registered_at, since, assigned, running = row[6:]
    return Worker(
        spec=WorkerSpec(*row[:6]),
        online=bool(online),
        session=session,
        registered_at_us=registered_at,
        since_us=since,
        assigned=assigned,
        running=running,
        extensions=tuple(extension_key(*key) for key in extensions),
    )
