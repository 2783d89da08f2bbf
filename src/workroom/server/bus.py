"""Events go out: to streams as they come, by Socket.IO in bursts."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, groupby, repeat
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

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
    job_audience,
)
from workroom.domain.steps import Assignment
from workroom.domain.worker import WorkerState
from workroom.ports import Clock, EventBus
from workroom.server import documents, hearing
from workroom.server.engine import Lines
from workroom.services.sequence import steps_in_order

_PAUSE_SECONDS = 0.001
_GATHER_SECONDS = 0.01
_PARCEL_BYTES = 512_000
_ASSIGNMENT_BYTES = 1000  # besides its values, with names of some length
_E = TypeVar("_E", bound=Event)
_Audiences = tuple[str, ...]
_Heard = tuple[_E, _Audiences]


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
        self._steps = steps_in_order(reached, way.publish)

    def publish(self, events: Sequence[Event]) -> None:
        self._way.publish(self._steps.take(events))


class SocketBus:
    """Who listens is told a few milliseconds later: by then a quick job has often come to its end, and one
    message tells it all.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._loop = asyncio.get_running_loop()
        self._steps: list[_Heard[JobStateChanged]] = []
        self._others: list[_Heard[Event]] = []

    def publish(self, events: Sequence[Event]) -> None:
        was_waiting = self._is_waiting
        self._steps += self._heard([event for event in events if isinstance(event, JobStateChanged)])
        self._others += self._heard([event for event in events if not isinstance(event, JobStateChanged)])
        if self._is_waiting and not was_waiting:
            self._loop.call_later(_GATHER_SECONDS, self._send_all)

    def topics(self) -> list[str]:
        """All that somebody listens to."""
        return [audience for audience in self._lines.audiences() if audience is not None]

    @property
    def _is_waiting(self) -> bool:
        return bool(self._steps or self._others)

    def _heard(self, events: Iterable[_E]) -> list[_Heard[_E]]:
        """Those that somebody listens to. Many in a row have the same audiences, which are looked at once."""
        heard: list[_Heard[_E]] = []
        is_silent = self._lines.audiences().keys().isdisjoint
        for audiences, run in groupby(events, key=attrgetter("audiences")):
            if is_silent(audiences):
                heard += [(event, audiences) for event in run if not is_silent(event.watchers)]
            else:
                heard += zip(run, repeat(audiences))
        return heard

    def _send_all(self) -> None:
        """Steps come last: what a job showed is told before its end."""
        others, self._others = _latest(self._others), []
        steps, self._steps = _in_order(self._steps), []
        bursts: defaultdict[tuple[str, _Audiences], list[documents.Document]] = defaultdict(list)
        for event, audiences in others:
            bursts[event.name, audiences].append(payload(event))
        for audiences, run in groupby(steps, key=itemgetter(1)):
            bursts[JobStateChanged.name, audiences] += [
                documents.transition(step.transition) for step, _ in run
            ]
        for step in self._watched(steps):
            bursts[step.name, step.watchers].append(payload(step))
        for (name, hearers), items in bursts.items():
            self._lines.tell(hearers, name, orjson.dumps(items))

    def _watched(self, steps: Sequence[_Heard[JobStateChanged]]) -> list[JobStateChanged]:
        """Those of jobs that somebody watches, which are few. A job with several steps is looked at once."""
        audible = self._lines.audiences()
        jobs = {step.transition.job_id for step, _ in steps}
        watched = {job for job in jobs if job_audience(job) in audible}
        return [step for step, _ in steps if step.transition.job_id in watched] if watched else []


def _in_order(steps: list[_Heard[JobStateChanged]]) -> list[_Heard[JobStateChanged]]:
    """One server tells of its steps in the order of the log, several together in any."""
    numbers = [step.transition.sequence for step, _ in steps]
    if numbers == sorted(numbers):
        return steps
    return sorted(steps, key=lambda heard: heard[0].transition.sequence)


def _latest(heard: Sequence[_Heard[Event]]) -> list[_Heard[Event]]:
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
            for parcel in _cut(assignments):
                self._send(worker, sid, parcel)

    def _send(self, worker: str, sid: str, parcel: Sequence[Assignment]) -> None:
        items = orjson.dumps([documents.assignment(assignment) for assignment in parcel])
        number = next(self._parcels)
        self._unacked[number] = (worker, self._clock.monotonic() + self._ack_seconds)
        self._lines.ask(sid, "job:assigned", items, partial(self._acked, number))

    def silent(self) -> list[str]:
        now = self._clock.monotonic()
        late = [number for number, (_, deadline) in self._unacked.items() if deadline < now]
        return [self._unacked.pop(number)[0] for number in late]

    def _acked(self, number: int) -> None:
        self._unacked.pop(number, None)


def _cut(assignments: Sequence[Assignment]) -> Iterator[list[Assignment]]:
    """Of a size that every client takes: some refuse messages of a few megabytes."""
    parcel: list[Assignment] = []
    size = 0
    for assignment in assignments:
        weight = _ASSIGNMENT_BYTES + len(assignment.data or b"")
        if parcel and size + weight > _PARCEL_BYTES:
            yield parcel
            parcel, size = [], 0
        parcel.append(assignment)
        size += weight
    if parcel:
        yield parcel
