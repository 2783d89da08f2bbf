"""Workers come, beat and go."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson

from workroom.domain.job import TERMINAL, Fence, JobError, JobState, worker_lost
from workroom.domain.reconciliation import LiveAttempt, reconcile
from workroom.domain.steps import Assignment, Offer, Opened, Reconciled, Release, Revocation, Step
from workroom.domain.worker import Hold, Session
from workroom.errors import StaleSession, WorkerNotFound
from workroom.stores.sqlite.claiming import INLINE_DATA_BYTES
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
    job_attempt: int
    status: str
    room: str
    user: str
    version: int
    extension: int
    losses: int

    @property
    def current(self) -> bool:
        return self.attempt == self.job_attempt and JobState(self.status) not in TERMINAL

    @property
    def live(self) -> LiveAttempt:
        fence = Fence(self.job_id, self.attempt, self.token)
        return LiveAttempt(fence, self.number, bool(self.started), self.current)


def open_session(
    connection: sqlite3.Connection, at_us: int, worker: str, boot: str, holds: Sequence[Hold], seen: int
) -> Opened:
    """The newest session wins. A new boot has forgotten everything the old one held."""
    row = connection.execute(SQL["session_of_worker"], (worker,)).fetchone()
    offers = [
        Offer(extension, room or None)
        for extension, room in connection.execute(SQL["offers_with_room"], (worker,))
    ]
    if row is None or not offers:
        raise WorkerNotFound()
    number, _, slots, last_boot, _ = row
    session = Session(worker, number + 1)
    connection.execute(SQL["open_session"], (session.number, boot, at_us, worker))
    numbers = [row.number for row in _attempts(connection, worker)]
    is_reboot = last_boot is not None and last_boot != boot
    if is_reboot:
        holds, seen = (), _EVERYTHING
    reconciled = _reconcile(connection, at_us, worker, holds, seen, is_loss=is_reboot)
    return Opened(session, slots, offers, reconciled, max(numbers, default=0 if is_reboot else seen))


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


def startable(connection: sqlite3.Connection) -> dict[str, tuple[str, _Row]]:
    """Attempts that a worker with a free slot has not started, by token."""
    found = connection.execute(SQL["startable_attempts"]).fetchall()
    return {row.token: (worker, row) for worker, row in ((each[0], _Row(*each[1:])) for each in found)}


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
        if not row.current:
            continue
        if row.started or row.losses + is_loss >= MAX_LOSSES:
            _fail(ledger, worker, row, worker_lost(worker), reason)
        else:
            _requeue(ledger, row, reason, is_loss=is_loss)


def _fail(ledger: Ledger, worker: str, row: _Row, error: JobError, reason: str) -> None:
    ledger.connection.execute(SQL["end_job"], (JobState.FAILED, ledger.at_us, row.job))
    ledger.connection.execute(SQL["save_outcome"], (row.job, None, orjson.dumps(error)))
    _record(ledger, row, JobState.FAILED, worker, reason)


def _requeue(ledger: Ledger, row: _Row, reason: str, *, is_loss: bool) -> None:
    """Never started, so it is safe to hand out again; it keeps its place and is charged no try."""
    ledger.connection.execute(SQL["requeue_job"], (int(is_loss), row.job))
    ledger.step.requeued.add(row.extension)
    _record(ledger, row, JobState.PENDING, None, reason)


def _record(ledger: Ledger, row: _Row, status: JobState, worker: str | None, reason: str) -> None:
    ledger.record(
        row.job,
        row.job_id,
        row.room,
        row.user,
        row.version + 1,
        status,
        row.attempt,
        worker,
        "server",
        reason,
    )


def _assignment_again(connection: sqlite3.Connection, worker: str, row: _Row) -> Assignment:
    room, user, data, extension, *key = connection.execute(
        SQL["assignment_again"], (INLINE_DATA_BYTES, row.job)
    ).fetchone()
    return Assignment(row.live.fence, row.number, worker, extension, extension_key(*key), room, user, data)
