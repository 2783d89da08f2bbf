"""Stores the log lines of jobs, up to a limit."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any
from uuid import uuid4

from workroom.domain.jobs.logs import LogLimits, LogLine, Stream
from workroom.domain.steps import LogBatch, Logged
from workroom.errors import WorkroomError
from workroom.stores.redis import keys
from workroom.stores.redis.messages.refusals import item_refusal
from workroom.stores.redis.reader import Reader


class LogLines:
    def __init__(self, reader: Reader, limits: LogLimits) -> None:
        self._reader = reader
        self._limits = limits

    async def append(self, batches: Sequence[LogBatch], rooms: Awaitable[Sequence[Any]]) -> Logged:
        """Store batches. `rooms` has the room of each running attempt, or the refusal of its batch."""
        refusals: list[WorkroomError | None] = []
        stored: list[list[LogLine]] = []
        for batch, room in zip(batches, await rooms, strict=True):
            refusal = None if isinstance(room, str) else item_refusal(room)
            refusals.append(refusal)
            stored.append([] if refusal is not None else await self._append(batch, room))
        return Logged(refusals, stored)

    async def _append(self, batch: LogBatch, room: str) -> list[LogLine]:
        job_id, limits = batch.fence.job_id, self._limits
        arguments: dict[str, object] = {
            "step": uuid4().bytes,
            "attempt": batch.fence.attempt,
            "lines": [
                [line.seq, line.at, str(line.stream), line.text, line.level or False] for line in batch.lines
            ],
            "max_lines": limits.lines,
            "max_bytes": limits.bytes,
            "truncation_notice": limits.truncation_notice,
        }
        log_keys = (keys.folder(room, job_id), keys.lines(room, job_id))
        rows = await self._reader.run_script("log", arguments, log_keys)
        return [
            LogLine(seq, at, Stream(stream), text, level or None, attempt)
            for seq, at, stream, text, level, attempt in rows
        ]
