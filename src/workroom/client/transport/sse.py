"""Server-sent events: decodes the lines of a stream."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson

END = "end"  # the last event of a job's stream


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of a stream. Resume after it with `id` as Last-Event-ID."""

    name: str
    data: Any
    id: str


async def read_events(lines: AsyncIterable[bytes], last_id: str) -> AsyncIterator[StreamEvent]:
    """An event without an id keeps the id of the one before."""
    name, data = "message", list[bytes]()
    async for raw in lines:
        line = raw.rstrip(b"\r\n")
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match field:
            case b"" if not line:
                if data:
                    yield StreamEvent(name, orjson.loads(b"\n".join(data)), last_id)
                name, data = "message", []
            case b"event":
                name = value.decode()
            case b"data":
                data.append(value)
            case b"id":
                last_id = value.decode()
