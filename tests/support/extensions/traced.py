"""Extensions that make spans of their own in `run()`."""

from __future__ import annotations

import asyncio

from opentelemetry.trace import get_tracer

from workroom import Extension


def work() -> str:
    with get_tracer("tests").start_as_current_span("own work") as span:
        return format(span.get_span_context().trace_id, "032x")


class Traced(Extension, category="traced"):
    def run(self) -> str:
        return work()


class TracedAsync(Extension, category="traced"):
    async def run(self) -> str:
        return await asyncio.create_task(self._work())

    async def _work(self) -> str:
        return work()


class TracedApart(Extension, category="traced", isolation="process"):
    def run(self) -> str:
        return work()


class Broken(Extension, category="traced"):
    def run(self) -> None:
        raise ValueError("it cannot")
