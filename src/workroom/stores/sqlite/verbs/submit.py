"""Stores submitted jobs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import orjson

from workroom.domain.job import JobState, submitted_by
from workroom.domain.rules.fair_share import finish_tag, rank, start_tag
from workroom.domain.rules.refusals import schema_changed
from workroom.domain.rules.upkeep import KEY_LIFETIME_US
from workroom.domain.steps import Idempotency, NewJob, Step
from workroom.errors import (
    ExtensionNotFound,
    IdempotencyConflict,
    RoomNotFound,
    WorkroomError,
)
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.step_builder import StepBuilder

_Extension = tuple[int, str, str, str, str]


def submit(connection: sqlite3.Connection, at_us: int, jobs: Sequence[NewJob]) -> Step:
    builder = StepBuilder(connection, at_us)
    intake = _Intake(connection, at_us, jobs)
    sequence = connection.execute(SQL["last_job"]).fetchone()[0]
    for job in jobs:
        known = intake.known(job)
        refusal = None if known else intake.check(job)
        builder.step.answers.append(refusal)
        if known is not None:
            builder.step.known[job.id] = known
        elif refusal is None:
            sequence += 1
            intake.take(sequence, job)
            reason = None if job.parent is None else submitted_by(job.parent)
            builder.record(
                sequence,
                job.id,
                job.room,
                job.user,
                1,
                JobState.PENDING,
                0,
                None,
                job.user,
                reason,
                created_us=at_us,
            )
            builder.recheck_lane(job.extension_id, job.lane)
            builder.step.arrive(job.extension_id)
    intake.close()
    return builder.build()


class _Intake:
    """The rows of one batch. Values that its jobs share are read and written once."""

    def __init__(self, connection: sqlite3.Connection, at_us: int, jobs: Sequence[NewJob]) -> None:
        self._connection = connection
        self._at_us = at_us
        self._extensions: dict[int, _Extension | None] = {}
        self._ids = _known_ids(connection, jobs)
        self._keys: dict[tuple[str, str, str], tuple[str | None, str | None]] = {}
        self._new_keys: list[tuple[object, ...]] = []
        self._rooms: set[str] = set()
        self._finish: dict[tuple[int, str], float] = {}
        self._forms: dict[tuple[str, str, str, str], bytes] = {}
        self._jobs: list[tuple[object, ...]] = []
        self._states: list[tuple[object, ...]] = []

    def check(self, job: NewJob) -> WorkroomError | None:
        """Check again what may have changed since the data was validated."""
        extension = self._extension(job.extension_id)
        if extension is None or not extension[0]:
            return ExtensionNotFound()
        if extension[1] != job.schema_hash:
            return schema_changed()
        if self._found(job) != (None, None):
            return IdempotencyConflict()
        return self._refused_by_room(job)

    def _refused_by_room(self, job: NewJob) -> WorkroomError | None:
        if job.room not in self._rooms:
            try:
                require_room(self._connection, job.room)
            except RoomNotFound as refusal:
                return refusal
            self._rooms.add(job.room)
        return None

    def known(self, job: NewJob) -> str | None:
        """The job of a repeated submit, found by id, by replay or by idempotency key."""
        if job.id in self._ids:
            return job.id
        if job.once and (row := self._connection.execute(SQL["replay_of"], (job.retry_of,)).fetchone()):
            return str(row[0])
        body_hash, job_id = self._found(job)
        return job_id if job.idempotency is not None and body_hash == job.idempotency.body_hash else None

    def _found(self, job: NewJob) -> tuple[str | None, str | None]:
        """The body hash and the job of the last submit with the same idempotency key."""
        if job.idempotency is None:
            return None, None
        key = (job.user, job.idempotency.route, job.idempotency.key)
        if key not in self._keys:
            values = (*key, self._at_us - KEY_LIFETIME_US)
            row = self._connection.execute(SQL["find_idempotent"], values).fetchone()
            self._keys[key] = row or (None, None)
        return self._keys[key]

    def take(self, sequence: int, job: NewJob) -> None:
        extension = self._extension(job.extension_id)
        assert extension is not None
        self._ids.add(job.id)
        if job.parent is None:
            self._forms[job.user, job.room, extension[3], extension[4]] = job.data
        self._jobs.append(
            (
                sequence,
                job.id,
                job.room,
                job.extension_id,
                job.user,
                job.data,
                job.schema_hash,
                job.priority,
                job.retry_of,
                job.parent,
                job.secrets,
                self._at_us,
            )
        )
        job_rank = rank(job.priority)
        ready = job.lane is None
        self._states.append(
            (
                sequence,
                job.extension_id,
                job_rank,
                self._tag(job_rank, job.user),
                job.lane,
                ready,
                self._at_us,
            )
        )
        if job.idempotency is not None:
            self._keep_key(job, job.idempotency)

    def _keep_key(self, job: NewJob, key: Idempotency) -> None:
        self._new_keys.append((job.user, key.route, key.key, key.body_hash, job.id, self._at_us))
        self._keys[job.user, key.route, key.key] = (key.body_hash, job.id)

    def close(self) -> None:
        execute_many = self._connection.executemany
        execute_many(SQL["insert_job"], self._jobs)
        execute_many(SQL["insert_state"], self._states)
        execute_many(SQL["save_idempotent"], self._new_keys)
        execute_many(SQL["save_share"], [(*key, finish) for key, finish in self._finish.items()])
        execute_many(SQL["save_form"], [(*key, data, None) for key, data in self._forms.items()])

    def _extension(self, extension_id: int) -> _Extension | None:
        if extension_id not in self._extensions:
            row = self._connection.execute(SQL["extension_for_submit"], (extension_id,)).fetchone()
            self._extensions[extension_id] = row
        return self._extensions[extension_id]

    def _tag(self, job_rank: int, user: str) -> float:
        key = (job_rank, user)
        if key not in self._finish:
            virtual_time, last_finish = self._connection.execute(
                SQL["read_share"], {"rank": job_rank, "user": user}
            ).fetchone()
            self._finish[key] = start_tag(virtual_time, last_finish)
        tag = self._finish[key]
        self._finish[key] = finish_tag(tag)
        return tag


def _known_ids(connection: sqlite3.Connection, jobs: Sequence[NewJob]) -> set[str]:
    """The ids of jobs that are stored already."""
    if len(jobs) == 1:
        is_known = connection.execute(SQL["job_by_id"], (jobs[0].id,)).fetchone() is not None
        return {jobs[0].id} if is_known else set()
    ids = orjson.dumps([job.id for job in jobs])
    return {job_id for (job_id,) in connection.execute(SQL["known_jobs"], (ids,))}
