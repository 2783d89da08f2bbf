"""What streams have yet to tell: each has a feed of its own, which a slow reader cannot make grow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from workroom.domain.events import (
    ChatSaid,
    Event,
    ExtensionsChanged,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobSaved,
    JobStateChanged,
    WorkerStateChanged,
)
from workroom.domain.job import JobState
from workroom.domain.queries import Mark
from workroom.services.sequence import chat_in_order, steps_in_order

_LOGGED = (JobStateChanged, JobLogged, ChatSaid)
_MAX_BYTES = 256_000
_EVENT_BYTES = 500
_MAX_LATEST = 1000
_PAUSE_SECONDS = 0.25


class Feed:
    """Of what is in the log every event is kept, in order; of the rest the latest of each thing, thinned out.

    With too much of the former the feed forgets it all and is `lost`: its reader goes back to the log.
    With too much of the latter it has `missed` what no log can tell.
    """

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self.is_closed = False
        self.last_call: Callable[[], None] | None = None
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
            self._settle_latest(event)
        if isinstance(event, _LOGGED):
            self._keep(event)
        else:
            self._latest[event.name, _subject(event)] = event
            if len(self._latest) > _MAX_LATEST:
                self._latest.clear()
                self._has_missed = True
            self._wake_when_due()

    def lose(self) -> None:
        """Something that was to be heard was not."""
        self._logged.clear()
        self._bytes = 0
        self._is_lost = True
        self._wake.set()

    def close(self) -> None:
        """There will be no more; what is there is still to be told."""
        self.is_closed = True
        self._wake.set()
        if self._timer is not None:
            self._timer.cancel()

    async def wait(self, seconds: float) -> bool:
        """Until there is something to tell, but no longer than this. Is there?"""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    def take(self) -> list[Event]:
        """All that is to be told now."""
        self._wake.clear()
        events, self._logged, self._bytes = self._logged, [], 0
        if self._latest and self._loop.time() >= self._due:
            events += self._latest.values()
            self._latest.clear()
            self._due = self._loop.time() + _PAUSE_SECONDS
        return events

    def was_lost(self) -> bool:
        """Must the reader go back to the log? Ask before taking."""
        was_lost, self._is_lost = self._is_lost, False
        return was_lost

    def has_missed(self) -> bool:
        has_missed, self._has_missed = self._has_missed, False
        return has_missed

    def _keep(self, event: Event) -> None:
        if self._is_lost:
            return  # it will be read from the log
        self._logged.append(event)
        self._bytes += _size(event)
        if self._bytes > _MAX_BYTES:
            self.lose()
        self._wake.set()

    def _settle_latest(self, event: JobStateChanged) -> None:
        """The last progress, preview and artifact are told before the end.

        What an attempt showed stays when it is given up, how far it came does not.
        """
        transition = event.transition
        if transition.status is JobState.PENDING:
            self._latest.pop((JobProgressed.name, transition.job_id), None)
        if transition.status.is_terminal:
            for name in (JobProgressed.name, JobPreviewed.name, JobSaved.name):
                last = self._latest.pop((name, transition.job_id), None)
                if last is not None:
                    self._keep(last)

    def _wake_when_due(self) -> None:
        if self._loop.time() >= self._due:
            self._wake.set()
        elif self._timer is None or self._timer.when() < self._due:
            self._timer = self._loop.call_at(self._due, self._wake.set)


def _size(event: Event) -> int:
    """About what it takes up."""
    if isinstance(event, JobLogged):
        return _EVENT_BYTES + len(event.lines)
    return _EVENT_BYTES + (len(event.message.text) if isinstance(event, ChatSaid) else 0)


def _subject(event: Event) -> object:
    """What it is about: a later event about the same makes an earlier one void."""
    if isinstance(event, ExtensionsChanged):
        return (event.key.room, event.key.category)
    if isinstance(event, WorkerStateChanged):
        return event.worker
    return getattr(event, "job_id", None)


class Feeds:
    """Hands events to the feeds that want them; those of the log in its order, without a gap."""

    def __init__(self, mark: Mark) -> None:
        self.epoch = mark.epoch
        self.on_gap: Callable[[], None] = lambda: None  # for who hears the same, and has no log to go back to
        self._steps = steps_in_order(mark.last, lambda _: self._lose_all())
        self._chat = chat_in_order(mark.last_chat, lambda _: self._lose_all())
        self._feeds: dict[str, set[Feed]] = {}

    @property
    def place(self) -> tuple[int, int]:
        """How far the log has been told: transitions, chat."""
        return self._steps.reached, self._chat.reached

    def open(self, *topics: str) -> Feed:
        feed = Feed(topics)
        for topic in topics:
            self._feeds.setdefault(topic, set()).add(feed)
        return feed

    def remove(self, feed: Feed) -> None:
        feed.close()
        for topic in feed.topics:
            hearers = self._feeds.get(topic, set())
            hearers.discard(feed)
            if not hearers:
                self._feeds.pop(topic, None)

    def close(self) -> None:
        """Let every stream end, also one that waits for its reader."""
        for feed in self._all():
            feed.close()
            if feed.last_call is not None:
                feed.last_call()

    def publish(self, events: Sequence[Event]) -> None:
        told = self._chat.take(self._steps.take(events))
        if self._feeds:
            self._tell(told)

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            topics = (*event.audiences, *event.watchers, *event.onlookers)
            found = [self._feeds[topic] for topic in topics if topic in self._feeds]
            for feed in found[0] if len(found) == 1 else set().union(*found):
                feed.put(event)

    def lose(self) -> None:
        """Something was not heard here: everyone goes back to the log."""
        self._lose_all()

    def _lose_all(self) -> None:
        for feed in self._all():
            feed.lose()
        self.on_gap()

    def _all(self) -> set[Feed]:
        return set().union(*self._feeds.values())
