"""Workers come, beat and go."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from workroom.domain.breaker import BREAK_US, Breaker
from workroom.domain.job import TERMINAL, Fence, JobState, job_timeout, worker_lost
from workroom.domain.reconciliation import LiveAttempt, reconcile
from workroom.domain.retrying import after_error, after_loss
from workroom.domain.steps import Assignment, Offer, Opened, Reconciled, Release, Revocation, Step
from workroom.domain.worker import Hold, Session
from workroom.errors import StaleSession, WorkerNotFound
from workroom.stores.sqlite.breakers import change_breaker, end_trial
from workroom.stores.sqlite.claiming import INLINE_DATA_BYTES
from workroom.stores.sqlite.ending import Stopped, conclude, fail, jitter, requeue
from workroom.stores.sqlite.lanes import policy_of
from workroom.stores.sqlite.ledger import Ledger, extension_key
from workroom.stores.sqlite.statements import SQL

MAX_LOSSES = 5
_EVERYTHING = 2**62


class _Row(NamedTuple):
    """An attempt that takes up a worker, with the job it belongs to."""

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

    @property
    def current(self) -> bool:
        """Does the job still wait for the outcome of this attempt?"""
        return self.token == self.job_token and JobState(self.status) not in TERMINAL

    @property
    def stopped(self) -> Stopped:
        return Stopped(
            self.job, self.job_id, self.room, self.user, self.version, self.attempt, self.extension, self.lane
        )

    @property
    def live(self) -> LiveAttempt:
        fence = Fence(self.job_id, self.attempt, self.token)
        return LiveAttempt(fence, self.number, bool(self.started), self.current)


def open_session(
    connection: sqlite3.Connection, at_us: int, worker: str, boot: str, holds: Sequence[Hold], seen: int
) -> Opened:
    """The newest session wins. A new boot has lost everything the old one held, whatever it says it holds."""
    row = connection.execute(SQL["session_of_worker"], (worker,)).fetchone()
    offers = [
        Offer(extension, room or None)
        for extension, room in connection.execute(SQL["offers_with_room"], (worker,))
    ]
    if row is None or not offers:
        raise WorkerNotFound()
    number, _, slots, last_boot, _, draining = row
    session = Session(worker, number + 1)
    connection.execute(SQL["open_session"], (session.number, boot, at_us, worker))
    numbers = [row.number for row in _attempts(connection, worker)]
    is_reboot = last_boot is not None and last_boot != boot
    if is_reboot:
        reconciled = _reconcile(connection, at_us, worker, (), _EVERYTHING, is_loss=True)
        reconciled = replace(reconciled, drop=tuple(hold.fence for hold in holds))
    else:
        reconciled = _reconcile(connection, at_us, worker, holds, seen)
    return Opened(
        session, slots, offers, reconciled, max([*numbers, 0 if is_reboot else seen]), bool(draining)
    )


def renew(
    connection: sqlite3.Connection, at_us: int, session: Session, holds: Sequence[Hold], seen: int
) -> Reconciled:
    row = connection.execute(SQL["session_of_worker"], (session.worker,)).fetchone()
    if row is None or not _offers(connection, session.worker):
        raise WorkerNotFound()
    if row[0] != session.number:
        raise StaleSession()
    return _reconcile(connection, at_us, session.worker, holds, seen)


def close_worker(
    connection: sqlite3.Connection, at_us: int, worker: str, reason: str, *, is_loss: bool = False
) -> Step:
    """Everything the worker held is given back or lost; it offers nothing any more."""
    ledger = Ledger(connection, at_us)
    offers = _offers(connection, worker)
    held = _attempts(connection, worker)
    _lose(ledger, worker, held, reason, is_loss=is_loss)
    connection.execute(SQL["clear_offers"], (worker,))
    connection.execute(SQL["close_worker"], (at_us, worker))
    ledger.retire([*offers, *(row.extension for row in held)])
    if offers:
        ledger.step.offline.append(worker)
    return ledger.close()


def startable(connection: sqlite3.Connection, seconds: float) -> dict[str, tuple[float, tuple[str, _Row]]]:
    """Attempts that a worker with a free slot has not started, by token, with the seconds they have.

    A job behind a long one is not late.
    """
    found = connection.execute(SQL["startable_attempts"]).fetchall()
    rows = [(worker, _Row(*columns)) for worker, *columns in found]
    return {row.token: (seconds, (worker, row)) for worker, row in rows}


def give_back(connection: sqlite3.Connection, at_us: int, overdue: Sequence[tuple[str, _Row]]) -> Step:
    """Assignments that were never started in time go back to the queue."""
    ledger = Ledger(connection, at_us)
    for worker, row in overdue:
        _lose(ledger, worker, [row], "start deadline", is_loss=True)
        ledger.step.revoked.append(Revocation(worker, row.job_id, row.attempt, "start deadline"))
    ledger.retire(row.extension for _, row in overdue)
    return ledger.close()


def _offers(connection: sqlite3.Connection, worker: str) -> tuple[int, ...]:
    return tuple(extension for (extension,) in connection.execute(SQL["offers_of_worker"], (worker,)))


def _attempts(connection: sqlite3.Connection, worker: str) -> list[_Row]:
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
    ledger = Ledger(connection, at_us)
    rows = {row.live: row for row in _attempts(connection, worker)}
    verdict = reconcile(rows, holds, seen)
    gone = [rows[attempt] for attempt in (*verdict.missing, *verdict.ended)]
    _lose(ledger, worker, gone, "not held by its worker", is_loss=is_loss)
    ledger.retire(row.extension for row in gone)
    return Reconciled(
        keep=[attempt.fence for attempt in (*verdict.keep, *verdict.resend)],
        drop=verdict.drop,
        cancel=verdict.cancel,
        resend=[_assignment_again(connection, worker, rows[attempt]) for attempt in verdict.resend],
        step=ledger.close(),
    )


def _lose(ledger: Ledger, worker: str, rows: Iterable[_Row], reason: str, *, is_loss: bool) -> None:
    """What was started is lost with its worker; what was not is given back, and only a loss is counted."""
    for row in rows:
        ledger.connection.execute(SQL["end_attempt"], (worker, row.job, row.attempt))
        ledger.step.released.append(Release(worker, row.job_id, row.attempt))
        ledger.touch(row.extension, row.lane)
        end_trial(ledger, row.extension, row.token)
        if row.current:
            _decide(ledger, worker, row, reason, is_loss=is_loss)


def _decide(ledger: Ledger, worker: str, row: _Row, reason: str, *, is_loss: bool) -> None:
    if row.started:
        policy = ledger.policy(row.extension)
        verdict = after_loss(policy, row.tries, worker, jitter(-1, 1))
        conclude(ledger, row.stopped, verdict, worker, "server", reason)
    elif row.losses + is_loss >= MAX_LOSSES:
        fail(ledger, row.stopped, worker_lost(worker), worker, "server", reason)
    else:
        requeue(ledger, row.stopped, "server", reason, is_loss=is_loss)


def limited(connection: sqlite3.Connection) -> dict[str, tuple[float, tuple[str, _Row]]]:
    """Attempts that run and may not run for ever, by token, with the seconds they have."""
    found = connection.execute(SQL["limited_attempts"]).fetchall()
    return {row.token: (timeout, (worker, row)) for timeout, worker, row in map(_with_timeout, found)}


def _with_timeout(columns: tuple[Any, ...]) -> tuple[float, str, _Row]:
    return columns[0], columns[1], _Row(*columns[2:])


def time_out(connection: sqlite3.Connection, at_us: int, overdue: Sequence[tuple[str, _Row]]) -> Step:
    """Jobs past their timeout end; their attempts take up their workers until those confirm."""
    ledger = Ledger(connection, at_us)
    for worker, row in overdue:
        policy = ledger.policy(row.extension)
        verdict = after_error(policy, row.tries, job_timeout(policy.timeout), jitter(-1, 1))
        change = partial(Breaker.after_failure, token=row.token, now_us=at_us)
        change_breaker(ledger, row.extension, change)
        conclude(ledger, row.stopped, verdict, worker, "server", "timeout")
        ledger.step.revoked.append(Revocation(worker, row.job_id, row.attempt, "timeout"))
    return ledger.close()


def wake_due(connection: sqlite3.Connection, at_us: int) -> Step:
    """Jobs whose backoff is over wait again with the others; breakers whose break is over let one try."""
    ledger = Ledger(connection, at_us)
    for job, extension, lane in connection.execute(SQL["due_jobs"], (at_us,)).fetchall():
        connection.execute(SQL["make_due"], (lane is None, job))
        ledger.touch(extension, lane)
        if lane is None:
            ledger.step.arrive(extension)
    for (extension,) in connection.execute(SQL["extensions_to_try"], (at_us - BREAK_US,)).fetchall():
        ledger.step.arrive(extension)
    return ledger.close()


def _assignment_again(connection: sqlite3.Connection, worker: str, row: _Row) -> Assignment:
    room, user, data, extension, *key = connection.execute(
        SQL["assignment_again"], (INLINE_DATA_BYTES, row.job)
    ).fetchone()
    timeout = policy_of(connection, extension).timeout
    return Assignment(
        row.live.fence, row.number, worker, extension, extension_key(*key), room, user, data, timeout
    )
