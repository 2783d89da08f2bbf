"""Server-sent events, as a client reads them: lines become events."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson

END = "end"  # the last event of a job's stream


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of a stream; `id` is where to go on after it."""

    name: str
    data: Any
    id: str


async def read_events(lines: AsyncIterable[bytes], last_id: str) -> AsyncIterator[StreamEvent]:
    """The events in a stream of lines; what an event does not say of itself, its id, stays."""
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
