"""Ending what a worker offers or has requested to offer, against its will."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from workroom.domain.extension import ExtensionKey
from workroom.domain.rules.refusals import no_request
from workroom.domain.steps import Dismissed, Revocation, Step
from workroom.errors import WorkerNotFound
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.step_builder import StepBuilder, extension_key
from workroom.stores.sqlite.verbs.workers import consent
from workroom.stores.sqlite.verbs.workers.sessions import attempts_of, close_worker, is_serving, lose


def dismiss(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    rooms: Collection[str | None] | None,
    by: str,
    reason: str,
    *,
    bans: bool,
) -> Dismissed:
    """End the worker's offers and requests in these rooms, or in all rooms."""
    row = connection.execute(SQL["session_of_worker"], (worker,)).fetchone()
    if row is None:
        raise WorkerNotFound()
    offered = [key for key in _keys(connection, worker) if rooms is None or key[1].room in rooms]
    requested = [each.key for each in consent.requests(connection, worker)]
    requested = [key for key in requested if rooms is None or key.room in rooms]
    step = _withdraw(connection, at_us, worker, [extension for extension, _ in offered], reason)
    consent.delete_requests(connection, worker, requested)
    ended = [*(key for _, key in offered), *requested]
    if bans:
        consent.ban(connection, at_us, {key.room for key in ended}, row[4])
    return _dismissed(connection, at_us, worker, ended, step, by, reason)


def refuse(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    keys: Collection[ExtensionKey],
    by: str,
    reason: str,
) -> Dismissed:
    """Refuse the worker's requests for these extensions."""
    requested = [each.key for each in consent.requests(connection, worker) if each.key in keys]
    if not requested:
        raise no_request()
    consent.delete_requests(connection, worker, requested)
    return _dismissed(connection, at_us, worker, requested, Step(), by, reason)


def _dismissed(
    connection: sqlite3.Connection,
    at_us: int,
    worker: str,
    ended: Sequence[ExtensionKey],
    step: Step,
    by: str,
    reason: str,
) -> Dismissed:
    is_over = not is_serving(connection, worker)
    if is_over:
        step.absorb(close_worker(connection, at_us, worker, reason))
        step.offline.append(worker)
        consent.record_dismissal(connection, at_us, worker, by, reason)
    return Dismissed(ended, is_over, consent.seating(connection, worker), step)


def _withdraw(
    connection: sqlite3.Connection, at_us: int, worker: str, extensions: Sequence[int], reason: str
) -> Step:
    """End these offers, and the worker's attempts at their jobs."""
    builder = StepBuilder(connection, at_us)
    held = [row for row in attempts_of(connection, worker) if row.extension in extensions]
    lose(builder, worker, held, reason, is_loss=False)
    builder.step.revoked += [Revocation(worker, row.job_id, row.attempt, reason) for row in held]
    connection.executemany(SQL["delete_offer"], [(worker, extension) for extension in extensions])
    builder.depart(extensions, is_withdrawn=True)
    builder.retire(extensions)
    return builder.build()


def _keys(connection: sqlite3.Connection, worker: str) -> list[tuple[int, ExtensionKey]]:
    found = connection.execute(SQL["offers_with_key"], (worker,)).fetchall()
    return [(extension, extension_key(*key)) for extension, *key in found]
