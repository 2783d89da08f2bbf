"""What follows a durable step: slots are freed, work is handed out, everyone is told."""

from __future__ import annotations

from collections.abc import Mapping

from workroom.domain.events import ChatSaid, Event, ExtensionsChanged, JobRevoked, JobStateChanged
from workroom.domain.news import News
from workroom.domain.steps import Step
from workroom.ports import EventBus, Peers
from workroom.services.catalog import Catalog
from workroom.services.dispatch import Dispatcher
from workroom.services.waiting import Waiters


class Outflow:
    def __init__(
        self, bus: EventBus, dispatcher: Dispatcher, catalog: Catalog, waiters: Waiters, peers: Peers
    ) -> None:
        self._bus = bus
        self._peers = peers
        self._dispatcher = dispatcher
        self._catalog = catalog
        self._waiters = waiters

    def follow(self, step: Step, run_ms: Mapping[str, float] | None = None) -> None:
        for worker in step.offline:
            self._dispatcher.forget(worker)
        if step.released:
            self._dispatcher.released(step.released, run_ms)
        if step.requeued:
            self._dispatcher.arrived(step.arrivals)
        if step.arrivals or step.released or step.offline:
            self._peers.tell(News(arrivals=step.arrivals, released=step.released, offline=step.offline))
        self._catalog.forget(step.removed)
        self._waiters.tell(step.transitions)
        events: list[Event] = [JobStateChanged(transition) for transition in step.transitions]
        events += [JobRevoked(each.worker, each.job_id, each.attempt, each.reason) for each in step.revoked]
        events += [ExtensionsChanged(key) for key in step.removed]
        events += [ChatSaid(message) for message in step.said]
        self._bus.publish(events)
