"""Reads the store again where messages of other servers may have been lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import Protocol

from workroom.domain.events import JobStateChanged
from workroom.domain.job import Transition
from workroom.domain.queries import FindJob, FindRunning, FindSeating, JobEvents, Query, RoomEvents
from workroom.errors import WorkroomError
from workroom.ports import EventBus, ReadableStore
from workroom.services.effects import Effects
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.live.feeds import Feeds
from workroom.services.rooms.rooms import Rooms
from workroom.services.workers.registry import WorkerRegistry

_CHECK_SECONDS = 5.0
_CHECKS_PER_RECONCILIATION = 6
_RETRY_SECONDS = 1.0


class Sockets(EventBus, Protocol):
    """Socket clients cannot go back to the log: what they may have missed is published again."""

    def topics(self) -> list[str]:
        """All topics that a socket subscribes to."""


class Resync:
    def __init__(
        self,
        store: ReadableStore,
        effects: Effects,
        registry: WorkerRegistry,
        rooms: Rooms,
        read_revoked: Callable[[], Awaitable[None]],
        feeds: Feeds,
        sockets: Sockets,
        tasks: BackgroundTasks,
    ) -> None:
        """`read_revoked` reads which tokens were revoked and closes what they had opened."""
        self.read_revoked = read_revoked
        self._store = store
        self._effects = effects
        self._registry = registry
        self._rooms = rooms
        self._feeds = feeds
        self._sockets = sockets
        self._tasks = tasks
        self._published, _ = feeds.position  # up to here, without a gap
        self._has_gap = False
        feeds.on_gap = self._fill_gap

    async def run(self) -> None:
        """Check at an interval, so that no lost message goes unnoticed for long."""
        for number in count(1):
            await asyncio.sleep(_CHECK_SECONDS)
            self._effects.dispatcher.claim_for_idle()
            if number % _CHECKS_PER_RECONCILIATION == 0:
                self._reconcile()
            if not self._has_gap:
                self._published, _ = self._feeds.position

    def messages_missed(self) -> None:
        """Any message may have been lost: drop all caches and read again."""
        self._feeds.lose()
        self._effects.catalog.clear()
        self._effects.dispatcher.claim_for_idle()
        self.start(self._read_ends)
        self._reconcile()
        for worker in self._registry.ids():
            self.start(partial(self.read_offers, worker))

    def lose_feeds(self) -> None:
        """Make every stream go back to the log."""
        self._feeds.lose()

    def start(self, read: Callable[[], Awaitable[None]]) -> None:
        self._tasks.start(self.retry(read))

    async def retry(self, read: Callable[[], Awaitable[None]]) -> None:
        """Repeat until the store responds: what is read must be known."""
        while True:
            try:
                return await read()
            except WorkroomError:
                await asyncio.sleep(_RETRY_SECONDS)

    async def read_room(self, room: str) -> None:
        await self._rooms.changed_elsewhere(room)

    async def read_offers(self, worker: str) -> None:
        if self._registry.get(worker) is not None:
            self._effects.dispatcher.change_offers(await self._store.read(FindSeating(worker)))

    def _reconcile(self) -> None:
        """Disconnect clients that lost access through another server, even if no message arrived."""
        self._rooms.clear()
        self.start(self.read_revoked)
        self.start(self._read_rooms)
        self.start(self._read_attempts)

    async def _read_rooms(self) -> None:
        for room in self._effects.subscriptions.rooms:
            await self.read_room(room)

    async def _read_attempts(self) -> None:
        for fence in self._effects.subscriptions.attempts:
            if await self._store.read(FindRunning(fence)) is None:
                self._effects.subscriptions.attempt_ended(fence)

    async def _read_ends(self) -> None:
        for job_id in self._effects.waiters.expected:
            job = await self._store.read(FindJob(job_id))
            if job is not None and job.status.is_terminal:
                self._effects.waiters.end(job_id)

    def _fill_gap(self) -> None:
        if not self._has_gap:
            self._has_gap = True
            self.start(self._publish_again)

    async def _publish_again(self) -> None:
        """Publish the log since the gap to all sockets. Clients recognise repeats by their version."""
        for topic in self._sockets.topics():
            kind, _, name = topic.partition(":")
            if kind == "room":
                await self._publish_log(partial(RoomEvents, name))
            elif kind == "job":
                await self._publish_log(partial(JobEvents, name))
        self._has_gap = False

    async def _publish_log(self, query: Callable[[int], Query[list[Transition]]]) -> None:
        after = self._published
        while page := await self._store.read(query(after)):
            self._sockets.publish([JobStateChanged(transition) for transition in page])
            after = page[-1].sequence
