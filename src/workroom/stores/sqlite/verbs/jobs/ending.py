"""Applies verdicts about jobs whose attempts ended without a result."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass

import orjson

from workroom.domain.job import JobError, JobState
from workroom.domain.rules.failure import failure_line, retries_exhausted, retry_reason
from workroom.domain.rules.queue.rates import rate_of
from workroom.domain.rules.retry import Fate, backoff_s
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.queue import pacing
from workroom.stores.sqlite.verbs.queue.postponing import pause
from workroom.stores.sqlite.verbs.step_builder import StepBuilder

jitter = random.SystemRandom().uniform


@dataclass(frozen=True, slots=True)
class Stopped:
    """A job whose attempt ended without a result."""

    job: int
    job_id: str
    room: str
    user: str
    version: int
    attempt: int
    extension: int
    lane: str | None
    tries: int
    created_us: int
    started_us: int | None
    group: str | None
    is_followed: int


def conclude(
    builder: StepBuilder,
    stopped: Stopped,
    fate: Fate,
    error: JobError,
    worker: str | None,
    actor: str,
    reason: str,
    *,
    is_loss: bool = False,
    is_failure: bool = False,
) -> None:
    """Apply what the rules decided about a job whose attempt ended with `error`."""
    if fate is Fate.RETRY:
        delay_s = backoff_s(stopped.tries, jitter(-1, 1))
        builder.step.wake_in(delay_s)
        due_us = builder.at_us + int(delay_s * 1_000_000)
        requeue(builder, stopped, actor, retry_reason(reason, delay_s), due_us=due_us, is_failure=is_failure)
    elif fate is Fate.REQUEUE:
        requeue(builder, stopped, actor, reason, is_loss=is_loss)
    elif fate is Fate.GIVE_UP:
        retries = builder.policy(stopped.extension).retries
        fail(builder, stopped, retries_exhausted(error, retries), worker, actor, reason)
    elif fate is Fate.FAIL:
        fail(builder, stopped, error, worker, actor, reason)


def fail(
    builder: StepBuilder,
    stopped: Stopped,
    error: JobError,
    worker: str | None,
    actor: str,
    reason: str | None,
) -> None:
    builder.connection.execute(SQL["end_job"], (JobState.FAILED, builder.at_us, stopped.job))
    builder.connection.execute(SQL["save_outcome"], (stopped.job, None, orjson.dumps(asdict(error))))
    builder.count_end(stopped.extension, stopped.job, JobState.FAILED, stopped.created_us, stopped.started_us)
    builder.link_end(stopped.job, stopped.job_id, JobState.FAILED, stopped.group, stopped.is_followed)
    _record(builder, stopped, JobState.FAILED, worker, actor, reason)
    line = failure_line(stopped.job_id, error)
    builder.post_chat(stopped.job, stopped.job_id, stopped.room, line)


def requeue(
    builder: StepBuilder,
    stopped: Stopped,
    actor: str,
    reason: str,
    *,
    due_us: int | None = None,
    is_loss: bool = False,
    is_failure: bool = False,
    refunds: bool = False,
) -> None:
    """Make the job pending again, at its old position; during a backoff it waits in the due index.

    With `refunds`, the try is not charged: its code never ran.
    """
    ready = due_us is None and stopped.lane is None
    if due_us is None:
        return_start(builder, stopped.extension, stopped.lane, stopped.job)
    builder.connection.execute(SQL["forget_progress"], (stopped.job,))
    values = {
        "losses": int(is_loss),
        "refunds": int(refunds),
        "failed": is_failure,
        "due": due_us,
        "ready": ready,
        "seq": stopped.job,
    }
    builder.connection.execute(SQL["requeue_job"], values)
    if stopped.group is not None and _is_paused(builder, stopped.group):
        pause(builder, stopped.job, due_us)
    elif due_us is None:
        builder.step.arrive(stopped.extension)
        builder.recheck_lane(stopped.extension, stopped.lane)
    _record(builder, stopped, JobState.PENDING, None, actor, reason)


def _is_paused(builder: StepBuilder, group: str) -> bool:
    return bool(builder.connection.execute(SQL["is_group_paused"], (group,)).fetchone()[0])


def return_start(builder: StepBuilder, extension: int, lane: str | None, job: int) -> None:
    """The code of an attempt never ran: it does not count in the rate of its extension."""
    policy = None if lane is None else builder.policy(extension)
    rate = None if lane is None or policy is None else rate_of(policy, lane)
    if lane is not None and policy is not None and rate is not None:
        (taken_us,) = builder.connection.execute(SQL["assigned_at"], (job,)).fetchone()
        if taken_us is not None:
            pacing.return_start(builder.connection, extension, lane, policy, rate, taken_us)


def _record(
    builder: StepBuilder,
    stopped: Stopped,
    status: JobState,
    worker: str | None,
    actor: str,
    reason: str | None,
) -> None:
    builder.record(
        stopped.job,
        stopped.job_id,
        stopped.room,
        stopped.user,
        stopped.version + 1,
        status,
        stopped.attempt,
        worker,
        actor,
        reason,
        created_us=stopped.created_us,
        started_us=stopped.started_us,
    )
