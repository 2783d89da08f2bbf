"""How attempts go wrong: another try later, or the end of the job."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass

import orjson

from workroom.domain.chat import failure_line
from workroom.domain.job import JobError, JobState
from workroom.domain.retrying import TryAgain
from workroom.stores.sqlite.ledger import Ledger
from workroom.stores.sqlite.statements import SQL

jitter = random.SystemRandom().uniform


@dataclass(frozen=True, slots=True)
class Stopped:
    """A job whose attempt has gone wrong."""

    job: int
    job_id: str
    room: str
    user: str
    version: int
    attempt: int
    extension: int
    lane: str | None


def conclude(
    ledger: Ledger,
    stopped: Stopped,
    verdict: TryAgain | JobError,
    worker: str | None,
    actor: str,
    reason: str,
) -> None:
    if isinstance(verdict, TryAgain):
        due_us = ledger.at_us + int(verdict.delay_s * 1_000_000)
        requeue(ledger, stopped, actor, f"{reason}; again in {verdict.delay_s:.1f} s", due_us=due_us)
    else:
        fail(ledger, stopped, verdict, worker, actor, reason)


def fail(
    ledger: Ledger, stopped: Stopped, error: JobError, worker: str | None, actor: str, reason: str | None
) -> None:
    ledger.connection.execute(SQL["end_job"], (JobState.FAILED, ledger.at_us, stopped.job))
    ledger.connection.execute(SQL["save_outcome"], (stopped.job, None, orjson.dumps(asdict(error))))
    _record(ledger, stopped, JobState.FAILED, worker, actor, reason)
    line = failure_line(stopped.job_id, error.type, error.message)
    ledger.say(stopped.job, stopped.job_id, stopped.room, line)


def requeue(
    ledger: Ledger,
    stopped: Stopped,
    actor: str,
    reason: str,
    *,
    due_us: int | None = None,
    is_loss: bool = False,
) -> None:
    """Back to pending, at its old place; in a backoff it waits in the due index."""
    ready = due_us is None and stopped.lane is None
    ledger.connection.execute(SQL["forget_progress"], (stopped.job,))
    ledger.connection.execute(
        SQL["requeue_job"], {"losses": int(is_loss), "due": due_us, "ready": ready, "seq": stopped.job}
    )
    if due_us is None:
        ledger.step.arrive(stopped.extension)
        ledger.touch(stopped.extension, stopped.lane)
    _record(ledger, stopped, JobState.PENDING, None, actor, reason)


def _record(
    ledger: Ledger, stopped: Stopped, status: JobState, worker: str | None, actor: str, reason: str | None
) -> None:
    ledger.record(
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
    )
