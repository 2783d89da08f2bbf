"""Jobs go out to workers."""

from __future__ import annotations

import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import merge
from itertools import islice
from typing import NamedTuple

from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Assignment, Claimed, Seat
from workroom.domain.worker import Session
from workroom.stores.sqlite.ledger import Ledger, extension_key
from workroom.stores.sqlite.statements import SQL

INLINE_DATA_BYTES = 64 * 1024


class _Candidate(NamedTuple):
    rank: int
    tag: float
    sequence: int
    extension: int


def claim(
    connection: sqlite3.Connection, at_us: int, seats: Sequence[Seat], numbers: dict[str, int]
) -> Claimed:
    """`numbers` has the last assignment number of each worker; gaps in it do no harm."""
    ledger = Ledger(connection, at_us)
    assignments: list[Assignment] = []
    served: dict[int, float] = {}
    given: defaultdict[str, set[int]] = defaultdict(set)
    exhausted = {seat.session.worker for seat in seats if not _is_current(connection, seat.session)}
    for seat in seats:
        worker = seat.session.worker
        if worker in exhausted or (seat.only is not None and not given[worker] <= seat.only):
            continue
        best = _best(connection, seat)
        if len(best) < seat.jobs and seat.only is None:
            exhausted.add(worker)
        for candidate in best:
            numbers[worker] = numbers.get(worker, 0) + 1
            given[worker].add(candidate.extension)
            served[candidate.rank] = max(candidate.tag, served.get(candidate.rank, 0.0))
            assignments.append(_assign(ledger, candidate, worker, numbers[worker]))
    connection.executemany(SQL["save_share"], [(rank, "", tag) for rank, tag in served.items()])
    return Claimed(assignments, ledger.close())


def _is_current(connection: sqlite3.Connection, session: Session) -> bool:
    row = connection.execute(SQL["session_of_worker"], (session.worker,)).fetchone()
    return row is not None and row[0] == session.number and bool(row[1])


def _best(connection: sqlite3.Connection, seat: Seat) -> list[_Candidate]:
    heads = [
        _Candidate(rank, tag, sequence, extension)
        for sequence, extension, rank, tag in connection.execute(
            SQL["heads_for_worker"], (seat.session.worker,)
        )
        if seat.only is None or extension in seat.only
    ]
    if seat.jobs == 1 or not heads:
        return sorted(heads)[: seat.jobs]
    queues = [_queue(connection, head.extension, seat.jobs) for head in heads]
    return list(islice(merge(*queues), seat.jobs))


def _queue(connection: sqlite3.Connection, extension: int, wanted: int) -> Iterable[_Candidate]:
    rows = connection.execute(SQL["best_of_extension"], (extension, wanted)).fetchall()
    return [_Candidate(rank, tag, sequence, ext) for sequence, ext, rank, tag in rows]


def _assign(ledger: Ledger, candidate: _Candidate, worker: str, number: int) -> Assignment:
    connection, job = ledger.connection, candidate.sequence
    job_id, room, user, data, attempt, version, *key = connection.execute(
        SQL["job_for_assignment"], (INLINE_DATA_BYTES, job)
    ).fetchone()
    fence = Fence(job_id, attempt + 1, secrets.token_urlsafe(16))
    connection.execute(SQL["assign_job"], (fence.attempt, fence.token, worker, ledger.at_us, job))
    connection.execute(
        SQL["insert_attempt"], (job, fence.attempt, fence.token, worker, candidate.extension, number)
    )
    ledger.record(
        job, job_id, room, user, version + 1, JobState.ASSIGNED, fence.attempt, worker, "dispatcher"
    )
    return Assignment(fence, number, worker, candidate.extension, extension_key(*key), room, user, data)
