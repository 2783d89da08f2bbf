"""Events go out: to streams as they come, by Socket.IO in bursts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

import orjson

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
from workroom.server.engine import Lines
from workroom.services.sequence import Sequence as InOrder

_PAUSE_SECONDS = 0.001
_GATHER_SECONDS = 0.01
_Heard = tuple[Event, tuple[str, ...], tuple[str, ...]]  # with its audiences and watchers


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


class FanOut:
    """Every event goes every way."""

    def __init__(self, *ways: EventBus) -> None:
        self._ways = ways

    def publish(self, events: Sequence[Event]) -> None:
        for way in self._ways:
            way.publish(events)


class Afterwards:
    """Who is asked for something answers first, and tells everybody else a moment later."""

    def __init__(self, way: EventBus) -> None:
        self._way = way
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Event] = []

    def publish(self, events: Sequence[Event]) -> None:
        if events and not self._waiting:
            self._loop.call_later(_PAUSE_SECONDS, self._tell)
        self._waiting += events

    def _tell(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._way.publish(waiting)


class OneByOne:
    """Steps of one commit may be published in any order; they are told in that of the store.

    For a server that is alone on its store: it publishes every step itself.
    """

    def __init__(self, way: EventBus, reached: int) -> None:
        self._way = way
        self._steps = InOrder(reached, way.publish)

    def publish(self, events: Sequence[Event]) -> None:
        ready: list[Event] = []
        for event in events:
            if isinstance(event, JobStateChanged):
                ready += self._steps.take(event.transition.sequence, event)
            else:
                ready.append(event)
        self._way.publish(ready)


class SocketBus:
    """Who listens is told a few milliseconds later: by then a quick job has often come to its end, and one
    message tells it all.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Heard] = []

    def publish(self, events: Sequence[Event]) -> None:
        audible = self._lines.audiences().keys()
        was_waiting = bool(self._waiting)
        for event in events:
            audiences, watchers = event.audiences, event.watchers
            if not audible.isdisjoint((*audiences, *watchers)):
                self._waiting.append((event, audiences, watchers))
        if self._waiting and not was_waiting:
            self._loop.call_later(_GATHER_SECONDS, self._send_all)

    def topics(self) -> list[str]:
        """All that somebody listens to."""
        return [audience for audience in self._lines.audiences() if audience is not None]

    def _send_all(self) -> None:
        heard, self._waiting = self._waiting, []
        audible = self._lines.audiences().keys()
        bursts: dict[tuple[str, tuple[str, ...]], list[documents.Document]] = {}
        for event, audiences, watchers in sorted(_latest(heard), key=_in_order):
            document = payload(event)
            bursts.setdefault((event.name, audiences), []).append(document)
            if not audible.isdisjoint(watchers):
                bursts.setdefault((event.name, watchers), []).append(document)
        for (name, hearers), items in bursts.items():
            self._lines.tell(hearers, name, orjson.dumps(items))


def _in_order(heard: _Heard) -> int:
    """Several servers may tell of their steps in any order."""
    return heard[0].transition.sequence if isinstance(heard[0], JobStateChanged) else 0


def _latest(heard: Sequence[_Heard]) -> list[_Heard]:
    """Of a worker only how it stands now."""
    last = {each[0].worker: each for each in heard if isinstance(each[0], WorkerStateChanged)}
    return [
        each for each in heard if not isinstance(each[0], WorkerStateChanged) or last[each[0].worker] is each
    ]


class SocketCourier:
    """Knows the socket of each connected worker: the one that said hello last."""

    def __init__(self, lines: Lines, clock: Clock, ack_seconds: float) -> None:
        self._lines = lines
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
            self._lines.ask(sid, "job:assigned", items, partial(self._acked, number))

    def silent(self) -> list[str]:
        now = self._clock.monotonic()
        late = [number for number, (_, deadline) in self._unacked.items() if deadline < now]
        return [self._unacked.pop(number)[0] for number in late]

    def _acked(self, number: int) -> None:
        self._unacked.pop(number, None)
