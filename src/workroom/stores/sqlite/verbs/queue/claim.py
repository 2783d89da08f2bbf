"""Assigns jobs to workers."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

import orjson

from workroom.domain.job import Fence, JobState
from workroom.domain.rules.breaker import opened_before
from workroom.domain.rules.queue.rates import rate_of
from workroom.domain.schema.masking import marked
from workroom.domain.steps import INLINE_DATA_BYTES, Assignment, Claimed, Seat
from workroom.domain.worker import Session
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.breakers import breaker_of, save_breaker
from workroom.stores.sqlite.verbs.queue.lanes import parsed_policy
from workroom.stores.sqlite.verbs.queue.pacing import take_start
from workroom.stores.sqlite.verbs.step_builder import StepBuilder, extension_key

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
    """`numbers` has the last assignment number of each worker; gaps are harmless."""
    builder = StepBuilder(connection, at_us)
    assignments: list[Assignment] = []
    before_us = opened_before(at_us)
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
            assignments.append(_assign(builder, candidate, found, worker, numbers[worker]))
        builder.flush()
    return Claimed(assignments, builder.build())


def _is_current(connection: sqlite3.Connection, session: Session) -> bool:
    row = connection.execute(SQL["session_of_worker"], (session.worker,)).fetchone()
    return row is not None and row[0] == session.number and bool(row[1]) and not row[5]


def _best(connection: sqlite3.Connection, seat: Seat, opened_before_us: int) -> list[_Candidate]:
    if seat.parents:
        return _children(connection, seat, opened_before_us)
    query = {"worker": seat.session.worker, "opened_before": opened_before_us}
    heads = [
        _Candidate(rank, tag, sequence, extension, bool(is_trial))
        for sequence, extension, rank, tag, is_trial in connection.execute(SQL["heads_for_worker"], query)
        if seat.only is None or (extension in seat.only and not is_trial)
    ]
    heads = [_trial(connection, head) if head.is_trial else head for head in heads]
    if (seat.jobs == 1 and seat.only is None) or not heads:
        return sorted(heads)[: seat.jobs]
    queues = [[head] if head.is_trial else _queue(connection, head.extension, seat) for head in heads]
    return list(islice(merge(*queues), seat.jobs))


def _children(connection: sqlite3.Connection, seat: Seat, opened_before_us: int) -> list[_Candidate]:
    """At most one: claims of children are rare."""
    for parent in seat.parents:
        query = {"worker": seat.session.worker, "opened_before": opened_before_us, "parent": parent}
        row = connection.execute(SQL["child_for_worker"], query).fetchone()
        if row is not None:
            sequence, extension, rank, tag, is_trial = row
            return [_Candidate(rank, tag, sequence, extension, bool(is_trial))]
    return []


def _trial(connection: sqlite3.Connection, head: _Candidate) -> _Candidate:
    """The best job that has not failed before; the head of the queue if there is none."""
    row = connection.execute(SQL["trial_of_extension"], {"extension": head.extension}).fetchone()
    return head if row is None else _Candidate(row[2], row[3], row[0], head.extension, is_trial=True)


def _queue(connection: sqlite3.Connection, extension: int, seat: Seat) -> list[_Candidate]:
    """Prefetched jobs never occupy a place in a lane."""
    sql = SQL["best_of_extension"] if seat.only is None else SQL["best_without_lane"]
    rows = connection.execute(sql, (extension, seat.jobs)).fetchall()
    return [_Candidate(rank, tag, sequence, ext) for sequence, ext, rank, tag in rows]


def _details(connection: sqlite3.Connection, candidates: Sequence[_Candidate]) -> list[tuple[Any, ...]]:
    """The row of each candidate, in order."""
    if not candidates:
        return []
    if len(candidates) == 1:
        values = (INLINE_DATA_BYTES, candidates[0].sequence)
        return connection.execute(SQL["job_for_assignment"], values).fetchall()
    jobs = orjson.dumps([candidate.sequence for candidate in candidates])
    return connection.execute(SQL["jobs_for_assignment"], (INLINE_DATA_BYTES, jobs)).fetchall()


def _assign(
    builder: StepBuilder, candidate: _Candidate, found: tuple[Any, ...], worker: str, number: int
) -> Assignment:
    job, extension = candidate.sequence, candidate.extension
    job_id, room, user, data, secrets, trace, created_us, attempt, version, lane, *where, text = found
    policy = parsed_policy(text)
    token = os.urandom(_TOKEN_BYTES).hex()
    fence = Fence(job_id, attempt + 1, token if secrets is None else marked(token))
    builder.defer("assign_job", fence.attempt, fence.token, worker, builder.at_us, job)
    builder.defer("insert_attempt", job, fence.attempt, fence.token, worker, extension, number, lane)
    rate = None if lane is None else rate_of(policy, lane)
    if lane is not None and rate is not None:
        take_start(builder.connection, extension, lane, policy, rate, builder.at_us)
        builder.recheck_lane(extension, lane)
    if candidate.is_trial:
        save_breaker(builder, extension, breaker_of(builder, extension).trying(fence.token))
        builder.recheck_lane(extension, lane)  # it may have overtaken one that failed before
    builder.record(
        job,
        job_id,
        room,
        user,
        version + 1,
        JobState.ASSIGNED,
        fence.attempt,
        worker,
        "dispatcher",
        created_us=created_us,
    )
    key = extension_key(*where)
    return Assignment(fence, number, worker, extension, key, room, user, data, policy.timeout, secrets, trace)
