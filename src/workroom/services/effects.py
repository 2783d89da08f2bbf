"""What follows a durable step: slots are freed, jobs dispatched, waiters resolved, events published."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workroom.domain.events import AttemptRevoked, ChatPosted, Event, ExtensionsChanged, JobStateChanged
from workroom.domain.steps import Step
from workroom.domain.storage.peer_message import PeerMessage
from workroom.ports import EventBus, Peers
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.waiters import Waiters
from workroom.services.live.subscriptions import Subscriptions
from workroom.services.workers.dispatcher import Dispatcher


class Effects:
    def __init__(
        self,
        bus: EventBus,
        dispatcher: Dispatcher,
        catalog: Catalog,
        waiters: Waiters,
        peers: Peers,
        subscriptions: Subscriptions,
    ) -> None:
        self.dispatcher = dispatcher
        self.catalog = catalog
        self.waiters = waiters
        self.subscriptions = subscriptions
        self._bus = bus
        self._peers = peers
        self._wake: Callable[[float], None] = lambda _: None

    def on_wake(self, wake: Callable[[float], None]) -> None:
        """Call this with the seconds until the next deadline that a step began or found."""
        self._wake = wake

    def publish(self, events: Sequence[Event]) -> None:
        self._bus.publish(events)

    def apply(self, step: Step) -> None:
        for worker in step.offline:
            self.dispatcher.remove(worker)
        if step.released:
            self.dispatcher.release(step.released)
        if step.requeued:
            self.dispatcher.jobs_arrived(step.arrivals)
        if step.arrivals or step.released or step.offline:
            self._peers.send(
                PeerMessage(arrivals=step.arrivals, released=step.released, offline=step.offline)
            )
        if step.wake_s is not None:
            self._wake(step.wake_s)
        self.catalog.forget(step.removed)
        self.waiters.resolve_ended(step.transitions)
        self.subscriptions.jobs_changed(step.transitions)
        events: list[Event] = [JobStateChanged(transition) for transition in step.transitions]
        events += [
            AttemptRevoked(each.worker, each.job_id, each.attempt, each.reason) for each in step.revoked
        ]
        events += [ExtensionsChanged(key) for key in dict.fromkeys((*step.departed, *step.removed))]
        events += [ChatPosted(message) for message in step.chat]
        self._bus.publish(events)

    def apply_peer_message(self, message: PeerMessage) -> None:
        """Apply a step of another server here. Publishing its events is left to the caller."""
        for worker in message.offline:
            self.dispatcher.remove(worker)
        self.dispatcher.release(message.released)
        self.dispatcher.jobs_arrived(message.arrivals)
        transitions = [each.transition for each in message.events if isinstance(each, JobStateChanged)]
        self.waiters.resolve_ended(transitions)
        self.subscriptions.jobs_changed(transitions)
        self.catalog.forget([each.key for each in message.events if isinstance(each, ExtensionsChanged)])
