"""Several servers on one store: what happens at one is followed at the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from workroom.domain.events import Event, ExtensionsChanged, JobStateChanged, RoomChanged
from workroom.domain.news import News
from workroom.domain.queries import FindJob, FindVoid
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
