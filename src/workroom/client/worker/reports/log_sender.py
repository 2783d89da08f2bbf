"""Sends the output of jobs: gathered for a moment, in chunks, and before their end is reported."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from workroom.client.worker.attempts import fence_fields
from workroom.client.worker.reports.outbox import Flush, Outbox, Refusals, log_refusal
from workroom.domain.job import Fence
from workroom.errors import WorkroomError
from workroom.runtime.output import LogLine

_GATHER_SECONDS = 0.1
_CHUNK_LINES = 500
_CHUNK_BYTES = 250_000
_LINE_BYTES = 150  # of a line, besides its text


@dataclass(frozen=True, slots=True)
class LogChunk:
    fence: Fence
    lines: list[LogLine]

    @property
    def size(self) -> int:
        return sum(_size(line) for line in self.lines)

    def document(self) -> dict[str, Any]:
        return {**fence_fields(self.fence), "lines": self.lines}


class LogSender:
    def __init__(self, send: Callable[[list[dict[str, Any]]], Awaitable[Refusals]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = send
        self._lock = threading.RLock()
        self._gathered: dict[Fence, list[LogLine]] = {}
        self._is_scheduled = False
        self._in_flight: Counter[Fence] = Counter()
        self._flush = Flush()
        self._outbox: Outbox[LogChunk] = Outbox(self._send, self._refused, lambda chunk: chunk.size)

    def add(self, fence: Fence, lines: list[LogLine]) -> None:
        """Safe to call from any thread."""
        with self._lock:
            self._gathered.setdefault(fence, []).extend(lines)
            is_first, self._is_scheduled = not self._is_scheduled, True
        if is_first:
            self._loop.call_soon_threadsafe(self._loop.call_later, _GATHER_SECONDS, self._send_gathered)

    async def flush(self, fences: Iterable[Fence]) -> None:
        """Wait until the server has all output of these attempts."""
        self._send_gathered()
        if self._in_flight:
            wanted = set(fences)
            await self._flush.wait_until(lambda: wanted.isdisjoint(self._in_flight))

    def limit(self, items: int, size: int) -> None:
        self._outbox.limit(items, size)

    async def aclose(self) -> None:
        self._send_gathered()
        await self._outbox.aclose()

    def _send_gathered(self) -> None:
        with self._lock:
            gathered, self._gathered = self._gathered, {}
            self._is_scheduled = False
        for fence, lines in gathered.items():
            for chunk in _chunks(fence, lines):
                self._in_flight[fence] += 1
                self._outbox.put(chunk)

    async def _send(self, chunks: list[LogChunk]) -> Refusals:
        refusals = await self._call([chunk.document() for chunk in chunks])
        self._done([chunk for chunk, why in zip(chunks, refusals, strict=True) if why is None])
        return refusals

    def _refused(self, chunk: LogChunk, why: WorkroomError) -> None:
        log_refusal("output", chunk.fence, why)
        self._done([chunk])

    def _done(self, chunks: list[LogChunk]) -> None:
        self._in_flight.subtract(chunk.fence for chunk in chunks)
        self._in_flight = +self._in_flight
        self._flush.changed()


def _chunks(fence: Fence, lines: list[LogLine]) -> Iterable[LogChunk]:
    chunk: list[LogLine] = []
    size = 0
    for line in lines:
        if chunk and (len(chunk) >= _CHUNK_LINES or size + _size(line) > _CHUNK_BYTES):
            yield LogChunk(fence, chunk)
            chunk, size = [], 0
        chunk.append(line)
        size += _size(line)
    if chunk:
        yield LogChunk(fence, chunk)


def _size(line: LogLine) -> int:
    return len(orjson.dumps(line["text"])) + _LINE_BYTES
