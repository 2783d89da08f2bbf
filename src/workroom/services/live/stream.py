"""A stream of events: first those that its reader missed, then those that happen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from workroom.domain.events import Event
from workroom.services.live.feeds import Feed, Feeds

PAGE = 200  # events of the log that are read at once


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of a stream. Events of the log have an id, after which a reader can resume."""

    name: str
    body: Event | Mapping[str, object]
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """How far a reader has come in the log: the last transition, and the last chat message or log line."""

    step: int = 0
    second: int = 0
    third: int = 0
    is_end: bool = False


class Stream:
    """Subscribes first, then reads the log, then drops the events that it has sent already."""

    def __init__(self, feeds: Feeds, feed: Feed) -> None:
        self._feeds = feeds
        self._feed = feed
        self._is_over = False

    async def events(self, idle_seconds: float) -> AsyncIterator[list[StreamEvent]]:
        """Batches of events; an empty one whenever nothing happened for so long."""
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
            batch = self._new(self._feed.take())
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

    def on_close(self, call: Callable[[], None]) -> None:
        """Call this when all streams are closed: the reader may not have taken the last events."""
        self._feed.on_close = call

    def close(self) -> None:
        self._feeds.remove(self._feed)

    def _new(self, events: list[Event]) -> list[StreamEvent]:
        """The events that were not sent yet, up to the end of the stream."""
        new = []
        for event in events:
            found = self._next(event)
            new += [] if found is None else [found]
            if self._is_over:
                break
        return new

    def _reset(self, reason: str) -> StreamEvent:
        """What the reader knows may be wrong: it has to read it again."""
        return StreamEvent("reset", {"reason": reason}, self._id())

    def _next(self, event: Event) -> StreamEvent | None:
        """The event as this stream sends it; None if it was sent already or is not part of the stream."""
        return None if event.stream_name is None else StreamEvent(event.stream_name, event)

    def _opening(self) -> list[StreamEvent]:
        raise NotImplementedError

    def _ending(self) -> list[StreamEvent]:
        return []

    def _id(self) -> str:
        raise NotImplementedError

    def _missed(self) -> AsyncIterator[list[StreamEvent]]:
        """All events of the log after the reader's position."""
        raise NotImplementedError
