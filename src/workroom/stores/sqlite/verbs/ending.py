"""Applies verdicts about jobs whose attempts ended without a result."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass

import orjson

from workroom.domain.job import JobError, JobState
from workroom.domain.rules.failure import failure_line, retries_exhausted, retry_reason
from workroom.domain.rules.retry import Fate, backoff_s
from workroom.stores.sqlite.statements import SQL
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
    if due_us is None:
        builder.step.arrive(stopped.extension)
        builder.recheck_lane(stopped.extension, stopped.lane)
    _record(builder, stopped, JobState.PENDING, None, actor, reason)


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
