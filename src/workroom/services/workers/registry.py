"""The workers connected to this server: session, socket, slots and the attempts they hold."""

from __future__ import annotations

import math
from asyncio import TimerHandle
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workroom.domain.job import Fence
from workroom.domain.rules.estimates import (
    RECALL_SECONDS,
    UNKNOWN_START_SECONDS,
    next_start_s,
    paced_limit,
    read_ahead,
    start_limit_s,
)
from workroom.domain.steps import Offer
from workroom.domain.worker import Session, WorkerState, worker_state
from workroom.services.workers.run_times import BusySlots

Attempt = tuple[str, int]
MAX_SUSPENDED = 4  # attempts that wait without a slot, for each slot
MAX_NESTED = 60  # beyond these, attempts that wait for their children
_RECENT_STARTS = 128  # that the pace covers
_FORGETS, _FORGETS_MS = 1.02, 0.01  # how the shortest round trip grows with each ack


@dataclass(slots=True)
class HeldAttempt:
    """An attempt at a worker. It is `starting` while its start is on the way to the disk."""

    token: str
    extension_id: int | None
    started: bool = False
    starting: bool = False
    recalled: bool = False
    suspended: bool = False  # it waits for an answer or a child, and occupies no slot
    held_at: float = 0.0
    started_at: float = 0.0

    @property
    def is_unbegun(self) -> bool:
        return not (self.started or self.starting or self.recalled)


@dataclass(slots=True)
class StartPace:
    """How fast a worker starts what it holds, whether its jobs, the network or this server limit it."""

    since: float | None = None  # None while it held nothing: that time does not count
    recent_ms: float = 0.0
    recent_starts: float = 0.0

    @property
    def limit(self) -> int:
        """How many jobs it may hold ahead."""
        return paced_limit(self.recent_ms, self.recent_starts)

    def note(self, starts: int, now: float) -> None:
        """A long pause counts as 60 ms: a long job occupied the slots meanwhile."""
        if not starts:
            return
        if self.since is not None:
            self.recent_ms += min(now - self.since, RECALL_SECONDS) * 1000
            self.recent_starts += starts
        self.since = now
        if self.recent_starts > 2 * _RECENT_STARTS:
            self.recent_ms *= _RECENT_STARTS / self.recent_starts
            self.recent_starts = _RECENT_STARTS


