"""What follows a durable step: slots are freed, jobs dispatched, waiters resolved, events published."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workroom.domain.events import (
    AttemptRevoked,
    ChatPosted,
    Event,
    ExtensionsChanged,
    GroupChanged,
    JobStateChanged,
)
from workroom.domain.job import Transition
from workroom.domain.steps import Step
from workroom.domain.storage.peer_message import PeerMessage
from workroom.ports import EventBus, Peers
from workroom.services.jobs.catalog import Catalog
from workroom.services.jobs.waiters import Waiters
from workroom.services.live.group_changes import GroupChanges
from workroom.services.live.subscriptions import Subscriptions
from workroom.services.metrics.job_counts import JobCounts
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
        self.group_waiters = Waiters()
        self.job_counts = JobCounts()
        self._groups = GroupChanges(self.publish)
        self._wake: Callable[[float], None] = lambda _: None
        self._fill: Callable[[Sequence[str]], None] = lambda _: None
        self._on_transitions: Callable[[Sequence[Transition]], None] = lambda _: None
        dispatcher.on_claim(self._continue)

    def on_wake(self, wake: Callable[[float], None]) -> None:
        """Call this with the seconds until the next deadline that a step began or found."""
        self._wake = wake

    def on_fill(self, fill: Callable[[Sequence[str]], None]) -> None:
        """Call this with jobs that can start once results are filled into their values."""
        self._fill = fill

    def on_transitions(self, act: Callable[[Sequence[Transition]], None]) -> None:
        """Call this with the transitions of each step, here and on other servers."""
        self._on_transitions = act

    def publish(self, events: Sequence[Event]) -> None:
        self._bus.publish(events)

    def apply(self, step: Step) -> None:
        for worker in step.offline:
            self.dispatcher.remove(worker)
        if step.released:
            self.dispatcher.release(step.released)
        self._continue(step)
        if step.to_fill:
            self._fill(step.to_fill)
        self.catalog.forget(step.removed)
        self.job_counts.count(step.transitions)
        self.waiters.resolve_ended(step.transitions)
        self.subscriptions.jobs_changed(step.transitions)
        self._on_transitions(step.transitions)
        if step.groups:
            self._groups.add(step.groups)
            for group in step.groups:
                self.group_waiters.end(group.id)
        events: list[Event] = [JobStateChanged(transition) for transition in step.transitions]
        events += [
            AttemptRevoked(each.worker, each.job_id, each.attempt, each.reason) for each in step.revoked
        ]
        events += [ExtensionsChanged(key) for key in dict.fromkeys((*step.departed, *step.removed))]
        events += [ChatPosted(message) for message in step.chat]
        self._bus.publish(events)

    def _continue(self, step: Step) -> None:
        """Dispatch what became ready, here and on other servers, now and when the next deadline ends."""
        if step.requeued:
            self.dispatcher.jobs_arrived(step.arrivals)
        if step.arrivals or step.released or step.offline:
            self._peers.send(
                PeerMessage(arrivals=step.arrivals, released=step.released, offline=step.offline)
            )
        if step.wake_s is not None:
            self._wake(step.wake_s)

    def apply_peer_message(self, message: PeerMessage) -> None:
        """Apply a step of another server here. Publishing its events is left to the caller."""
        for worker in message.offline:
            self.dispatcher.remove(worker)
        self.dispatcher.release(message.released)
        self.dispatcher.jobs_arrived(message.arrivals)
        transitions = [each.transition for each in message.events if isinstance(each, JobStateChanged)]
        self.waiters.resolve_ended(transitions)
        self.subscriptions.jobs_changed(transitions)
        self._on_transitions(transitions)
        for event in message.events:
            if isinstance(event, GroupChanged):
                self.group_waiters.end(event.group_id)
        self.catalog.forget([each.key for each in message.events if isinstance(each, ExtensionsChanged)])
