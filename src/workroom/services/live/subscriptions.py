"""What callers subscribe to or wait for, which ends when they may no longer see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from workroom.domain.identity import Principal
from workroom.domain.job import Fence, Job, JobState, Transition
from workroom.domain.permissions import Permission, job_relations, may, room_relations
from workroom.domain.room import Room

PUT_OUT = "you may not see this any more"
DELETED = "the room was deleted"
ATTEMPT_OVER = "the attempt that subscribed to this has ended"

OnEnd = Callable[[str], None]
"""Called once, with the reason."""


@dataclass(slots=True, eq=False)
class Subscription:
    who: Principal
    allows: Callable[[Room], bool]
    on_end: OnEnd
    room: str | None = None
    is_over: bool = False

    def end(self, reason: str) -> None:
        if not self.is_over:
            self.is_over = True
            self.on_end(reason)


class Subscriptions:
    """Subscribe first, then check access: a caller who loses access in between is found here."""

    def __init__(self) -> None:
        self._of_rooms: dict[str, set[Subscription]] = {}
        self._of_attempts: dict[str, set[Subscription]] = {}  # by job id, if a running job subscribes

    def to_room(self, who: Principal, room: str, on_end: OnEnd) -> Subscription:
        return self._add(Subscription(who, lambda found: _sees_room(who, found), on_end, room))

    def to_job(self, who: Principal, job: Job, on_end: OnEnd) -> Subscription:
        return self._add(Subscription(who, lambda found: _sees_job(who, job, found), on_end, job.room))

    def to_attempt(self, who: Principal, on_end: OnEnd) -> Subscription:
        """Ends when the attempt whose token the caller uses has ended."""
        return self._add(Subscription(who, lambda _: True, on_end))

    def remove(self, subscription: Subscription) -> None:
        _discard(self._of_rooms, subscription.room, subscription)
        if subscription.who.job is not None:
            _discard(self._of_attempts, subscription.who.job.job_id, subscription)

    @property
    def rooms(self) -> list[str]:
        """The rooms that have a subscription."""
        return list(self._of_rooms)

    @property
    def attempts(self) -> set[Fence]:
        """The attempts that have subscribed to something."""
        found = {each.who.job for subscriptions in self._of_attempts.values() for each in subscriptions}
        return {fence for fence in found if fence is not None}

    def room_changed(self, room: Room) -> None:
        for subscription in list(self._of_rooms.get(room.name, ())):
            if not subscription.allows(room):
                self._end(subscription, DELETED if room.deleted else PUT_OUT)

    def jobs_changed(self, transitions: Iterable[Transition]) -> None:
        if self._of_attempts:
            for step in transitions:
                self._job_changed(step)

    def attempt_ended(self, fence: Fence) -> None:
        for subscription in list(self._of_attempts.get(fence.job_id, ())):
            if subscription.who.job == fence:
                self._end(subscription, ATTEMPT_OVER)

    def _job_changed(self, step: Transition) -> None:
        for subscription in list(self._of_attempts.get(step.job_id, ())):
            fence = subscription.who.job
            if fence is not None and (step.status, step.attempt) != (JobState.RUNNING, fence.attempt):
                self._end(subscription, ATTEMPT_OVER)

    def _add(self, subscription: Subscription) -> Subscription:
        if subscription.room is not None:
            self._of_rooms.setdefault(subscription.room, set()).add(subscription)
        if subscription.who.job is not None:
            self._of_attempts.setdefault(subscription.who.job.job_id, set()).add(subscription)
        return subscription

    def _end(self, subscription: Subscription, reason: str) -> None:
        self.remove(subscription)
        subscription.end(reason)


def _sees_room(who: Principal, room: Room) -> bool:
    return not room.deleted and may(Permission.SEE_ROOM, room_relations(who, room))


def _sees_job(who: Principal, job: Job, room: Room) -> bool:
    return may(Permission.SEE_JOB, job_relations(who, job, None if room.deleted else room))


def _discard(index: dict[str, set[Subscription]], key: str | None, subscription: Subscription) -> None:
    found = index.get(key, set()) if key is not None else set()
    found.discard(subscription)
    if key is not None and not found:
        index.pop(key, None)
