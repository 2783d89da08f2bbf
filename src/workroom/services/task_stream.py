"""A job's stream told as a task's: `progress`, and in the end `complete` or `error`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import orjson

from workroom.domain.events import JobProgressed, JobStateChanged
from workroom.domain.job import Transition
from workroom.services.streaming import Stream, Told
from workroom.services.tasks_facade import STATUSES, Document, task_event, time_of

END = "end"


def task_told(told: Told) -> Told | None:
    """What a task's stream makes of an event that is not the last; nothing of what tasks do not have."""
    if isinstance(told.body, JobProgressed):
        progress = {"status": "processing", "progress": orjson.Fragment(told.body.document)}
        return Told("progress", progress, told.id)
    if isinstance(told.body, JobStateChanged) and not told.body.transition.status.is_terminal:
        return Told("progress", _step(told.body.transition), told.id)
    return told if told.name == "reset" else None


def _step(transition: Transition) -> Document:
    status = STATUSES[transition.status]
    progress = {"elapsed_ms": 0, "message": status.capitalize(), "updated_at": time_of(transition.at_us)}
    return {"status": status, "progress": progress}


class TaskStream(Stream):
    """`final` reads the task when it has ended: its result is in no event."""

    def __init__(self, inner: Stream, final: Callable[[], Awaitable[Document]]) -> None:
        self._inner = inner
        self._final = final

    async def tell(self, idle_seconds: float) -> AsyncIterator[list[Told]]:
        async for batch in self._inner.tell(idle_seconds):
            told = [each for each in map(task_told, batch) if each is not None]
            if batch and batch[-1].name == END:
                name, body = task_event(await self._final())
                told.append(Told(name, body, batch[-1].id))
            if told or not batch:
                yield told

    def when_closed(self, last_call: Callable[[], None]) -> None:
        self._inner.when_closed(last_call)

    def close(self) -> None:
        self._inner.close()