@dataclass(slots=True)
class ConnectedWorker:
    """A worker with an open session: a cache of the store, corrected by every heartbeat.

    `claiming` counts the jobs of claims in flight, `queued` the extensions for which the worker is listed as
    idle. An `on_call` worker is never pushed to: it is notified and then requests a job itself.
    `reads_ahead` is False from a recall until the next end, and `returned` counts what it gave back since. It
    `is_still` from a recall of what it should have started until its next message. `start_s` is how long it
    takes to start an attempt.
    """

    session: Session
    slots: int
    offers: tuple[Offer, ...]
    waits_in: frozenset[str | None] = frozenset()  # rooms where an offer awaits consent
    socket: str | None = None
    heartbeat_at_us: int = 0
    on_call: bool = False
    turn: int = 0
    queued: set[int] = field(default_factory=set)
    claiming: int = 0
    draining: bool = False
    suspect: bool = False
    is_still: bool = False
    held: dict[Attempt, HeldAttempt] = field(default_factory=dict)
    changes: int = 0  # to `held`
    running: int = 0  # of `held`: the state is read several times for each message
    suspended: int = 0  # of `held`
    busy: dict[int, BusySlots] = field(default_factory=dict)  # by extension
    reads_ahead: bool = True
    pace: StartPace = field(default_factory=StartPace)
    returned: int = 0
    trip_ms: float = 0.0  # to the worker and back, at best
    start_s: float = UNKNOWN_START_SECONDS
    freed_at: float = 0.0  # when a slot was last freed
    recall_timer: TimerHandle | None = None
    published: WorkerState = WorkerState.OFFLINE
    since_us: int = 0  # when the published state began
    extension_ids: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.set_offers(self.offers, self.waits_in)

    def set_offers(self, offers: Iterable[Offer], waits_in: frozenset[str | None]) -> None:
        self.offers, self.waits_in = tuple(offers), waits_in
        self.extension_ids = frozenset(offer.extension_id for offer in self.offers)

    @property
    def id(self) -> str:
        return self.session.worker

    @property
    def free(self) -> int:
        """The free slots that any job may have."""
        if self.is_away or (self.suspended and self.is_nested):
            return 0
        return max(0, self.slots - len(self.held) + self.suspended - self.claiming)

    @property
    def has_room(self) -> bool:
        return self.free > 0 or (self.suspended > 0 and self.free_for_children > 0)

    @property
    def is_nested(self) -> bool:
        """Whether so many attempts wait that free slots are for their children: others might wait as well."""
        return self.suspended > MAX_SUSPENDED * self.slots

    @property
    def free_for_children(self) -> int:
        if self.is_away or not self.is_nested:
            return 0
        return max(0, self.slots - len(self.held) + self.suspended - self.claiming)

    @property
    def parents(self) -> tuple[str, ...]:
        """The jobs that wait, those that were assigned last first: they are the deepest ones."""
        return tuple(job_id for (job_id, _), held in reversed(self.held.items()) if held.suspended)

    @property
    def is_away(self) -> bool:
        return self.draining or self.suspect or self.is_still

    @property
    def rooms(self) -> tuple[str | None, ...]:
        return tuple({offer.room for offer in self.offers} | self.waits_in)

    @property
    def state(self) -> WorkerState:
        return worker_state(online=True, running=self.running, assigned=len(self.held) - self.running)

    @property
    def jobs(self) -> tuple[str, ...]:
        return tuple([job_id for job_id, _ in self.held])

    def hold(self, fence: Fence, extension_id: int, now: float) -> None:
        if not self.held:
            self.pace.since = now
        self.held[fence.job_id, fence.attempt] = HeldAttempt(fence.token, extension_id, held_at=now)
        self.changes += 1

    def release(self, job_id: str, attempt: int) -> HeldAttempt | None:
        held = self.held.pop((job_id, attempt), None)
        if held is not None:
            self.changes += 1
            self.running -= held.started
            self.suspended -= held.suspended
        return held

    def end(self, fences: Iterable[Fence]) -> list[tuple[str, HeldAttempt]]:
        """Release those that run, each with the id of its job."""
        ended: list[tuple[str, HeldAttempt]] = []
        for fence in fences:
            attempt = fence.job_id, fence.attempt
            held = self.held.get(attempt)
            if held is not None and held.started and held.token == fence.token:
                del self.held[attempt]
                ended.append((fence.job_id, held))
        self.changes += len(ended)
        self.running -= len(ended)
        if self.suspended:
            self.suspended -= sum(held.suspended for _, held in ended)
        return ended

    def suspend(self, fence: Fence, *, for_child: bool) -> bool:
        """Free the slot of an attempt that waits, unless too many do."""
        held = self.held.get((fence.job_id, fence.attempt))
        if held is None or not held.started or held.token != fence.token:
            return False
        most = MAX_SUSPENDED * self.slots + (MAX_NESTED if for_child else 0)
        if not held.suspended and self.suspended < most:
            held.suspended = True
            self.suspended += 1
        return held.suspended

    def resume(self, fence: Fence) -> None:
        """It occupies a slot again, even one more than there are: what runs in it ends first."""
        held = self.held.get((fence.job_id, fence.attempt))
        if held is not None and held.suspended and held.token == fence.token:
            held.suspended = False
            self.suspended -= 1

    def room_ahead(self, fast: Mapping[int, float], most: int) -> int:
        """How many fast jobs fit beyond the slots before 20 ms of predicted work are held.

        None behind a job that is not known to be fast.
        """
        is_slow = any(held.extension_id not in fast for held in self.held.values())
        if not fast or is_slow or self.claiming or self.is_away or self.is_nested or not self.reads_ahead:
            return 0
        depth = min(read_ahead(max(fast.values())) * self.slots, self.pace.limit, most)
        room = depth - max(0, len(self.held) - self.suspended - self.slots)
        return room if room * 2 >= depth else 0

    def start(self, fences: Iterable[Fence], now: float) -> list[HeldAttempt]:
        """These are running now. Returns those that did not run before."""
        started: list[HeldAttempt] = []
        for fence in fences:
            held = self.held.get((fence.job_id, fence.attempt))
            if held is not None and not held.started:
                held.started, held.started_at = True, now
                started.append(held)
        self.running += len(started)
        for extension, jobs in _count_by_extension(started).items():
            self.busy.setdefault(extension, BusySlots()).start(jobs, self.slots, now)
        return started

    def stop(self, released: Sequence[HeldAttempt], now: float) -> None:
        """Released attempts occupy no slot any longer."""
        if released:
            self.freed_at = now
        for extension, jobs in _count_by_extension(released).items():
            self.busy[extension].stop(jobs, self.slots, now)

    def acked(self, seconds: float) -> None:
        """A push was acked after so long."""
        self.trip_ms = min(seconds * 1000, self.trip_ms * _FORGETS + _FORGETS_MS)

    def start_sent(self, fences: Iterable[Fence], now: float) -> None:
        """Starts have arrived. Their pace limits what is held ahead next."""
        count = 0
        for fence in fences:
            held = self.held.get((fence.job_id, fence.attempt))
            if held is not None and held.token == fence.token and not held.starting:
                held.starting = True
                count += 1
                if count == 1 and len(self.held) - self.suspended <= self.slots:
                    self.start_s = next_start_s(self.start_s, now - self._due_at(held))
        self.pace.note(count, now)

    def ahead(self) -> list[tuple[Attempt, HeldAttempt]]:
        """What has not begun and no free slot will begin now, in the order of assignment."""
        unbegun = self._unbegun()
        return unbegun[self._idle_slots(unbegun) :]

    def overdue(self, now: float) -> list[tuple[Attempt, HeldAttempt]]:
        """What free slots should have begun by now."""
        unbegun = self._unbegun()
        before = now - start_limit_s(self.start_s)
        due = unbegun[: self._idle_slots(unbegun)]
        return [(attempt, held) for attempt, held in due if self._due_at(held) <= before]

    def next_recall_at(self, now: float) -> float | None:
        """When something else will have waited for too long; None if everything has begun."""
        unbegun = self._unbegun()
        idle = self._idle_slots(unbegun)
        limit_s = start_limit_s(self.start_s)
        due = [self._due_at(held) + limit_s for _, held in unbegun[:idle]]
        due += [held.held_at + RECALL_SECONDS for _, held in unbegun[idle:]]
        if not due:
            return None
        return min((at for at in due if at > now), default=now + RECALL_SECONDS)

    def stands_still(self) -> None:
        """It has not started what it should have: give it nothing more until its next message."""
        self.is_still = True
        self.start_s = next_start_s(self.start_s, math.inf)

    def _due_at(self, held: HeldAttempt) -> float:
        """When a slot was free for it. This may be too late, never too early."""
        return max(held.held_at, self.freed_at)

    def _unbegun(self) -> list[tuple[Attempt, HeldAttempt]]:
        return [(attempt, held) for attempt, held in self.held.items() if held.is_unbegun]

    def _idle_slots(self, unbegun: Sequence[tuple[Attempt, HeldAttempt]]) -> int:
        """How many slots nothing has begun to use."""
        return max(0, self.slots - (len(self.held) - self.suspended - len(unbegun)))

    def replace_held(
        self,
        fences: Iterable[Fence],
        unbegun: Collection[Fence],
        suspended: Collection[Fence],
        now: float,
    ) -> list[HeldAttempt]:
        """Hold exactly the attempts that the store lists; return those that are gone.

        The extension of an unknown one stays unknown; it has begun unless the worker lists it as `unbegun`.
        """
        known = {(fence.job_id, fence.attempt): fence for fence in fences}
        gone = [self.held.pop(attempt) for attempt in list(self.held) if attempt not in known]
        for attempt, fence in known.items():
            if attempt not in self.held:
                has_begun = fence not in unbegun
                self.held[attempt] = HeldAttempt(fence.token, None, started=has_begun, held_at=now)
        self.running = sum(held.started for held in self.held.values())
        self._suspend_exactly(known, suspended)
        return gone

    def _suspend_exactly(self, known: Mapping[Attempt, Fence], suspended: Collection[Fence]) -> None:
        if not self.suspended and not suspended:
            return
        self.suspended = sum(held.suspended for held in self.held.values())
        for fence in known.values():
            if fence in suspended:
                self.suspend(fence, for_child=True)
            else:
                self.resume(fence)


