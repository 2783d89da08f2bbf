"""What jobs print, as it leaves: on record, in events and in answers alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from workroom.domain.events import JobLogged
from workroom.domain.logs import LogLine
from workroom.domain.steps import LogBatch


def line_document(line: LogLine) -> dict[str, Any]:
    level = {} if line.level is None else {"level": line.level}
    return {"seq": line.seq, "at": line.at, "stream": line.stream, **level, "text": line.text}


def logged(batch: LogBatch, lines: Sequence[LogLine]) -> JobLogged:
    encoded = orjson.dumps([line_document(line) for line in lines])
    return JobLogged(batch.fence.job_id, batch.fence.attempt, encoded)
