"""Stores the log lines of jobs, up to a limit."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from workroom.domain.job import JobState
from workroom.domain.jobs.logs import LogLimits, LogLine, Stream
from workroom.domain.queries import JobLogs
from workroom.domain.steps import LogBatch, Logged
from workroom.errors import WorkroomError
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs.jobs.attempts import find_held, stale


@dataclass(slots=True)
class _Head:
    """How many lines and bytes of a job are stored."""

    attempt: int = 0
    base: int = 0
    last: int = 0
    lines: int = 0
    bytes: int = 0
    full: int = 0


def log(
    connection: sqlite3.Connection, worker: str, batches: Sequence[LogBatch], limits: LogLimits
) -> Logged:
    answers: list[WorkroomError | None] = []
    kept: list[list[LogLine]] = []
    for batch in batches:
        held = find_held(connection, worker, batch.fence)
        if held is None or not held.is_current(worker, batch.fence) or held.status != JobState.RUNNING:
            answers.append(stale(held))
            kept.append([])
        else:
            answers.append(None)
            kept.append(_keep(connection, held.job, batch, limits))
    return Logged(answers, kept)


def _keep(connection: sqlite3.Connection, job: int, batch: LogBatch, limits: LogLimits) -> list[LogLine]:
    """The new lines, numbered after those of earlier attempts."""
    head = _Head(*(connection.execute(SQL["read_log_head"], (job,)).fetchone() or ()))
    if batch.fence.attempt > head.attempt:
        head.attempt, head.base = batch.fence.attempt, head.last
    kept: list[LogLine] = []
    for line in batch.lines:
        seq = head.base + line.seq
        if seq > head.last and not head.full:
            kept.append(_next(head, replace(line, seq=seq, attempt=head.attempt), limits))
    if kept:
        connection.execute(SQL["save_log_head"], (job, *astuple(head)))
    connection.executemany(
        SQL["insert_log_line"],
        [(job, each.seq, each.attempt, each.at, each.stream, each.level, each.text) for each in kept],
    )
    return kept


def _next(head: _Head, line: LogLine, limits: LogLimits) -> LogLine:
    """The line, or the notice that the rest was dropped."""
    head.last, head.lines, head.bytes = line.seq, head.lines + 1, head.bytes + line.size
    if limits.has_room(head.lines, head.bytes):
        return line
    head.full = 1
    return replace(line, stream=Stream.LOG, level="WARNING", text=limits.truncation_notice)


def job_logs(connection: sqlite3.Connection, query: JobLogs) -> list[LogLine]:
    found = connection.execute(SQL["job_logs"], (query.job_id, query.after, query.limit))
    return [LogLine(seq, at, Stream(stream), *rest) for seq, at, stream, *rest in found]
