"""The streams of jobs and rooms."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import orjson

from workroom.domain.events import (
    EVERYONE,
    ArtifactSaved,
    ChatPosted,
    Event,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobStateChanged,
    job_audience,
    room_audience,
)
from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, Transition
from workroom.domain.queries import FindArtifacts, FindJob, FindPreview, JobEvents, NewChat, RoomEvents
from workroom.ports import ReadableStore
from workroom.services.live.feeds import Feeds
from workroom.services.live.stream import PAGE, Position, Stream, StreamEvent

_ID = re.compile(r"([0-9a-f]+)\.(\d{1,18})\.(\d{1,18})(?:-(\d{1,18}))?(\.end)?", re.ASCII)

LineReader = Callable[[str, int, int], Awaitable[list[JobLogged]]]
"""Reads some lines of a job after a line of an attempt, oldest first; none if there are no more."""


async def no_lines(job_id: str, attempt: int, line: int) -> list[JobLogged]:
    return []


class Streams:
    def __init__(self, store: ReadableStore, feeds: Feeds, lines: LineReader = no_lines) -> None:
        self._store = store
        self._feeds = feeds
        self._lines = lines

    def job(self, job: Job, last_id: str | None) -> JobStream | None:
        """None if the job has ended and its reader has received everything."""
        position = self._position(last_id)
        if job.status.is_terminal and position is not None and position.is_end:
            return None
        return JobStream(self._store, self._feeds, job.id, position, self._lines)

    def room(self, room: str, last_id: str | None) -> RoomStream:
        return RoomStream(self._store, self._feeds, room, self._position(last_id), is_new=last_id is None)

    def close(self) -> None:
        self._feeds.close()

    def _position(self, last_id: str | None) -> Position | None:
        """None if the id belongs to another store, or to a time that this store does not remember."""
        if last_id is None:
            return Position()
        found = _ID.fullmatch(last_id)
        if found is None or found[1] != self._feeds.epoch or int(found[2]) > self._feeds.position[0]:
            return None
        return Position(int(found[2]), int(found[3]), int(found[4] or 0), found[5] is not None)


class JobStream(Stream):
    """One job, from its beginning to its end. The stream ends with the job."""

    def __init__(
        self,
        store: ReadableStore,
        feeds: Feeds,
        job_id: str,
        position: Position | None,
        lines: LineReader,
    ) -> None:
        super().__init__(feeds, feeds.open(job_audience(job_id)))
        self._store = store
        self._job_id = job_id
        self._lines = lines
        self._is_unknown = position is None
        position = position or Position()
        self._step = position.step
        self._line = (position.second, position.third)
        self._status: str | None = None

    def _opening(self) -> list[StreamEvent]:
        return [self._reset("unknown id")] if self._is_unknown else []

    def _ending(self) -> list[StreamEvent]:
        return [StreamEvent("end", {"job_id": self._job_id, "status": self._status}, f"{self._id()}.end")]

    def _id(self) -> str:
        return f"{self._feeds.epoch}.{self._step}.{self._line[0]}-{self._line[1]}"

    async def _missed(self) -> AsyncIterator[list[StreamEvent]]:
        """The lines, progress, preview and artifacts of a job come before its end."""
        job = await self._store.read(FindJob(self._job_id))  # before the log: it then has the end
        steps = [JobStateChanged(step) for step in await self._steps()]
        last = [step for step in steps if step.transition.status.is_terminal]
        yield self._new([step for step in steps if step not in last])
        while found := await self._lines(self._job_id, *self._line):
            yield self._new(list(found))
        preview = await self._store.read(FindPreview(self._job_id))
        artifacts = await self._store.read(FindArtifacts(self._job_id))
        yield self._new([*_progress(job), *_previewed(preview), *_saved(artifacts), *last])
        if job is None or (job.status.is_terminal and not last):  # all but the end was sent before
            self._status, self._is_over = None if job is None else job.status, True

    async def _steps(self) -> list[Transition]:
        steps: list[Transition] = []
        after = self._step
        while page := await self._store.read(JobEvents(self._job_id, after, PAGE)):
            steps += page
            after = page[-1].sequence
            if len(page) < PAGE:
                break
        return steps

    def _next(self, event: Event) -> StreamEvent | None:
        if isinstance(event, JobStateChanged):
            return self._next_step(event)
        if isinstance(event, JobLogged):
            return self._next_lines(event)
        return super()._next(event)

    def _next_step(self, event: JobStateChanged) -> StreamEvent | None:
        if event.transition.sequence <= self._step:
            return None
        self._step = event.transition.sequence
        self._status = event.transition.status
        self._is_over = event.transition.status.is_terminal
        return StreamEvent("state", event, self._id())

    def _next_lines(self, event: JobLogged) -> StreamEvent | None:
        lines = orjson.loads(event.lines)
        new = [line for line in lines if (event.attempt, line["seq"]) > self._line]
        if not new:
            return None
        self._line = (event.attempt, new[-1]["seq"])
        sent = event if new == lines else replace(event, lines=orjson.dumps(new))
        return StreamEvent("log", sent, self._id())


def _progress(job: Job | None) -> list[Event]:
    return [] if job is None or job.progress is None else [JobProgressed(job.id, job.progress, job.room)]


def _previewed(preview: Preview | None) -> list[Event]:
    return [] if preview is None else [JobPreviewed(preview.job_id, preview.kind, preview.version)]


def _saved(artifacts: list[Artifact]) -> list[Event]:
    newest = max(artifacts, key=lambda each: each.created_at_us, default=None)
    return [] if newest is None else [ArtifactSaved(newest.job_id, newest.name)]


class RoomStream(Stream):
    """Everything that happens in a room. Without a position it starts now."""

    def __init__(
        self, store: ReadableStore, feeds: Feeds, room: str, position: Position | None, *, is_new: bool
    ) -> None:
        super().__init__(feeds, feeds.open(room_audience(room), EVERYONE))
        self._store = store
        self._room = room
        self._is_unknown = position is None
        self._is_new = is_new
        if position is None or is_new:
            self._step, self._chat = feeds.position
        else:
            self._step, self._chat = position.step, position.second

    def _opening(self) -> list[StreamEvent]:
        if self._is_unknown:
            return [self._reset("unknown id")]
        return [StreamEvent("open", {"room": self._room}, self._id())] if self._is_new else []

    def _id(self) -> str:
        return f"{self._feeds.epoch}.{self._step}.{self._chat}"

    async def _missed(self) -> AsyncIterator[list[StreamEvent]]:
        if self._is_new or self._is_unknown:  # such a reader starts now, so it has missed nothing
            self._is_new = self._is_unknown = False
            return
        while steps := await self._store.read(RoomEvents(self._room, self._step, PAGE)):
            yield self._new([JobStateChanged(step) for step in steps])
        while messages := await self._store.read(NewChat(self._room, self._chat, PAGE)):
            yield self._new([ChatPosted(message) for message in messages])

    def _next(self, event: Event) -> StreamEvent | None:
        if isinstance(event, JobStateChanged):
            if event.transition.sequence <= self._step:
                return None
            self._step = event.transition.sequence
            return StreamEvent("state", event, self._id())
        if isinstance(event, ChatPosted):
            if event.message.sequence <= self._chat:
                return None
            self._chat = event.message.sequence
            return StreamEvent("chat", event, self._id())
        return super()._next(event)
