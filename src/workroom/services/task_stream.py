"""A job's stream told as a task's: `progress`, and in the end `complete` or `error`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import orjson

from workroom.domain.events import JobProgressed, JobStateChanged
from workroom.domain.job import JobState, Transition
from workroom.services.streaming import Stream, Told
from workroom.services.tasks_facade import STATUSES, Document, queued_message, task_event, time_of

END = "end"


def task_told(told: Told) -> Told | None:
    """What a task's stream makes of an event that is not the last; nothing of what tasks do not have."""
    if isinstance(told.body, JobProgressed):
        progress = {"status": "processing", "progress": orjson.Fragment(told.body.document)}
        return Told("progress", progress, told.id)
    if isinstance(told.body, JobStateChanged) and not told.body.transition.status.is_terminal:
        return Told("progress", _step(told.body.transition), told.id)
    return told if told.name == "reset" else None


def _step(transition: Transition, retries: int = 0) -> Document:
    status = STATUSES[transition.status]
    message = queued_message(retries) if status == "queued" else status.capitalize()
    progress = {"elapsed_ms": 0, "message": message, "updated_at": time_of(transition.at_us)}
    return {"status": status, "progress": progress}


def _again(told: Told) -> Transition | None:
    """The step of a task that is queued, and not for the first time."""
    step = told.body.transition if isinstance(told.body, JobStateChanged) else None
    if step is None or STATUSES[step.status] != "queued":
        return None
    return step if step.attempt > (step.status is JobState.ASSIGNED) else None


class TaskStream(Stream):
    """`read` reads the task when it has ended, and when it is tried again: no event has all of it."""

    def __init__(self, inner: Stream, read: Callable[[], Awaitable[Document]]) -> None:
        self._inner = inner
        self._read = read

    async def tell(self, idle_seconds: float) -> AsyncIterator[list[Told]]:
        async for batch in self._inner.tell(idle_seconds):
            told = [each for each in [await self._retold(each) for each in batch] if each is not None]
            if batch and batch[-1].name == END:
                name, body = task_event(await self._read())
                told.append(Told(name, body, batch[-1].id))
            if told or not batch:
                yield told

    async def _retold(self, told: Told) -> Told | None:
        step = _again(told)
        if step is None:
            return task_told(told)
        return Told("progress", _step(step, (await self._read())["retry_count"]), told.id)

    def when_closed(self, last_call: Callable[[], None]) -> None:
        self._inner.when_closed(last_call)

    def close(self) -> None:
        self._inner.close()
