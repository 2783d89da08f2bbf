"""Log lines of jobs, as events and responses carry them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from typing import Any

import orjson

from workroom.domain.events import JobLogged
from workroom.domain.jobs.logs import LogLine
from workroom.domain.queries import JobLogs
from workroom.domain.steps import LogBatch
from workroom.ports import ReadableStore


def line_document(line: LogLine) -> dict[str, Any]:
    level = {} if line.level is None else {"level": line.level}
    return {"seq": line.seq, "at": line.at, "stream": line.stream, **level, "text": line.text}


def line_reader(store: ReadableStore) -> Callable[[str, int, int], Awaitable[list[JobLogged]]]:
    """A reader of the lines after a line, in one event per attempt."""

    async def read(job_id: str, _: int, after: int) -> list[JobLogged]:
        lines = await store.read(JobLogs(job_id, after))
        return [
            JobLogged(job_id, attempt, _encoded(list(some)))
            for attempt, some in groupby(lines, key=lambda line: line.attempt)
        ]

    return read


def logged_event(batch: LogBatch, lines: Sequence[LogLine]) -> JobLogged:
    return JobLogged(batch.fence.job_id, batch.fence.attempt, _encoded(lines))


def _encoded(lines: Sequence[LogLine]) -> bytes:
    return orjson.dumps([line_document(line) for line in lines])
