"""Events go out by Socket.IO, in bursts: what happens in one turn of the loop leaves in one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import socketio

from workroom.domain.events import (
    DataChanged,
    Event,
    ExtensionsChanged,
    JobProgressed,
    JobRevoked,
    JobStateChanged,
    WorkerStateChanged,
)
from workroom.domain.steps import Assignment
from workroom.server import documents
from workroom.services.tasks import TaskKeeper

NAMESPACE = "/"


def _extensions_changed(event: ExtensionsChanged) -> documents.Document:
    return {"scope": event.key.scope, "room": event.key.room, "category": event.key.category}


def _worker_state_changed(event: WorkerStateChanged) -> documents.Document:
    return {"worker": event.worker, "state": event.state, "since": documents.time_of(event.since_us)}


def _data_changed(event: DataChanged) -> documents.Document:
    return {"room": event.room, "category": event.category, "name": event.extension}


_PAYLOADS: dict[type[Event], Callable[[Any], documents.Document]] = {
    JobStateChanged: lambda event: documents.transition(event.transition),
    JobProgressed: lambda event: {"job_id": event.job_id, "progress": orjson.Fragment(event.document)},
    JobRevoked: lambda event: {"job_id": event.job_id, "attempt": event.attempt, "reason": event.reason},
    ExtensionsChanged: _extensions_changed,
    WorkerStateChanged: _worker_state_changed,
    DataChanged: _data_changed,
}


def _in_order(event: Event) -> int:
    """Steps of one commit may be published in any order; they are told in that of the store."""
    return event.transition.sequence if isinstance(event, JobStateChanged) else 0


class SocketBus:
    def __init__(self, sio: socketio.AsyncServer, tasks: TaskKeeper) -> None:
        self._sio = sio
        self._tasks = tasks
        self._waiting: list[Event] = []
        self._is_sending = False

    def publish(self, events: Sequence[Event]) -> None:
        self._waiting += [event for event in events if self._has_listeners(event.audiences)]
        if self._waiting and not self._is_sending:
            self._is_sending = True
            self._tasks.start(self._send_all())

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
            payload = _PAYLOADS[type(event)](event)
            bursts.setdefault((event.name, event.audiences), []).append(payload)
        for (name, audiences), items in bursts.items():
            await self._sio.emit(name, orjson.Fragment(orjson.dumps(items)), to=list(audiences))


class SocketCourier:
    """Knows the socket of each connected worker: the one that said hello last."""

    def __init__(self, sio: socketio.AsyncServer, tasks: TaskKeeper) -> None:
        self._sio = sio
        self._tasks = tasks
        self._sockets: dict[str, str] = {}

    def attach(self, worker: str, sid: str) -> None:
        self._sockets[worker] = sid

    def detach(self, worker: str, sid: str) -> None:
        if self._sockets.get(worker) == sid:
            del self._sockets[worker]

    def push(self, worker: str, assignments: Sequence[Assignment]) -> None:
        sid = self._sockets.get(worker)
        if sid is not None:
            items = orjson.dumps([documents.assignment(assignment) for assignment in assignments])
            parcel = orjson.Fragment(items)
            self._tasks.start(self._sio.emit("job:assigned", parcel, to=sid, callback=_acked))


def _acked(*_: object) -> None:
    """The worker has the jobs. Its `job:start` says the rest; silence runs into the start deadline."""
