"""What a stream tells, and where in the log: first what was missed, then what happens."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import orjson

from workroom.domain.events import (
    EVERYONE,
    ChatSaid,
    Event,
    ExtensionsChanged,
    FilesChanged,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobSaved,
    JobStateChanged,
    RoomChanged,
    WorkerStateChanged,
    job_audience,
    room_audience,
)
from workroom.domain.files import Artifact, Preview
from workroom.domain.job import Job, Transition
from workroom.domain.queries import FindArtifacts, FindJob, FindPreview, JobEvents, NewChat, RoomEvents
from workroom.ports import Store
from workroom.services.feeds import Feed, Feeds

NAMES = {
    JobStateChanged.name: "state",
    JobProgressed.name: "progress",
    JobLogged.name: "log",
    JobPreviewed.name: "preview",
    JobSaved.name: "artifact",
    ExtensionsChanged.name: "extensions",
    WorkerStateChanged.name: "worker",
    ChatSaid.name: "chat",
    RoomChanged.name: "room",
    FilesChanged.name: "files",
}
_ID = re.compile(r"([0-9a-f]+)\.(\d{1,18})\.(\d{1,18})(?:-(\d{1,18}))?(\.end)?", re.ASCII)
_PAGE = 200

LineReader = Callable[[str, int, int], Awaitable[list[JobLogged]]]
"""Some of a job's lines behind a line of an attempt, oldest first; none if there are no more."""


async def no_lines(job_id: str, attempt: int, line: int) -> list[JobLogged]:
    return []


@dataclass(frozen=True, slots=True)
class Told:
    """One event of a stream. Those of the log have an id, by which a reader goes on after it."""

    name: str
    body: Event | Mapping[str, object]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the log a reader is: the last transition, and the last chat message or the last line."""

    step: int = 0
    second: int = 0
    third: int = 0
    is_end: bool = False


class Streams:
    def __init__(self, store: Store, feeds: Feeds, lines: LineReader = no_lines) -> None:
        self._store = store
        self._feeds = feeds
        self._lines = lines

    def job(self, job: Job, last_id: str | None) -> JobStream | None:
        """None if there is nothing left to tell to who was told all."""
        place = self._place(last_id)
        if job.status.is_terminal and place is not None and place.is_end:
            return None
        return JobStream(self._store, self._feeds, job.id, place, self._lines)

    def room(self, room: str, last_id: str | None) -> RoomStream:
        return RoomStream(self._store, self._feeds, room, self._place(last_id), is_new=last_id is None)

    def close(self) -> None:
        self._feeds.close()

    def _place(self, last_id: str | None) -> Place | None:
        """None if the id is of another store, or of a time that this store does not remember."""
        if last_id is None:
            return Place()
        found = _ID.fullmatch(last_id)
        if found is None or found[1] != self._feeds.epoch or int(found[2]) > self._feeds.place[0]:
            return None
        return Place(int(found[2]), int(found[3]), int(found[4] or 0), found[5] is not None)


class Stream:
    """A reader subscribes first, then reads the log, then drops what it has already told."""

    def __init__(self, feeds: Feeds, feed: Feed) -> None:
        self._feeds = feeds
        self._feed = feed
        self._is_over = False

    async def tell(self, idle_seconds: float) -> AsyncIterator[list[Told]]:
        """Batches of events; an empty one when nothing happened for so long."""
        if opening := self._opening():
            yield opening
        async for batch in self._missed():
            if batch:
                yield batch
        while not self._is_over and not self._feed.is_closed:
            if not await self._feed.wait(idle_seconds):
                yield []
                continue
            was_lost = self._feed.was_lost()
            batch = self._live(self._feed.take())
            if batch:
                yield batch
            if self._feed.has_missed():
                yield [self._reset("too much happened")]
            if was_lost:
                async for batch in self._missed():
                    if batch:
                        yield batch
        if self._is_over:
            yield self._ending()

    def when_closed(self, last_call: Callable[[], None]) -> None:
        """Do this when every stream is to end: the reader may not have taken what was told."""
        self._feed.last_call = last_call

    def close(self) -> None:
        self._feeds.remove(self._feed)

    def _live(self, events: list[Event]) -> list[Told]:
        told = []
        for event in events:
            found = self._told(event)
            told += [] if found is None else [found]
            if self._is_over:
                break
        return told

    def _reset(self, reason: str) -> Told:
        """What the reader knows may be wrong: it has to ask anew."""
        return Told("reset", {"reason": reason}, self._id())

    def _told(self, event: Event) -> Told | None:
        """The event, unless it was told before."""
        return Told(NAMES[event.name], event) if event.name in NAMES else None

    def _opening(self) -> list[Told]:
        raise NotImplementedError

    def _ending(self) -> list[Told]:
        return []

    def _id(self) -> str:
        raise NotImplementedError

    def _missed(self) -> AsyncIterator[list[Told]]:
        """All that is in the log behind the reader's place."""
        raise NotImplementedError


