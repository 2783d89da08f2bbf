"""Events go out: to streams as they come, by Socket.IO in bursts, one message for each turn of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

import orjson
import socketio

from workroom.domain.events import (
    ChatSaid,
    DataChanged,
    Event,
    ExtensionsChanged,
    FilesChanged,
    JobLogged,
    JobPreviewed,
    JobProgressed,
    JobRevoked,
    JobSaved,
    JobStateChanged,
    RoomChanged,
    WorkerStateChanged,
)
from workroom.domain.steps import Assignment
from workroom.domain.worker import WorkerState
from workroom.ports import Clock, EventBus
from workroom.server import documents, hearing
from workroom.services.tasks import TaskKeeper

NAMESPACE = "/"


def _extensions_changed(event: ExtensionsChanged) -> hearing.ExtensionsChanged:
    return {"scope": event.key.scope, "room": event.key.room, "category": event.key.category}


def _worker_state_changed(event: WorkerStateChanged) -> hearing.WorkerStateChanged:
    return {
        "worker": event.worker,
        "state": WorkerState(event.state),
        "since": documents.time_of(event.since_us),
    }


def _data_changed(event: DataChanged) -> hearing.DataChanged:
    return {"room": event.room, "category": event.category, "name": event.extension}


_PAYLOADS: dict[type[Event], Callable[[Any], documents.Document]] = {
    JobStateChanged: lambda event: documents.transition(event.transition),
    JobLogged: lambda event: {
        "job_id": event.job_id,
        "attempt": event.attempt,
        "lines": orjson.Fragment(event.lines),
    },
    JobProgressed: lambda event: {"job_id": event.job_id, "progress": orjson.Fragment(event.document)},
    JobPreviewed: lambda event: {
        "job_id": event.job_id,
        "kind": event.kind,
        "version": event.version,
    },
    JobSaved: lambda event: {"job_id": event.job_id, "name": event.file},
    JobRevoked: lambda event: {"job_id": event.job_id, "attempt": event.attempt, "reason": event.reason},
    ExtensionsChanged: _extensions_changed,
    WorkerStateChanged: _worker_state_changed,
    DataChanged: _data_changed,
    RoomChanged: lambda event: {"room": event.room, "deleted": event.is_deleted},
    FilesChanged: lambda event: {"room": event.room},
    ChatSaid: lambda event: documents.chat_message(event.message),
}


def payload(event: Event) -> documents.Document:
    """What an event says, by whatever way it travels."""
    return _PAYLOADS[type(event)](event)


def _in_order(event: Event) -> int:
    """Steps of one commit may be published in any order; they are told in that of the store."""
    return event.transition.sequence if isinstance(event, JobStateChanged) else 0


class FanOut:
    """Every event goes every way."""

    def __init__(self, *ways: EventBus) -> None:
        self._ways = ways

    def publish(self, events: Sequence[Event]) -> None:
        for way in self._ways:
            way.publish(events)


class SocketBus:
    def __init__(self, sio: socketio.AsyncServer, tasks: TaskKeeper) -> None:
        self._sio = sio
        self._tasks = tasks
        self._waiting: list[Event] = []
        self._is_sending = False

    def publish(self, events: Sequence[Event]) -> None:
        self._waiting += [
            event for event in events if self._has_listeners((*event.audiences, *event.watchers))
        ]
        if self._waiting and not self._is_sending:
            self._is_sending = True
            self._tasks.start(self._send_all())

    def topics(self) -> list[str]:
        """All that somebody listens to."""
        return [str(room) for room in self._sio.manager.rooms.get(NAMESPACE, {}) if room is not None]

    def _has_listeners(self, audiences: Sequence[str]) -> bool:
        rooms = self._sio.manager.rooms.get(NAMESPACE, {})
        return any(audience in rooms for audience in audiences)

    async def _send_all(self) -> None:
        """One burst after the other, so that none overtakes another."""
        try:
            while self._waiting:
                events, self._waiting = self._waiting, []
                await self._send(events)
        finally:
            self._is_sending = False

    async def _send(self, events: Sequence[Event]) -> None:
        bursts: dict[tuple[str, tuple[str, ...]], list[documents.Document]] = {}
        for event in sorted(events, key=_in_order):
            document = payload(event)
            bursts.setdefault((event.name, event.audiences), []).append(document)
            if self._has_listeners(event.watchers):
                bursts.setdefault((event.name, event.watchers), []).append(document)
        for (name, audiences), items in bursts.items():
            await self._sio.emit(name, orjson.Fragment(orjson.dumps(items)), to=list(audiences))


class SocketCourier:
    """Knows the socket of each connected worker: the one that said hello last."""

    def __init__(
        self, sio: socketio.AsyncServer, tasks: TaskKeeper, clock: Clock, ack_seconds: float
    ) -> None:
        self._sio = sio
        self._tasks = tasks
        self._clock = clock
        self._ack_seconds = ack_seconds
        self._sockets: dict[str, str] = {}
        self._parcels = count()
        self._unacked: dict[int, tuple[str, float]] = {}

    def attach(self, worker: str, sid: str) -> None:
        self._sockets[worker] = sid

    def detach(self, worker: str, sid: str) -> None:
        if self._sockets.get(worker) == sid:
            del self._sockets[worker]

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None:
        sid = self._sockets.get(worker)
        if sid is not None:
            items = orjson.dumps([documents.assignment(assignment) for assignment in assignments])
            number = next(self._parcels)
            self._unacked[number] = (worker, self._clock.monotonic() + self._ack_seconds)
            acked = partial(self._acked, number)
            self._tasks.start(self._sio.emit("job:assigned", orjson.Fragment(items), to=sid, callback=acked))

    def silent(self) -> list[str]:
        now = self._clock.monotonic()
        late = [number for number, (_, deadline) in self._unacked.items() if deadline < now]
        return [self._unacked.pop(number)[0] for number in late]

    def _acked(self, number: int, *_: object) -> None:
        self._unacked.pop(number, None)
