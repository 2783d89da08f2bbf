"""What the dispatcher knows of each connected worker: a cache of the store, corrected by heartbeats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workroom.domain.job import Fence
from workroom.domain.scheduling import MOST_AHEAD, prefetch
from workroom.domain.steps import Offer
from workroom.domain.worker import Session, WorkerState, worker_state

Attempt = tuple[str, int]


@dataclass(slots=True)
class Held:
    token: str
    extension_id: int | None
    started: bool = False


@dataclass(slots=True)
class Desk:
    """A connected worker: `claiming` counts the jobs of claims under way, `queued` where it waits as idle.

    One that is on call is pushed nothing: it is called, and asks.
    """

    session: Session
    slots: int
    offers: tuple[Offer, ...]
    on_call: bool = False
    turn: int = 0
    queued: set[int] = field(default_factory=set)
    claiming: int = 0
    draining: bool = False
    suspect: bool = False
    held: dict[Attempt, Held] = field(default_factory=dict)
    changes: int = 0  # of what is held
    shown: WorkerState = WorkerState.OFFLINE
    extension_ids: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.extension_ids = frozenset(offer.extension_id for offer in self.offers)

    @property
    def free(self) -> int:
        if self.draining or self.suspect:
            return 0
        return max(0, self.slots - len(self.held) - self.claiming)

    @property
    def rooms(self) -> tuple[str | None, ...]:
        return tuple({offer.room for offer in self.offers})

    @property
    def state(self) -> WorkerState:
        running = sum(held.started for held in self.held.values())
        return worker_state(online=True, running=running, assigned=len(self.held) - running)

    def hold(self, fence: Fence, extension_id: int) -> None:
        self.held[fence.job_id, fence.attempt] = Held(fence.token, extension_id)
        self.changes += 1

    def let_go(self, job_id: str, attempt: int) -> Held | None:
        self.changes += 1
        return self.held.pop((job_id, attempt), None)

    def is_running(self, fence: Fence) -> bool:
        held = self.held.get((fence.job_id, fence.attempt))
        return held is not None and held.started and held.token == fence.token

    def ahead(self, mean_ms: dict[int, float], fast: frozenset[int]) -> int:
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

    def keep_only(self, fences: Iterable[Fence]) -> None:
        """The store has said what is held; what it does not name is gone, what is new is unknown."""
        known = {(fence.job_id, fence.attempt): fence for fence in fences}
        for attempt in [attempt for attempt in self.held if attempt not in known]:
            del self.held[attempt]
        for attempt, fence in known.items():
            self.held.setdefault(attempt, Held(fence.token, None, started=True))
