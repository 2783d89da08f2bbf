"""The stream of a task: `progress`, and at the end `complete` or `error`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import orjson

from workroom.domain.events import JobProgressed, JobStateChanged
from workroom.domain.job import JobState, Transition
from workroom.services.live.stream import Stream, StreamEvent
from workroom.services.tasks.documents import STATUSES, Document, format_time, queued_message, task_event

END = "end"


class TaskStream(Stream):
    """Translates a job's stream. `read` reads the task for what no event has: its end, its retries."""

    def __init__(self, inner: Stream, read: Callable[[], Awaitable[Document]]) -> None:
        self._inner = inner
        self._read = read

    async def events(self, idle_seconds: float) -> AsyncIterator[list[StreamEvent]]:
        async for batch in self._inner.events(idle_seconds):
            translated = [await self._translate(each) for each in batch]
            events = [each for each in translated if each is not None]
            if batch and batch[-1].name == END:
                name, body = task_event(await self._read())
                events.append(StreamEvent(name, body, batch[-1].id))
            if events or not batch:
                yield events

    async def _translate(self, event: StreamEvent) -> StreamEvent | None:
        step = _requeued(event)
        if step is None:
            return translate(event)
        return StreamEvent("progress", _progress(step, (await self._read())["retry_count"]), event.id)

    def on_close(self, call: Callable[[], None]) -> None:
        self._inner.on_close(call)

    def close(self) -> None:
        self._inner.close()


def translate(event: StreamEvent) -> StreamEvent | None:
    """A job's event as a task's, unless it is the last; None for what tasks do not have."""
    if isinstance(event.body, JobProgressed):
        progress = {"status": "processing", "progress": orjson.Fragment(event.body.document)}
        return StreamEvent("progress", progress, event.id)
    if isinstance(event.body, JobStateChanged) and not event.body.transition.status.is_terminal:
        return StreamEvent("progress", _progress(event.body.transition), event.id)
    return event if event.name == "reset" else None


def _progress(transition: Transition, retries: int = 0) -> Document:
    status = STATUSES[transition.status]
    message = queued_message(retries) if status == "queued" else status.capitalize()
    progress = {"elapsed_ms": 0, "message": message, "updated_at": format_time(transition.at_us)}
    return {"status": status, "progress": progress}


def _requeued(event: StreamEvent) -> Transition | None:
    """The transition of a task that is queued again."""
    step = event.body.transition if isinstance(event.body, JobStateChanged) else None
    if step is None or STATUSES[step.status] != "queued":
        return None
    return step if step.attempt > (step.status is JobState.ASSIGNED) else None
