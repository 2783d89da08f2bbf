"""The events that a stream has yet to send: a bounded buffer for each, however slow its reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from workroom.domain.events import (
    ArtifactSaved,
    ChatPosted,
    Event,
    ExtensionsChanged,
    FramesChanged,
    GroupChanged,
    JobAnnotated,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobStateChanged,
    LockChanged,
    PresenceChanged,
    PresetsChanged,
    QuestionAnswered,
    QuestionAsked,
    RecordChanged,
    StateChanged,
    WorkerStateChanged,
)
from workroom.domain.job import JobState
from workroom.domain.queries import LogPosition
from workroom.services.live.sequence import chat_in_order, steps_in_order

_LOGGED = (JobStateChanged, JobLogged, ChatPosted)
_BEFORE_THE_END = (JobProgressed.name, JobPreviewed.name, ArtifactSaved.name, JobAnnotated.name)
_MAX_BYTES = 256_000
_EVENT_BYTES = 500
_MAX_LATEST = 1000
_PAUSE_SECONDS = 0.25


class Feed:
    """Keeps every event of the log, in order, and of all others the latest about each subject, throttled.

    With too many events of the log it drops them and `was_lost`: its reader goes back to the log. With too
    many of the others it `has_missed` some, which are in no log.
    """

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self.is_closed = False
        self.on_close: Callable[[], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._logged: list[Event] = []
        self._bytes = 0
        self._latest: dict[tuple[str, object], Event] = {}
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_lost = False
        self._has_missed = False

    def put(self, event: Event) -> None:
        if isinstance(event, JobStateChanged):
            self._flush_latest(event)
        if isinstance(event, _LOGGED):
            self._keep(event)
        else:
            self._latest[event.name, _subject(event)] = event
            if len(self._latest) > _MAX_LATEST:
                self._latest.clear()
                self._has_missed = True
            self._wake_when_due()

    def lose(self) -> None:
        """An event did not arrive: the reader must go back to the log."""
        self._logged.clear()
        self._bytes = 0
        self._is_lost = True
        self._wake.set()

    def close(self) -> None:
        """No more events follow; the buffered ones are still sent."""
        self.is_closed = True
        self._wake.set()
        if self._timer is not None:
            self._timer.cancel()

    async def wait(self, seconds: float) -> bool:
        """Wait for an event, but no longer than this. False if none came."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def take(self) -> list[Event]:
        """Everything that is due now."""
        self._wake.clear()
        events, self._logged, self._bytes = self._logged, [], 0
        if self._latest and self._loop.time() >= self._due:
            events += self._latest.values()
            self._latest.clear()
            self._due = self._loop.time() + _PAUSE_SECONDS
        return events

    def was_lost(self) -> bool:
        """Whether the reader must go back to the log. Call it before `take`."""
        was_lost, self._is_lost = self._is_lost, False
        return was_lost

    def has_missed(self) -> bool:
        has_missed, self._has_missed = self._has_missed, False
        return has_missed

    def _keep(self, event: Event) -> None:
        if self._is_lost:
            return  # the reader will find it in the log
        self._logged.append(event)
        self._bytes += _size(event)
        if self._bytes > _MAX_BYTES:
            self.lose()
        self._wake.set()

    def _flush_latest(self, event: JobStateChanged) -> None:
        """Send the last of each before the end of the job.

        A job that is pending again has no progress; all others stay.
        """
        transition = event.transition
        if transition.status is JobState.PENDING:
            self._latest.pop((JobProgressed.name, transition.job_id), None)
        if transition.status.is_terminal:
            for name in _BEFORE_THE_END:
                last = self._latest.pop((name, transition.job_id), None)
                if last is not None:
                    self._keep(last)

    def _wake_when_due(self) -> None:
        if self._loop.time() >= self._due:
            self._wake.set()
        elif self._timer is None or self._timer.when() < self._due:
            self._timer = self._loop.call_at(self._due, self._wake.set)


def _size(event: Event) -> int:
    """Its approximate size in bytes."""
    if isinstance(event, JobLogged):
        return _EVENT_BYTES + len(event.lines)
    return _EVENT_BYTES + (len(event.message.text) if isinstance(event, ChatPosted) else 0)


def _subject(event: Event) -> object:
    """What the event is about: a later event about the same subject replaces an earlier one."""
    return _SUBJECTS.get(type(event), _job_of)(event)


def _job_of(event: Event) -> object:
    return getattr(event, "job_id", None)


_SUBJECTS: dict[type[Event], Callable[[Any], object]] = {
    ExtensionsChanged: lambda event: (event.key.room, event.key.category),
    WorkerStateChanged: attrgetter("worker"),
    StateChanged: attrgetter("key"),
    RecordChanged: attrgetter("kind", "id"),
    LockChanged: attrgetter("target"),
    GroupChanged: attrgetter("group_id"),
    PresenceChanged: attrgetter("server"),
    PresetsChanged: attrgetter("category", "extension"),
    QuestionAsked: attrgetter("job_id", "question_id"),
    QuestionAnswered: attrgetter("job_id", "question_id"),
    FramesChanged: lambda _: None,
}


class Feeds:
    """Passes events to the feeds that subscribe to them; those of the log in order, without a gap."""

    def __init__(self, mark: LogPosition) -> None:
        self.epoch = mark.epoch
        self.on_gap: Callable[[], None] = lambda: None  # for subscribers that cannot go back to the log
        self._steps = steps_in_order(mark.last, lambda _: self._lose_all())
        self._chat = chat_in_order(mark.last_chat, lambda _: self._lose_all())
        self._feeds: dict[str, set[Feed]] = {}

    @property
    def position(self) -> tuple[int, int]:
        """How far the log has been published: transitions, chat."""
        return self._steps.reached, self._chat.reached

    def count(self) -> int:
        """How many feeds are open."""
        return len(self._all())

    def open(self, *topics: str) -> Feed:
        feed = Feed(topics)
        for topic in topics:
            self._feeds.setdefault(topic, set()).add(feed)
        return feed

    def remove(self, feed: Feed) -> None:
        feed.close()
        for topic in feed.topics:
            feeds = self._feeds.get(topic, set())
            feeds.discard(feed)
            if not feeds:
                self._feeds.pop(topic, None)

    def close(self) -> None:
        """End every stream, also one that waits for its reader."""
        for feed in self._all():
            feed.close()
            if feed.on_close is not None:
                feed.on_close()

    def publish(self, events: Sequence[Event]) -> None:
        ordered = self._chat.take(self._steps.take(events))
        if self._feeds:
            self._put(ordered)

    def _put(self, events: Iterable[Event]) -> None:
        for event in events:
            topics = (*event.audiences, *event.watchers, *event.stream_audiences)
            found = [self._feeds[topic] for topic in topics if topic in self._feeds]
            for feed in found[0] if len(found) == 1 else set().union(*found):
                feed.put(event)

    def lose(self) -> None:
        """Messages were lost: every stream goes back to the log."""
        self._lose_all()

    def _lose_all(self) -> None:
        for feed in self._all():
            feed.lose()
        self.on_gap()

    def _all(self) -> set[Feed]:
        return set().union(*self._feeds.values())