def _count_by_extension(attempts: Iterable[HeldAttempt]) -> dict[int, int]:
    """How many of them were started here, where their extension is known."""
    counts: dict[int, int] = {}
    for held in attempts:
        if held.started_at and held.extension_id is not None:
            counts[held.extension_id] = counts.get(held.extension_id, 0) + 1
    return counts


class WorkerRegistry:
    """Every connected worker by id. The newest session of a worker replaces an older one."""

    def __init__(self) -> None:
        self._workers: dict[str, ConnectedWorker] = {}
        self.get = self._workers.get  # bound: dispatch calls it several times per job

    def __iter__(self) -> Iterator[ConnectedWorker]:
        return iter(self._workers.values())

    def __len__(self) -> int:
        return len(self._workers)

    def __contains__(self, worker_id: str) -> bool:
        return worker_id in self._workers

    def add(self, worker: ConnectedWorker) -> None:
        self._workers[worker.id] = worker

    def remove(self, worker_id: str) -> ConnectedWorker | None:
        return self._workers.pop(worker_id, None)

    def find(self, session: Session) -> ConnectedWorker | None:
        """The worker of this session; None if it is not connected here, or by another session."""
        worker = self._workers.get(session.worker)
        return worker if worker is not None and worker.session == session else None

    def select(self, worker_ids: Iterable[str]) -> list[ConnectedWorker]:
        """Those of the workers that are connected here."""
        return [self._workers[each] for each in worker_ids if each in self._workers]

    def ids(self) -> list[str]:
        return list(self._workers)

    def socket_of(self, worker_id: str) -> str | None:
        worker = self._workers.get(worker_id)
        return None if worker is None else worker.socket

    def heartbeat_at_us(self, worker_id: str) -> int | None:
        worker = self._workers.get(worker_id)
        return None if worker is None else worker.heartbeat_at_us

    def held_jobs(self, worker_id: str) -> list[str]:
        worker = self._workers.get(worker_id)
        return [] if worker is None else list(worker.jobs)