class JobStream(Stream):
    """One job, from its beginning to its end. It is over when the job is."""

    def __init__(
        self, store: Store, feeds: Feeds, job_id: str, place: Place | None, lines: LineReader
    ) -> None:
        super().__init__(feeds, feeds.open(job_audience(job_id)))
        self._store = store
        self._job_id = job_id
        self._lines = lines
        self._is_unknown = place is None
        place = place or Place()
        self._step = place.step
        self._line = (place.second, place.third)
        self._status: str | None = None

    def _opening(self) -> list[Told]:
        return [self._reset("unknown id")] if self._is_unknown else []

    def _ending(self) -> list[Told]:
        return [Told("end", {"job_id": self._job_id, "status": self._status}, f"{self._id()}.end")]

    def _id(self) -> str:
        return f"{self._feeds.epoch}.{self._step}.{self._line[0]}-{self._line[1]}"

    async def _missed(self) -> AsyncIterator[list[Told]]:
        """The lines of a job come before its end, and so does how far it came, what it shows and saved."""
        job = await self._store.read(FindJob(self._job_id))  # first: what has ended is in the log below
        steps = [JobStateChanged(step) for step in await self._steps()]
        last = [step for step in steps if step.transition.status.is_terminal]
        yield self._live([step for step in steps if step not in last])
        while found := await self._lines(self._job_id, *self._line):
            yield self._live(list(found))
        preview = await self._store.read(FindPreview(self._job_id))
        artifacts = await self._store.read(FindArtifacts(self._job_id))
        yield self._live([*_progress(job), *_shown(preview), *_saved(artifacts), *last])
        if job is None or (job.status.is_terminal and not last):  # told before, but for the end
            self._status, self._is_over = None if job is None else job.status, True

    async def _steps(self) -> list[Transition]:
        steps: list[Transition] = []
        after = self._step
        while page := await self._store.read(JobEvents(self._job_id, after, _PAGE)):
            steps += page
            after = page[-1].sequence
            if len(page) < _PAGE:
                break
        return steps

    def _told(self, event: Event) -> Told | None:
        if isinstance(event, JobStateChanged):
            return self._told_step(event)
        if isinstance(event, JobLogged):
            return self._told_lines(event)
        return super()._told(event)

    def _told_step(self, event: JobStateChanged) -> Told | None:
        if event.transition.sequence <= self._step:
            return None
        self._step = event.transition.sequence
        self._status = event.transition.status
        self._is_over = event.transition.status.is_terminal
        return Told("state", event, self._id())

    def _told_lines(self, event: JobLogged) -> Told | None:
        lines = orjson.loads(event.lines)
        new = [line for line in lines if (event.attempt, line["seq"]) > self._line]
        if not new:
            return None
        self._line = (event.attempt, new[-1]["seq"])
        told = event if new == lines else replace(event, lines=orjson.dumps(new))
        return Told("log", told, self._id())


def _progress(job: Job | None) -> list[Event]:
    return [] if job is None or job.progress is None else [JobProgressed(job.id, job.progress, job.room)]


def _shown(preview: Preview | None) -> list[Event]:
    return [] if preview is None else [JobPreviewed(preview.job_id, preview.kind, preview.version)]


def _saved(artifacts: list[Artifact]) -> list[Event]:
    newest = max(artifacts, key=lambda each: each.created_at_us, default=None)
    return [] if newest is None else [JobSaved(newest.job_id, newest.name)]


class RoomStream(Stream):
    """What happens in a room, for as long as somebody listens. Without a place it begins now."""

    def __init__(self, store: Store, feeds: Feeds, room: str, place: Place | None, *, is_new: bool) -> None:
        super().__init__(feeds, feeds.open(room_audience(room), EVERYONE))
        self._store = store
        self._room = room
        self._is_unknown = place is None
        self._is_new = is_new
        if place is None or is_new:
            self._step, self._chat = feeds.place
        else:
            self._step, self._chat = place.step, place.second

    def _opening(self) -> list[Told]:
        if self._is_unknown:
            return [self._reset("unknown id")]
        return [Told("open", {"room": self._room}, self._id())] if self._is_new else []

    def _id(self) -> str:
        return f"{self._feeds.epoch}.{self._step}.{self._chat}"

    async def _missed(self) -> AsyncIterator[list[Told]]:
        if self._is_new or self._is_unknown:  # there is nothing behind now
            self._is_new = self._is_unknown = False
            return
        while steps := await self._store.read(RoomEvents(self._room, self._step, _PAGE)):
            yield self._live([JobStateChanged(step) for step in steps])
        while said := await self._store.read(NewChat(self._room, self._chat, _PAGE)):
            yield self._live([ChatSaid(message) for message in said])

    def _told(self, event: Event) -> Told | None:
        if isinstance(event, JobStateChanged):
            if event.transition.sequence <= self._step:
                return None
            self._step = event.transition.sequence
            return Told("state", event, self._id())
        if isinstance(event, ChatSaid):
            if event.message.sequence <= self._chat:
                return None
            self._chat = event.message.sequence
            return Told("chat", event, self._id())
        return super()._told(event)
