"""Stores submitted jobs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from workroom.domain.job import JobState, replaced_by, submitted_by
from workroom.domain.jobs.group import ChangedGroup
from workroom.domain.jobs.group_ids import is_group_id
from workroom.domain.rules.queue import unique
from workroom.domain.rules.queue.fair_share import finish_tag, rank, start_tag
from workroom.domain.rules.queue.grouping import JoinVerdict, join
from workroom.domain.rules.queue.postponing import NEVER_US
from workroom.domain.rules.queue.unique import UniqueVerdict
from workroom.domain.rules.refusals import duplicate_job, group_closed, schema_changed
from workroom.domain.rules.upkeep import KEY_LIFETIME_US
from workroom.domain.steps import Idempotency, NewJob, Postponement, Step
from workroom.errors import (
    ExtensionNotFound,
    GroupNotFound,
    GroupOpen,
    IdempotencyConflict,
    JobNotFound,
    RoomNotFound,
    WorkroomError,
)
from workroom.stores.sqlite.directory import require_room
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.groups import following
from workroom.stores.sqlite.verbs.jobs.attempts import cancel_job
from workroom.stores.sqlite.verbs.queue import postponing
from workroom.stores.sqlite.verbs.step_builder import StepBuilder

_Extension = tuple[int, str, str, str, str]
_Earlier = tuple[str, str, int]  # the id, the status and the time of submission
_JOINED = "joined"  # the route under which the id of a submit that joined a job is remembered
_UNCONDITIONAL = Postponement()


class _Group(NamedTuple):
    is_open: bool
    is_paused: bool
    is_cancelled: bool

    def join(self, job: NewJob) -> JoinVerdict:
        return join(**self._asdict(), is_retry=job.retry_of is not None)


def submit(connection: sqlite3.Connection, at_us: int, jobs: Sequence[NewJob]) -> Step:
    builder = StepBuilder(connection, at_us)
    intake = _Intake(connection, at_us, jobs)
    sequence = connection.execute(SQL["last_job"]).fetchone()[0]
    for job in jobs:
        known = intake.known(job)
        refusal = None if known else intake.check(job)
        if job.unique is not None and known is None and refusal is None:
            known, refusal = _compare(builder, intake, job, job.unique)
        builder.step.answers.append(refusal)
        if known is not None:
            builder.step.known[job.id] = known
        elif refusal is None:
            sequence += 1
            is_ready = intake.take(sequence, job)
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
            if is_ready:
                builder.recheck_lane(job.extension_id, job.lane)
                builder.step.arrive(job.extension_id)
    intake.close(builder)
    return builder.build()


def _compare(
    builder: StepBuilder, intake: _Intake, job: NewJob, key: str
) -> tuple[str | None, WorkroomError | None]:
    """The job that the submit joins, or why it is refused, if an earlier job has the same unique key."""
    earlier = intake.earlier(job, key)
    if earlier is None:
        return None, None
    job_id, status, created_us = earlier
    policy = builder.policy(job.extension_id)
    is_recent = builder.at_us < created_us + int((policy.unique_within or 0) * 1_000_000)
    verdict = unique.decide(policy.on_duplicate, status, is_recent=is_recent, states=policy.unique_states)
    if verdict is UniqueVerdict.JOIN:
        intake.join(job, job_id)
        return job_id, None
    if verdict is UniqueVerdict.REPLACE:
        intake.flush(builder)
        cancel_job(builder, job_id, job.user, replaced_by(job.id))
    return None, duplicate_job(job_id) if verdict is UniqueVerdict.REFUSE else None


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
        self._groups: dict[str, _Group | None] = {}
        self._postponed: list[tuple[int, NewJob]] = []
        self._added: list[NewJob] = []  # to groups
        self._jobs: list[tuple[object, ...]] = []
        self._states: list[tuple[object, ...]] = []
        self._latest: dict[tuple[int, str, str], _Earlier] = {}  # of this batch, by unique key

    def check(self, job: NewJob) -> WorkroomError | None:
        """Check again what may have changed since the data was validated."""
        extension = self._extension(job.extension_id)
        if extension is None or not extension[0]:
            return ExtensionNotFound()
        if extension[1] != job.schema_hash:
            return schema_changed()
        if job.idempotency is not None and self._found(job.user, job.idempotency) != (None, None):
            return IdempotencyConflict()
        refusal = None if job.room in self._rooms else self._refused_by_room(job.room)
        if refusal is None and job.group is not None:
            refusal = self._refused_by_group(job, job.group)
        if refusal is None and job.postponed is not None:
            refusal = self._refused_by_arrows(job.room, job.postponed.after)
        return refusal

    def _refused_by_room(self, room: str) -> WorkroomError | None:
        try:
            require_room(self._connection, room)
        except RoomNotFound as refusal:
            return refusal
        self._rooms.add(room)
        return None

    def _refused_by_group(self, job: NewJob, name: str) -> WorkroomError | None:
        if name not in self._groups:
            row = self._connection.execute(SQL["group_for_submit"], (name, job.room)).fetchone()
            self._groups[name] = None if row is None else _Group(*map(bool, row))
        group = self._groups[name]
        if group is None:
            return GroupNotFound()
        return group_closed() if group.join(job) is JoinVerdict.CLOSED else None

    def _refused_by_arrows(self, room: str, after: Sequence[str]) -> WorkroomError | None:
        """What a job waits for must be in its room, and a group closed: else jobs could wait in a circle."""
        for before in after:
            is_group = is_group_id(before)
            statement = SQL["end_of_group" if is_group else "end_of_job"]
            row = self._connection.execute(statement, (before, room)).fetchone()
            if row is None:
                return GroupNotFound() if is_group else JobNotFound()
            if is_group and row[0]:
                return GroupOpen()
        return None

    def _is_paused(self, job: NewJob) -> bool:
        group = None if job.group is None else self._groups[job.group]
        return group is not None and group.join(job) is JoinVerdict.POSTPONE

    def known(self, job: NewJob) -> str | None:
        """The job of a repeated submit, found by id, by replay or by idempotency key."""
        if job.id in self._ids:
            return job.id
        if job.once and (row := self._connection.execute(SQL["replay_of"], (job.retry_of,)).fetchone()):
            return str(row[0])
        joined = None if job.unique is None else self._joined(job.user, job.id)
        if joined is not None or job.idempotency is None:
            return joined
        body_hash, job_id = self._found(job.user, job.idempotency)
        if job_id is None or body_hash != job.idempotency.body_hash:
            return None
        return (None if job.unique is None else self._joined(job.user, job_id)) or job_id

    def _joined(self, user: str, submit_id: str) -> str | None:
        """The job that a submit joined, which had this id and made no job of its own."""
        return self._find(user, _JOINED, submit_id)[1]

    def _found(self, user: str, key: Idempotency) -> tuple[str | None, str | None]:
        """The body hash and the job of the last submit with the same idempotency key."""
        return self._find(user, key.route, key.key)

    def _find(self, user: str, route: str, name: str) -> tuple[str | None, str | None]:
        key = (user, route, name)
        if key not in self._keys:
            values = (*key, self._at_us - KEY_LIFETIME_US)
            row = self._connection.execute(SQL["find_idempotent"], values).fetchone()
            self._keys[key] = row or (None, None)
        return self._keys[key]

    def take(self, sequence: int, job: NewJob) -> bool:
        """Return whether the job is ready: a postponed one takes its place in the queue later."""
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
                job.group,
                job.unique,
                job.trace,
            )
        )
        if job.idempotency is not None:
            self._keep_key(job.user, job.idempotency, job.id)
        if job.unique is not None:
            self._latest[job.extension_id, job.room, job.unique] = (job.id, JobState.PENDING, self._at_us)
        if job.group is not None:
            self._added.append(job)
        job_rank, lane = rank(job.priority), job.lane
        is_ready = job.postponed is None and (job.group is None or not self._is_paused(job))
        place: tuple[object, ...]
        if is_ready:
            place = (self._tag(job_rank, job.user), lane, lane is None, self._at_us)
        else:
            place = (0.0, lane, postponing.POSTPONED, NEVER_US)
            self._postponed.append((sequence, job))
        self._states.append((sequence, job.extension_id, job_rank, *place))
        return is_ready

    def earlier(self, job: NewJob, key: str) -> _Earlier | None:
        """The last job with the same unique key."""
        names = (job.extension_id, job.room, key)
        found: _Earlier | None = self._latest.get(names)
        return found or self._connection.execute(SQL["last_duplicate"], names).fetchone()

    def join(self, job: NewJob, job_id: str) -> None:
        """Let repeats of this submit lead to the same job."""
        self._keep_key(job.user, Idempotency(_JOINED, job.id, ""), job_id)
        if job.idempotency is not None:
            self._keep_key(job.user, job.idempotency, job.id)

    def _keep_key(self, user: str, key: Idempotency, job_id: str) -> None:
        self._new_keys.append((user, key.route, key.key, key.body_hash, job_id, self._at_us))
        self._keys[user, key.route, key.key] = (key.body_hash, job_id)

    def flush(self, builder: StepBuilder) -> None:
        """Write the jobs that were taken so far."""
        self._connection.executemany(SQL["insert_job"], self._jobs)
        self._connection.executemany(SQL["insert_state"], self._states)
        if self._added:
            self._grow_groups(builder)
        if self._postponed:
            self._save_shares()
        for sequence, job in self._postponed:
            postponement = job.postponed or _UNCONDITIONAL
            following.begin(builder, sequence, job.room, postponement, is_paused=self._is_paused(job))
        for written in (self._jobs, self._states, self._added, self._postponed):
            written.clear()

    def close(self, builder: StepBuilder) -> None:
        self.flush(builder)
        execute_many = self._connection.executemany
        execute_many(SQL["save_idempotent"], self._new_keys)
        self._save_shares()
        execute_many(SQL["save_form"], [(*key, data, None) for key, data in self._forms.items()])

    def _save_shares(self) -> None:
        values = [(*key, finish) for key, finish in self._finish.items()]
        self._connection.executemany(SQL["save_share"], values)
        self._finish.clear()

    def _grow_groups(self, builder: StepBuilder) -> None:
        for group in dict.fromkeys(job.group for job in self._added if job.group is not None):
            added = [job for job in self._added if job.group == group]
            retried = sum(job.retry_of is not None for job in added)
            values = {"id": group, "jobs": len(added), "retried": retried}
            room, version = self._connection.execute(SQL["add_to_group"], values).fetchone()
            builder.step.groups.append(ChangedGroup(group, room, version))

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
