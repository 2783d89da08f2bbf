"""Event buses: how events get from the services to streams, peers and sockets."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, repeat
from operator import attrgetter, itemgetter
from typing import TypeVar

import orjson

from workroom.domain.events import (
    EVENTS,
    FLEET,
    Event,
    JobStateChanged,
    PositionsShown,
    WorkerStateChanged,
    job_audience,
)
from workroom.ports import EventBus
from workroom.server.http.views.event import render_event
from workroom.server.http.views.job import render_transition
from workroom.server.http.views.values import Document
from workroom.server.sockets.socket_server import SocketServer
from workroom.services.live.sequence import steps_in_order

_DEFER_SECONDS = 0.001
_BATCH_SECONDS = 0.01
_E = TypeVar("_E", bound=Event)
_Audiences = tuple[str, ...]
_Addressed = tuple[_E, _Audiences]


class FanOut:
    """Publishes every event on each of several buses."""

    def __init__(self, *buses: EventBus) -> None:
        self._buses = buses

    def publish(self, events: Sequence[Event]) -> None:
        for bus in self._buses:
            bus.publish(events)


class DeferredBus:
    """Publishes a millisecond later, so that the reply to the request that caused an event leaves first."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._loop = asyncio.get_running_loop()
        self._deferred: list[Event] = []

    def publish(self, events: Sequence[Event]) -> None:
        if events and not self._deferred:
            self._loop.call_later(_DEFER_SECONDS, self._flush)
        self._deferred += events

    def _flush(self) -> None:
        deferred, self._deferred = self._deferred, []
        self._bus.publish(deferred)


class OrderedBus:
    """Publishes the steps of jobs in the store's order; those of one commit may arrive in any.

    For a server that is alone on its store: it publishes every step itself.
    """

    def __init__(self, bus: EventBus, last_step: int) -> None:
        self._bus = bus
        self._steps = steps_in_order(last_step, bus.publish)

    def publish(self, events: Sequence[Event]) -> None:
        self._bus.publish(self._steps.take(events))


class SocketBus:
    """Publishes events to sockets in batches, every 10 ms: by then a quick job has often ended, and all its
    steps are one message.
    """

    def __init__(self, server: SocketServer) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._steps: list[_Addressed[JobStateChanged]] = []
        self._others: list[_Addressed[Event]] = []

    def publish(self, events: Sequence[Event]) -> None:
        was_empty = self._is_empty
        self._steps += self._with_members([each for each in events if isinstance(each, JobStateChanged)])
        self._others += self._with_members([each for each in events if not isinstance(each, JobStateChanged)])
        if was_empty and not self._is_empty:
            self._loop.call_later(_BATCH_SECONDS, self._flush)

    def topics(self) -> list[str]:
        """Every audience that has a member."""
        return [audience for audience in self._server.audiences() if audience is not None]

    @property
    def _is_empty(self) -> bool:
        return not (self._steps or self._others)

    def _with_members(self, events: Iterable[_E]) -> list[_Addressed[_E]]:
        """The events whose audiences have members. Checks the audiences of a run of events once."""
        found: list[_Addressed[_E]] = []
        have_no_member = self._server.audiences().keys().isdisjoint
        for audiences, run in groupby(events, key=attrgetter("audiences")):
            if have_no_member(audiences):
                found += [(event, audiences) for event in run if not have_no_member(event.watchers)]
            else:
                found += zip(run, repeat(audiences))
        return found

    def _flush(self) -> None:
        """Send steps last: progress and logs of a job precede its end."""
        others, self._others = _latest(self._others), []
        steps, self._steps = _sorted(self._steps), []
        batches: defaultdict[tuple[str, _Audiences], list[Document]] = defaultdict(list)
        for event, audiences in others:
            for each, reached in _divided(event, audiences):
                batches[each.name, reached].append(render_event(each))
        for audiences, run in groupby(steps, key=itemgetter(1)):
            batches[JobStateChanged.name, audiences] += [
                render_transition(step.transition) for step, _ in run
            ]
        for step in self._watched(steps):
            batches[step.name, step.watchers].append(render_transition(step.transition))
        for (name, audiences), items in batches.items():
            self._server.publish(audiences, name, orjson.dumps(items), volatile=EVENTS[name].volatile)

    def _watched(self, steps: Sequence[_Addressed[JobStateChanged]]) -> list[JobStateChanged]:
        """The steps of watched jobs, which are few. Checks a job with several steps once."""
        audiences = self._server.audiences()
        jobs = {step.transition.job_id for step, _ in steps}
        watched = {job for job in jobs if job_audience(job) in audiences}
        return [step for step, _ in steps if step.transition.job_id in watched] if watched else []


def _sorted(steps: list[_Addressed[JobStateChanged]]) -> list[_Addressed[JobStateChanged]]:
    """In the order of the log. The steps of one server arrive in order, those of several do not."""
    numbers = [step.transition.sequence for step, _ in steps]
    if numbers == sorted(numbers):
        return steps
    return sorted(steps, key=lambda addressed: addressed[0].transition.sequence)


def _latest(events: Sequence[_Addressed[Event]]) -> list[_Addressed[Event]]:
    """Without the states of a worker, and the positions of a job, that later ones replace."""
    last = {_replaced(each[0]): each for each in events}
    return [each for each in events if _replaced(each[0]) is None or last[_replaced(each[0])] is each]


def _divided(event: Event, audiences: _Audiences) -> Sequence[_Addressed[Event]]:
    """The jobs of a worker of several rooms are for the fleet: nobody else may see all of those rooms."""
    if isinstance(event, WorkerStateChanged) and event.jobs and event.hides_jobs:
        rooms = tuple(each for each in audiences if each != FLEET)
        return [(event, rooms), (replace(event, rooms=()), (FLEET,))]
    return [(event, audiences)]


def _replaced(event: Event) -> str | None:
    """What the last event of several is about; None if all of them count."""
    if isinstance(event, WorkerStateChanged):
        return event.worker
    return event.job_id if isinstance(event, PositionsShown) else None
