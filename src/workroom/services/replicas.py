"""Several servers on one store: what happens at one is followed at the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol

from workroom.domain.events import Event, ExtensionsChanged, JobStateChanged, RoomChanged
from workroom.domain.job import Transition
from workroom.domain.news import News
from workroom.domain.queries import FindJob, FindVoid, JobEvents, Query, RoomEvents
from workroom.errors import WorkroomError
from workroom.ports import EventBus, Peers, Store
from workroom.services.catalog import Catalog
from workroom.services.dispatch import Dispatcher
from workroom.services.feeds import Feeds
from workroom.services.rooms import Rooms
from workroom.services.tasks import TaskKeeper
from workroom.services.tokens import Tokens
from workroom.services.waiting import Waiters

_LOOK_SECONDS = 5.0
_RETRY_SECONDS = 1.0


class PeerBus:
    """Events go to the other servers too."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers

    def publish(self, events: Sequence[Event]) -> None:
        if events:
            self._peers.tell(News(events=events))


class Sockets(EventBus, Protocol):
    """Those who listen by socket have no log to go back to: what they may have missed is told again."""

    def topics(self) -> list[str]:
        """All that somebody listens to."""


class Replicas:
    """Follows what is heard. `bus` is the way to those who listen here, and to nobody else."""

    def __init__(
        self,
        bus: EventBus,
        store: Store,
        dispatcher: Dispatcher,
        catalog: Catalog,
        waiters: Waiters,
        rooms: Rooms,
        tokens: Tokens,
        cut: Callable[[], None],
        feeds: Feeds,
        tasks: TaskKeeper,
        sockets: Sockets,
    ) -> None:
        self._bus = bus
        self._store = store
        self._dispatcher = dispatcher
        self._catalog = catalog
        self._waiters = waiters
        self._rooms = rooms
        self._tokens = tokens
        self._cut = cut
        self._feeds = feeds
        self._tasks = tasks
        self._sockets = sockets
        self._told, _ = feeds.place
        self._has_gap = False
        feeds.on_gap = self._tell_again

    def hear(self, news: News) -> None:
        for worker in news.offline:
            self._dispatcher.forget(worker)
        self._dispatcher.released(news.released)
        self._dispatcher.arrived(news.arrivals)
        self._waiters.tell([each.transition for each in news.events if isinstance(each, JobStateChanged)])
        self._catalog.forget([each.key for each in news.events if isinstance(each, ExtensionsChanged)])
        for event in news.events:
            if isinstance(event, RoomChanged):
                self._tasks.start(self._look_at(event.room))
        self._bus.publish(news.events)
        if news.is_void:
            self._tasks.start(self._again(self._read_void))

    def missed(self) -> None:
        """There may have been anything: believe nothing that is remembered."""
        self._feeds.lose()
        self._catalog.clear()
        self._rooms.clear()
        self._dispatcher.look()
        self._tasks.start(self._again(self._read_void))
        self._tasks.start(self._again(self._read_ends))

    async def run(self) -> None:
        """A job whose arrival was not heard is found all the same."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            self._dispatcher.look()
            if not self._has_gap:
                self._told, _ = self._feeds.place

    def _tell_again(self) -> None:
        if not self._has_gap:
            self._has_gap = True
            self._tasks.start(self._again(self._catch_up))

    async def _catch_up(self) -> None:
        """All that is in the log since it was told without a gap. Who has heard it knows by its version."""
        for topic in self._sockets.topics():
            kind, _, name = topic.partition(":")
            if kind == "room":
                await self._tell_log(partial(RoomEvents, name))
            elif kind == "job":
                await self._tell_log(partial(JobEvents, name))
        self._has_gap = False

    async def _tell_log(self, query: Callable[[int], Query[list[Transition]]]) -> None:
        after = self._told
        while page := await self._store.read(query(after)):
            self._sockets.publish([JobStateChanged(transition) for transition in page])
            after = page[-1].sequence

    async def _look_at(self, room: str) -> None:
        try:
            await self._rooms.changed_elsewhere(room)
        except WorkroomError:
            self._rooms.clear()

    async def _read_void(self) -> None:
        self._tokens.void(await self._store.read(FindVoid()))
        self._cut()

    async def _read_ends(self) -> None:
        for job_id in self._waiters.expected:
            job = await self._store.read(FindJob(job_id))
            if job is not None and job.status.is_terminal:
                self._waiters.end(job_id)

    async def _again(self, attempt: Callable[[], Awaitable[None]]) -> None:
        """What must be known is asked for until there is an answer."""
        while True:
            try:
                return await attempt()
            except WorkroomError:
                await asyncio.sleep(_RETRY_SECONDS)
