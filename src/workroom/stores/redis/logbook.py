"""What jobs print is kept by their rooms, up to a limit."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any
from uuid import uuid4

from workroom.domain.logs import LogLimits, LogLine, Stream
from workroom.domain.steps import LogBatch, Logged
from workroom.errors import WorkroomError
from workroom.stores.redis import keys
from workroom.stores.redis.asking import Asker
from workroom.stores.redis.refusals import answer


class Logbook:
    def __init__(self, asker: Asker, limits: LogLimits) -> None:
        self._asker = asker
        self._limits = limits

    async def keep(self, batches: Sequence[LogBatch], rooms: Awaitable[Sequence[Any]]) -> Logged:
        """`rooms` has for each batch the room of its running attempt, or why it may not print."""
        answers: list[WorkroomError | None] = []
        kept: list[list[LogLine]] = []
        for batch, room in zip(batches, await rooms, strict=True):
            refusal = None if isinstance(room, str) else answer(room)
            answers.append(refusal)
            kept.append([] if refusal is not None else await self._keep(batch, room))
        return Logged(answers, kept)

    async def _keep(self, batch: LogBatch, room: str) -> list[LogLine]:
        job_id, limits = batch.fence.job_id, self._limits
        arguments: dict[str, object] = {
            "step": uuid4().bytes,
            "attempt": batch.fence.attempt,
            "lines": [
                [line.seq, line.at, str(line.stream), line.text, line.level or False] for line in batch.lines
            ],
            "max_lines": limits.lines,
            "max_bytes": limits.bytes,
            "last_words": limits.last_words,
        }
        where = (keys.folder(room, job_id), keys.lines(room, job_id))
        found = await self._asker.script("log", arguments, where)
        return [
            LogLine(seq, at, Stream(stream), text, level or None, attempt)
            for seq, at, stream, text, level, attempt in found
        ]
