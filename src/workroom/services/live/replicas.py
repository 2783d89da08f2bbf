"""Several servers on one store: the messages that they send to each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from workroom.domain.events import Event, RoomChanged, WorkerAccepted, WorkerDrained, WorkerRefused
from workroom.domain.storage.peer_message import PeerMessage
from workroom.ports import EventBus, Peers
from workroom.services.effects import Effects
from workroom.services.lifecycle.background import BackgroundTasks
from workroom.services.live.resync import Resync

_MAX_HELD = 10_000


class PeerBus:
    """Publishes events to the other servers."""

    def __init__(self, peers: Peers) -> None:
        self._peers = peers

    def publish(self, events: Sequence[Event]) -> None:
        if events:
            self._peers.send(PeerMessage(events=events))


class Replicas:
    """Applies the messages of other servers. `bus` reaches only clients that are connected here."""

    def __init__(self, bus: EventBus, effects: Effects, resync: Resync, tasks: BackgroundTasks) -> None:
        self._bus = bus
        self._effects = effects
        self._resync = resync
        self._tasks = tasks
        self._rooms_being_read = 0
        self._held: list[Event] = []

    def receive(self, message: PeerMessage) -> None:
        self._effects.apply_peer_message(message)
        for event in message.events:
            if isinstance(event, RoomChanged):
                self._rooms_being_read += 1
                self._tasks.start(self._read_room(event.room))
            elif isinstance(event, WorkerAccepted | WorkerRefused):
                self._resync.start(partial(self._resync.read_offers, event.worker))
            elif isinstance(event, WorkerDrained):
                self._effects.dispatcher.drain(event.worker, draining=event.draining)
        self._publish(message.events)
        if message.tokens_revoked:
            self._resync.start(self._resync.read_revoked)

    def _publish(self, events: Sequence[Event]) -> None:
        """Hold events back while a changed room is read: its new members are not known yet."""
        if not self._rooms_being_read:
            self._bus.publish(events)
        elif len(self._held) + len(events) <= _MAX_HELD:
            self._held += events
        else:
            self._held.clear()
            self._resync.lose_feeds()

    async def _read_room(self, room: str) -> None:
        await self._resync.retry(partial(self._resync.read_room, room))
        self._rooms_being_read -= 1
        held, self._held = self._held, []
        self._publish(held)
