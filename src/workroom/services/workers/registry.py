"""The workers connected to this server: session, socket, slots and the attempts they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workroom.domain.job import Fence
from workroom.domain.rules.estimates import MOST_AHEAD, prefetch
from workroom.domain.steps import Offer
from workroom.domain.worker import Session, WorkerState, worker_state

Attempt = tuple[str, int]


@dataclass(slots=True)
class HeldAttempt:
    token: str
    extension_id: int | None
    started: bool = False


@dataclass(slots=True)
class ConnectedWorker:
    """A worker with an open session: a cache of the store, corrected by every heartbeat.

    `claiming` counts the jobs of claims in flight, `queued` the extensions for which the worker is listed as
    idle. An `on_call` worker is never pushed to: it is notified and then requests a job itself.
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
    held: dict[Attempt, HeldAttempt] = field(default_factory=dict)
    changes: int = 0  # to `held`
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
        if self.draining or self.suspect:
            return 0
        return max(0, self.slots - len(self.held) - self.claiming)

    @property
    def rooms(self) -> tuple[str | None, ...]:
        return tuple({offer.room for offer in self.offers} | self.waits_in)

    @property
    def state(self) -> WorkerState:
        running = sum(held.started for held in self.held.values())
        return worker_state(online=True, running=running, assigned=len(self.held) - running)

    @property
    def jobs(self) -> tuple[str, ...]:
        return tuple([job_id for job_id, _ in self.held])

    def hold(self, fence: Fence, extension_id: int) -> None:
        self.held[fence.job_id, fence.attempt] = HeldAttempt(fence.token, extension_id)
        self.changes += 1

    def release(self, job_id: str, attempt: int) -> HeldAttempt | None:
        self.changes += 1
        return self.held.pop((job_id, attempt), None)

    def is_running(self, fence: Fence) -> bool:
        held = self.held.get((fence.job_id, fence.attempt))
        return held is not None and held.started and held.token == fence.token

    def prefetchable(self, mean_ms: dict[int, float], fast: frozenset[int]) -> int:
        """How many fast jobs fit beyond the slots before 20 ms of predicted work are held.

        None behind a job that is not known to be fast.
        """
        is_slow = any(held.extension_id not in fast for held in self.held.values())
        if not fast or is_slow or self.claiming or self.draining or self.suspect:
            return 0
        slowest = max(mean_ms[extension] for extension in fast)
        depth = min(prefetch(slowest) * self.slots, MOST_AHEAD)
        room = depth - max(0, len(self.held) - self.slots)
        return room if room * 2 >= depth else 0

    def replace_held(self, fences: Iterable[Fence]) -> None:
        """Hold exactly the attempts that the store lists; the extension of an unknown one stays unknown."""
        known = {(fence.job_id, fence.attempt): fence for fence in fences}
        for attempt in [attempt for attempt in self.held if attempt not in known]:
            del self.held[attempt]
        for attempt, fence in known.items():
            self.held.setdefault(attempt, HeldAttempt(fence.token, None, started=True))


class WorkerRegistry:
    """Every connected worker by id. The newest session of a worker replaces an older one."""

    def __init__(self) -> None:
        self._workers: dict[str, ConnectedWorker] = {}
        self.get = self._workers.get  # bound: dispatch calls it several times per job

    def __iter__(self) -> Iterator[ConnectedWorker]:
        return iter(self._workers.values())

    def __len__(self) -> int:
        return len(self._workers)

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
