"""Jobs go out to workers."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

import orjson

from workroom.domain.breaker import BREAK_US
from workroom.domain.job import Fence, JobState
from workroom.domain.steps import Assignment, Claimed, Seat
from workroom.domain.worker import Session
from workroom.stores.sqlite.breakers import change_breaker
from workroom.stores.sqlite.lanes import parsed_policy
from workroom.stores.sqlite.ledger import Ledger, extension_key
from workroom.stores.sqlite.statements import SQL

INLINE_DATA_BYTES = 64 * 1024
_TOKEN_BYTES = 16


class _Candidate(NamedTuple):
    rank: int
    tag: float
    sequence: int
    extension: int
    is_trial: bool = False


def claim(
    connection: sqlite3.Connection, at_us: int, seats: Sequence[Seat], numbers: dict[str, int]
) -> Claimed:
    """`numbers` has the last assignment number of each worker; gaps in it do no harm."""
    ledger = Ledger(connection, at_us)
    assignments: list[Assignment] = []
    before_us = at_us - BREAK_US
    served: dict[int, float] = {}
    given: defaultdict[str, set[int]] = defaultdict(set)
    sessions = {seat.session for seat in seats}
    exhausted = {session.worker for session in sessions if not _is_current(connection, session)}
    for seat in seats:
        worker = seat.session.worker
        if worker in exhausted or (seat.only is not None and not given[worker] <= seat.only):
            continue
        best = _best(connection, seat, before_us)
        if len(best) < seat.jobs and seat.only is None:
            exhausted.add(worker)
        for candidate, found in zip(best, _details(connection, best), strict=True):
            numbers[worker] = numbers.get(worker, 0) + 1
            given[worker].add(candidate.extension)
            served[candidate.rank] = max(candidate.tag, served.get(candidate.rank, 0.0))
            assignments.append(_assign(ledger, candidate, found, worker, numbers[worker]))
        ledger.flush()
    connection.executemany(SQL["save_share"], [(rank, "", tag) for rank, tag in served.items()])
    return Claimed(assignments, ledger.close())


def _is_current(connection: sqlite3.Connection, session: Session) -> bool:
    row = connection.execute(SQL["session_of_worker"], (session.worker,)).fetchone()
    return row is not None and row[0] == session.number and bool(row[1]) and not row[5]


def _best(connection: sqlite3.Connection, seat: Seat, opened_before_us: int) -> list[_Candidate]:
    query = {"worker": seat.session.worker, "opened_before": opened_before_us}
    heads = [
        _Candidate(rank, tag, sequence, extension, bool(is_trial))
        for sequence, extension, rank, tag, is_trial in connection.execute(SQL["heads_for_worker"], query)
        if seat.only is None or (extension in seat.only and not is_trial)
    ]
    if (seat.jobs == 1 and seat.only is None) or not heads:
        return sorted(heads)[: seat.jobs]
    queues = [[head] if head.is_trial else _queue(connection, head.extension, seat) for head in heads]
    return list(islice(merge(*queues), seat.jobs))


def _queue(connection: sqlite3.Connection, extension: int, seat: Seat) -> list[_Candidate]:
    """What is fetched ahead never holds a lane's place."""
    sql = SQL["best_of_extension"] if seat.only is None else SQL["best_without_lane"]
    rows = connection.execute(sql, (extension, seat.jobs)).fetchall()
    return [_Candidate(rank, tag, sequence, ext) for sequence, ext, rank, tag in rows]


def _details(connection: sqlite3.Connection, candidates: Sequence[_Candidate]) -> list[tuple[Any, ...]]:
    """What is to be told of each, in this order."""
    if not candidates:
        return []
    if len(candidates) == 1:
        values = (INLINE_DATA_BYTES, candidates[0].sequence)
        return connection.execute(SQL["job_for_assignment"], values).fetchall()
    jobs = orjson.dumps([candidate.sequence for candidate in candidates])
    return connection.execute(SQL["jobs_for_assignment"], (INLINE_DATA_BYTES, jobs)).fetchall()


def _assign(
    ledger: Ledger, candidate: _Candidate, found: tuple[Any, ...], worker: str, number: int
) -> Assignment:
    job, extension = candidate.sequence, candidate.extension
    job_id, room, user, data, attempt, version, lane, *where, policy = found
    fence = Fence(job_id, attempt + 1, os.urandom(_TOKEN_BYTES).hex())
    ledger.later("assign_job", fence.attempt, fence.token, worker, ledger.at_us, job)
    ledger.later("insert_attempt", job, fence.attempt, fence.token, worker, extension, number, lane)
    if candidate.is_trial:
        change_breaker(ledger, extension, lambda breaker: breaker.trying(fence.token))
    ledger.record(
        job, job_id, room, user, version + 1, JobState.ASSIGNED, fence.attempt, worker, "dispatcher"
    )
    timeout = parsed_policy(policy).timeout
    return Assignment(fence, number, worker, extension, extension_key(*where), room, user, data, timeout)
