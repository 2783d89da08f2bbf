"""Sessions of workers: open, renew, close; and what sweeps find overdue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from workroom.domain.job import Fence
from workroom.domain.rules import finish, loss
from workroom.domain.rules.breaker import Sign, opened_before
from workroom.domain.rules.failure import job_timeout, worker_lost
from workroom.domain.rules.workers.reconcile import EVERYTHING_SEEN, LiveAttempt, is_reboot, reconcile
from workroom.domain.steps import (
    INLINE_DATA_BYTES,
    Assignment,
    Opened,
    Reconciled,
    Release,
    Revocation,
    Step,
)
from workroom.domain.worker import Hold, Session
from workroom.errors import StaleSession, WorkerNotFound
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.breakers import change_breaker
from workroom.stores.sqlite.verbs.jobs.ending import Stopped, conclude
from workroom.stores.sqlite.verbs.queue.lanes import policy_of
from workroom.stores.sqlite.verbs.step_builder import StepBuilder, extension_key
from workroom.stores.sqlite.verbs.workers import consent


class _Row(NamedTuple):
    """An attempt that occupies a worker, with its job."""

    job: int
    job_id: str
    attempt: int
    token: str
    number: int
    started: int
    job_token: str | None
    status: str
    room: str
    user: str
    version: int
    extension: int
    losses: int
    tries: int
    lane: str | None
    created_us: int
    started_us: int | None
    has_failed: int
    group: str | None
    is_followed: int

    @property
    def is_awaited(self) -> bool:
        return loss.is_awaited(self.status, is_same_token=self.token == self.job_token)

    @property
    def stopped(self) -> Stopped:
        return Stopped(
            self.job,
            self.job_id,
            self.room,
            self.user,
            self.version,
            self.attempt,
            self.extension,
            self.lane,
            self.tries,
            self.created_us,
            self.started_us,
            self.group,
            self.is_followed,
        )

    @property
    def live(self) -> LiveAttempt:
        fence = Fence(self.job_id, self.attempt, self.token)
        return LiveAttempt(fence, self.number, self.is_awaited)


def open_session(
    connection: sqlite3.Connection, at_us: int, worker: str, boot: str, holds: Sequence[Hold], seen: int
) -> Opened:
    """Open a session, which replaces the one before. A new process has lost what the old one held."""
    row = connection.execute(SQL["session_of_worker"], (worker,)).fetchone()
    offers, awaiting = consent.offers(connection, worker), consent.requests(connection, worker)
    if row is None or not (offers or awaiting):
        consent.refuse_dismissed(connection, at_us, worker)
        raise WorkerNotFound()
    number, _, slots, last_boot, _, draining = row
    session = Session(worker, number + 1)
    connection.execute(SQL["open_session"], (session.number, boot, at_us, worker))
    numbers = [row.number for row in attempts_of(connection, worker)]
    has_rebooted = is_reboot(last_boot, boot)
    if has_rebooted:
        reconciled = _reconcile(connection, at_us, worker, (), EVERYTHING_SEEN, is_loss=True)
        reconciled = replace(reconciled, drop=tuple(hold.fence for hold in holds))
    else:
        reconciled = _reconcile(connection, at_us, worker, holds, seen)
    return Opened(
        session,
        slots,
        offers,
        reconciled,
        max([*numbers, 0 if has_rebooted else seen]),
        bool(draining),
        awaiting,
    )


def renew(
    connection: sqlite3.Connection, at_us: int, session: Session, holds: Sequence[Hold], seen: int
) -> Reconciled:
    row = connection.execute(SQL["session_of_worker"], (session.worker,)).fetchone()
    if row is None or not is_serving(connection, session.worker):
        consent.refuse_dismissed(connection, at_us, session.worker)
        raise WorkerNotFound()
    if row[0] != session.number:
        raise StaleSession()
    return _reconcile(connection, at_us, session.worker, holds, seen)


def close_worker(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    reason: str,
    *,
    linger_us: int = 0,
    is_loss: bool = False,
) -> Step:
    """Give back or lose the worker's attempts, and end its offers.

    A lost worker may return: if it was draining, it still is. Extensions that nobody else offers linger.
    """
    builder = StepBuilder(connection, at_us)
    offers = _offers(connection, worker)
    was_serving = is_serving(connection, worker)
    served = (
        orjson.dumps(connection.execute(SQL["offered_keys"], (worker,)).fetchall()).decode()
        if offers
        else None
    )
    held = attempts_of(connection, worker)
    lose(builder, worker, held, reason, is_loss=is_loss)
    connection.execute(SQL["clear_offers"], (worker,))
    connection.execute(SQL["clear_requests"], (worker,))
    connection.execute(SQL["close_worker"], (is_loss, at_us, served, worker))
    builder.depart(offers, linger_us)
    builder.retire([*offers, *(row.extension for row in held)])
    if was_serving:
        builder.step.offline.append(worker)
    return builder.build()


def is_serving(connection: sqlite3.Connection, worker: str) -> bool:
    return connection.execute(SQL["is_serving"], {"worker": worker}).fetchone() is not None


def startable(connection: sqlite3.Connection, seconds: float) -> dict[str, tuple[float, tuple[str, _Row]]]:
    """Attempts that a worker with a free slot has not started, by token, with the seconds they have.

    A job that waits for a free slot is not late.
    """
    found = connection.execute(SQL["startable_attempts"]).fetchall()
    rows = [(worker, _Row(*columns)) for worker, *columns in found]
    return {row.token: (seconds, (worker, row)) for worker, row in rows}


def give_back(connection: sqlite3.Connection, at_us: int, overdue: Sequence[tuple[str, _Row]]) -> Step:
    """Requeue jobs whose assignments were not started in time."""
    builder = StepBuilder(connection, at_us)
    for worker, row in overdue:
        lose(builder, worker, [row], "start deadline", is_loss=True)
        builder.step.revoked.append(Revocation(worker, row.job_id, row.attempt, "start deadline"))
    builder.retire(row.extension for _, row in overdue)
    return builder.build()


def _offers(connection: sqlite3.Connection, worker: str) -> tuple[int, ...]:
    return tuple(extension for (extension,) in connection.execute(SQL["offers_of_worker"], (worker,)))


def attempts_of(connection: sqlite3.Connection, worker: str) -> list[_Row]:
    return [_Row(*row) for row in connection.execute(SQL["attempts_of_worker"], (worker,)).fetchall()]


def _reconcile(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    holds: Sequence[Hold],
    seen: int,
    *,
    is_loss: bool = False,
) -> Reconciled:
    builder = StepBuilder(connection, at_us)
    rows = {row.live: row for row in attempts_of(connection, worker)}
    found = reconcile(rows, holds, seen)
    gone = [rows[attempt] for attempt in found.lose]
    lose(builder, worker, gone, "not held by its worker", is_loss=is_loss)
    builder.retire(row.extension for row in gone)
    return Reconciled(
        keep=[attempt.fence for attempt in (*found.keep, *found.resend)],
        drop=found.drop,
        cancel=found.cancel,
        resend=[_assignment_again(connection, worker, rows[attempt]) for attempt in found.resend],
        step=builder.build(),
    )


def lose(builder: StepBuilder, worker: str, rows: Iterable[_Row], reason: str, *, is_loss: bool) -> None:
    """Release attempts that their worker no longer has, and decide about the jobs that wait for them."""
    for row in rows:
        builder.connection.execute(SQL["end_attempt"], (worker, row.job, row.attempt))
        builder.step.released.append(Release(worker, row.job_id, row.attempt))
        builder.recheck_lane(row.extension, row.lane)
        change_breaker(builder, row.extension, Sign.NONE, row.token)
        fate = loss.decide(
            is_awaited=row.is_awaited,
            is_started=bool(row.started),
            losses=row.losses,
            is_loss=is_loss,
            retries=builder.policy(row.extension).retries,
            tries=row.tries,
        )
        error = worker_lost(worker)
        conclude(builder, row.stopped, fate, error, worker, "server", reason, is_loss=is_loss)


def limited(connection: sqlite3.Connection) -> dict[str, tuple[float, tuple[str, _Row, float]]]:
    """Running attempts that have a timeout, by token, with the seconds they have."""
    found = connection.execute(SQL["limited_attempts"]).fetchall()
    return {
        row.token: (timeout, (worker, row, timeout)) for timeout, worker, row in map(_with_timeout, found)
    }


def _with_timeout(columns: tuple[Any, ...]) -> tuple[float, str, _Row]:
    return columns[0], columns[1], _Row(*columns[2:])


def time_out(connection: sqlite3.Connection, at_us: int, overdue: Sequence[tuple[str, _Row, float]]) -> Step:
    """End jobs past their timeout. Their attempts occupy their workers until those confirm."""
    builder = StepBuilder(connection, at_us)
    for worker, row, timeout in overdue:
        policy = builder.policy(row.extension)
        ending = finish.after_timeout(
            policy.retry_on, policy.retries, row.tries, has_failed=bool(row.has_failed)
        )
        change_breaker(builder, row.extension, ending.sign, row.token)
        error = job_timeout(timeout)
        conclude(builder, row.stopped, ending.fate, error, worker, "server", "timeout", is_failure=True)
        builder.step.revoked.append(Revocation(worker, row.job_id, row.attempt, "timeout"))
    return builder.build()


def wake_due(connection: sqlite3.Connection, at_us: int) -> Step:
    """Requeue jobs whose backoff is over, and wake extensions whose breaker admits a trial."""
    builder = StepBuilder(connection, at_us)
    for job, extension, lane in connection.execute(SQL["due_jobs"], (at_us,)).fetchall():
        connection.execute(SQL["make_due"], (lane is None, job))
        builder.recheck_lane(extension, lane)
        if lane is None:
            builder.step.arrive(extension)
    (next_due_us,) = connection.execute(SQL["next_due"]).fetchone()
    builder.step.wake_in(None if next_due_us is None else (next_due_us - at_us) / 1_000_000)
    for (extension,) in connection.execute(SQL["extensions_to_try"], (opened_before(at_us),)).fetchall():
        builder.step.arrive(extension)
    return builder.build()


def _assignment_again(connection: sqlite3.Connection, worker: str, row: _Row) -> Assignment:
    room, user, data, secrets, trace, extension, *key = connection.execute(
        SQL["assignment_again"], (INLINE_DATA_BYTES, row.job)
    ).fetchone()
    timeout = policy_of(connection, extension).timeout
    place = (worker, extension, extension_key(*key), room, user)
    return Assignment(row.live.fence, row.number, *place, data, timeout, secrets, trace)
