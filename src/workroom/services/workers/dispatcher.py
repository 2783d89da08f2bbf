"""Brings pending jobs to idle workers: when jobs arrive and when slots are freed, never by polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from workroom.domain.events import Event, JobStateChanged, WorkerStateChanged
from workroom.domain.histogram import SECONDS, Histogram
from workroom.domain.job import Fence
from workroom.domain.rules.estimates import MOST_AHEAD, UNKNOWN_START_SECONDS
from workroom.domain.rules.queue.waiting import is_for_children
from workroom.domain.steps import (
    Assignment,
    Claimed,
    Opened,
    Reconciled,
    Release,
    Seat,
    Seating,
    Step,
    Suspension,
)
from workroom.domain.worker import Session, WorkerState
from workroom.errors import StaleSession, WorkroomError
from workroom.ports import Clock, EventBus, Receipt, Store
from workroom.services.lifecycle.background import BackgroundTasks, Readiness
from workroom.services.workers.fleet_notifier import FleetNotifier, Vacancies
from workroom.services.workers.idle_queue import IdleQueue
from workroom.services.workers.pushes import Pushes
from workroom.services.workers.recalls import Recall, Recalls
from workroom.services.workers.registry import ConnectedWorker, HeldAttempt, WorkerRegistry
from workroom.services.workers.run_times import MAX_EXTENSIONS, Ends, RunTimes
from workroom.services.workers.seats import plan_seats

_RETRY_SECONDS = 1.0


class Dispatcher:
    """Claims jobs from the store for the workers of the registry and pushes them."""

    def __init__(
        self,
        store: Store,
        registry: WorkerRegistry,
        pushes: Pushes,
        bus: EventBus,
        tasks: BackgroundTasks,
        clock: Clock,
        readiness: Readiness,
        fleet: FleetNotifier,
        read_ahead: int = MOST_AHEAD,
    ) -> None:
        """`read_ahead` is how many jobs a worker may hold beyond its slots."""
        self._store = store
        self._registry = registry
        self._pushes = pushes
        self._bus = bus
        self._tasks = tasks
        self._clock = clock
        self._readiness = readiness
        self._fleet = fleet
        self._idle = IdleQueue(registry)
        self._run_times = RunTimes()
        self._read_ahead = read_ahead
        self._recalls = Recalls(store, registry, tasks, clock)
        self._nested: set[str] = set()  # workers whose free slots are for children of what they hold
        self._arrivals = 0
        self._last_arrival: dict[int, int] = {}  # the value of `_arrivals` when an extension last had one
        self._after_claim: Callable[[Step], None] = lambda _: None
        self.delays = Histogram(SECONDS)  # from the assignment of a job to its start

    def mean_ms(self, extension: int) -> float | None:
        """How long recent jobs of the extension ran."""
        return self._run_times.mean_ms(extension)

    def on_recall(self, recall: Recall) -> None:
        """Call this to take attempts back that a worker has not begun."""
        self._recalls.on_recall(recall)

    def on_claim(self, act: Callable[[Step], None]) -> None:
        """Call this with the step of a claim that leaves jobs waiting for a rate, or makes others ready."""
        self._after_claim = act

    # Workers come and go

    def connect(
        self,
        opened: Opened,
        *,
        socket: str | None = None,
        on_call: bool = False,
        unbegun: Collection[Fence] = (),
        suspended: Collection[Fence] = (),
        trip_s: float = UNKNOWN_START_SECONDS,
    ) -> None:
        """Start dispatching to a worker that has opened a session.

        `unbegun` is what it has not started, `suspended` what waits without a slot, and `trip_s` how long it
        took to send its hello.
        """
        worker = ConnectedWorker(
            opened.session,
            opened.slots,
            tuple(opened.offers),
            frozenset(request.key.room for request in opened.awaiting),
            socket=socket,
            heartbeat_at_us=self._clock.now_us(),
            on_call=on_call,
            draining=opened.draining,
            start_s=min(trip_s, UNKNOWN_START_SECONDS),
        )
        self._replace_held(worker, opened.reconciled, unbegun, suspended)
        self._registry.add(worker)
        self._push(opened.reconciled.resend)
        self._recalls.watch(worker)
        self._claim([worker])
        self._publish_states([worker])

    def disconnect(self, session: Session) -> None:
        """The worker cannot be reached. A late disconnect of an older session changes nothing."""
        if self._registry.find(session) is not None:
            self.remove(session.worker)

    def remove(self, worker_id: str) -> None:
        worker = self._registry.remove(worker_id)
        if worker is not None:
            self._bus.publish([self._state_event(worker, WorkerState.OFFLINE)])

    def changes(self, worker_id: str) -> int:
        """How often the held attempts of the worker have changed, for `reconcile`."""
        worker = self._registry.get(worker_id)
        return 0 if worker is None else worker.changes

    def reconcile(
        self,
        session: Session,
        reconciled: Reconciled,
        changes: int,
        unbegun: Collection[Fence] = (),
        suspended: Collection[Fence] = (),
    ) -> None:
        """Correct the held attempts after a heartbeat; `changes` is their change count before it.

        If they have changed since, the heartbeat is older than what is held, and the next one corrects it.
        """
        worker = self._registry.find(session)
        if worker is None:
            return
        before = worker.free
        worker.heartbeat_at_us = self._clock.now_us()
        worker.suspect = worker.is_still = False
        if not worker.claiming and worker.changes == changes:
            self._replace_held(worker, reconciled, unbegun, suspended)
            self._push(reconciled.resend)
            self._recalls.watch(worker)
        self._idle.add(worker)
        if worker.free > before or worker.free_for_children:
            self._claim([worker])
        self._publish_states([worker])

    def _replace_held(
        self,
        worker: ConnectedWorker,
        reconciled: Reconciled,
        unbegun: Collection[Fence],
        suspended: Collection[Fence],
    ) -> None:
        now = self._clock.monotonic()
        worker.stop(worker.replace_held(_occupying(reconciled), unbegun, suspended, now), now)
        if worker.is_nested:
            self._nested.add(worker.id)

    def suspect(self, workers: Iterable[str]) -> None:
        """These did not ack a push: give them nothing more until their next heartbeat."""
        for worker in self._registry.select(workers):
            worker.suspect = True

    def drain(self, worker_id: str, *, draining: bool) -> None:
        for worker in self._registry.select([worker_id]):
            worker.draining = draining
            self._claim([worker])

    def change_offers(self, seating: Seating) -> None:
        """A worker offers other extensions now. The attempts it holds are unchanged."""
        worker = self._registry.get(seating.worker)
        if worker is None:
            return
        rooms = worker.rooms
        worker.set_offers(seating.offers, seating.waits_in)
        worker.queued &= worker.extension_ids
        self._claim([worker])
        self._idle.add(worker)
        rooms = tuple({*rooms, *worker.rooms})
        self._bus.publish([self._state_event(worker, worker.state, rooms)])

    # Jobs arrive, start and end

    def jobs_arrived(self, arrivals: Mapping[int, int]) -> None:
        """So many jobs of each extension became pending: claim for as many idle workers."""
        self._arrivals += 1
        for extension in arrivals:
            self._last_arrival.pop(extension, None)  # the first in the dict has waited longest for another
            self._last_arrival[extension] = self._arrivals
        while len(self._last_arrival) > MAX_EXTENSIONS:
            del self._last_arrival[next(iter(self._last_arrival))]
        picked = self._idle.pick(arrivals)
        workers = self._registry.select(picked)
        on_call = sum(picked[worker.id] for worker in workers if worker.on_call)
        if on_call:
            self._fleet.notify(on_call, self._vacancies())
        self._claim([*workers, *self._nested_workers()] if self._nested else workers)

    def _nested_workers(self) -> Sequence[ConnectedWorker]:
        found = [worker for worker in self._registry.select(self._nested) if worker.is_nested]
        self._nested = {worker.id for worker in found}
        return found

    def claim_for_idle(self) -> None:
        """Jobs may have arrived unnoticed: claim for every worker with a free slot."""
        self._claim([worker for worker in self._registry if worker.has_room])

    async def claim_one(self, session: Session) -> Sequence[Assignment]:
        """The best job for an on-call worker that requests one. It may leave before the commit."""
        self._fleet.answered()
        worker = self._registry.find(session)
        if worker is None:
            raise StaleSession()
        worker.is_still = False
        if not worker.free or not self._readiness.is_ready:
            return []
        seats = [Seat(session, 1)]
        worker.claiming += 1
        receipt = self._store.claim(seats)
        self._hand_out(receipt, seats)
        return self._pushes.decrypt((await receipt.applied).assignments)

    def start_sent(self, fences: Iterable[Fence], worker_id: str) -> None:
        """The worker is about to run these: they are not recalled any more."""
        worker = self._registry.get(worker_id)
        if worker is not None:
            worker.start_sent(fences, self._clock.monotonic())
            self._resume(worker)

    def _resume(self, worker: ConnectedWorker) -> None:
        """The worker stood still, and goes on."""
        if worker.is_still:
            worker.is_still = False
            self._claim([worker])
            self._idle.add(worker)

    def mark_started(self, fences: Iterable[Fence], worker_id: str) -> None:
        worker = self._registry.get(worker_id)
        if worker is not None:
            now = self._clock.monotonic()
            for held in worker.start(fences, now):
                self.delays.observe(now - held.held_at)
            self._publish_states([worker])

    def release_running(self, fences: Iterable[Fence], worker_id: str, run_ms: Mapping[str, float]) -> None:
        """Free the slots of attempts that their worker reports as ended, before the report is durable."""
        worker = self._registry.get(worker_id)
        if worker is None:
            return
        ended = worker.end(fences)
        if not ended:
            self._resume(worker)  # jobs may have arrived while it stood still
            return
        worker.is_still = False
        now = self._clock.monotonic()
        worker.reads_ahead, worker.returned = True, 0
        worker.stop([held for _, held in ended], now)
        for extension, ends in _ends(ended, run_ms, now).items():
            sample = worker.busy[extension].sample(ends.count, worker.trip_ms)
            self._run_times.learn(extension, ends, sample)
        self._claim([worker])
        self._publish_states([worker])

    def suspend(self, worker_id: str, suspensions: Iterable[Suspension]) -> set[Fence]:
        """These attempts wait, or no longer do. Returns those whose slots are free now."""
        worker = self._registry.get(worker_id)
        if worker is None:
            return set()
        freed: set[Fence] = set()
        was_nested = worker.is_nested
        for each in suspensions:
            if each.waits is None:
                worker.resume(each.fence)
            elif not worker.on_call and worker.suspend(each.fence, for_child=is_for_children(each.waits)):
                freed.add(each.fence)
        worker.changes += 1
        if worker.is_nested:
            self._nested.add(worker.id)
        if freed or was_nested:
            self._claim([worker])
            self._idle.add(worker)
        return freed

    def returned(self, worker_id: str, count: int) -> None:
        """The worker gives back what it has not begun. If it does nothing else, it gets nothing more."""
        worker = self._registry.get(worker_id)
        if worker is not None:
            worker.reads_ahead = False
            worker.returned += count
            worker.suspect = worker.suspect or worker.returned > MOST_AHEAD

    def release(self, releases: Sequence[Release]) -> None:
        """Slots are free again: offer each worker the best job over all of its extensions."""
        now = self._clock.monotonic()
        workers: dict[str, ConnectedWorker] = {}
        for release in releases:
            worker = self._registry.get(release.worker)
            if worker is None or (release.job_id, release.attempt) not in worker.held:
                continue  # mostly: `release_running` came first
            held = worker.release(release.job_id, release.attempt)
            if held is not None:
                workers[release.worker] = worker
                worker.stop([held], now)
        self._claim(list(workers.values()))
        self._publish_states(workers.values())

    # Claims

    def _claim(self, workers: Sequence[ConnectedWorker]) -> None:
        if not self._readiness.is_ready:
            return
        pushed = [worker for worker in workers if not worker.on_call]
        seats = plan_seats(pushed, self._run_times, self._read_ahead)
        if seats:
            self._hand_out(self._store.claim(seats), seats)
        on_call = [worker for worker in workers if worker.on_call and worker.free]
        for worker in on_call:
            self._idle.add(worker)
        if on_call:
            self._fleet.check(self._vacancies)

    def _vacancies(self) -> Vacancies:
        free = [worker for worker in self._registry if worker.on_call and worker.free]
        extensions = frozenset[int]().union(*(worker.extension_ids for worker in free))
        return Vacancies(sum(worker.free for worker in free), extensions)

    def _hand_out(self, receipt: Receipt[Claimed], seats: Sequence[Seat]) -> None:
        """Push before the commit, and at once if the store has applied the claim already."""
        arrivals = self._arrivals  # the claim covers jobs up to this arrival
        applied = receipt.applied
        is_pushed = applied.done() and applied.exception() is None
        self._tasks.start(self._complete_claim(receipt, seats, arrivals, is_pushed=is_pushed))
        if is_pushed:
            self._end_claim(seats, applied.result().assignments, arrivals)

    async def _complete_claim(
        self, receipt: Receipt[Claimed], seats: Sequence[Seat], arrivals: int, *, is_pushed: bool
    ) -> None:
        """Publish the assignments once they are durable; take them back if they cannot be."""
        try:
            claimed = await receipt.applied
        except WorkroomError:
            self._end_claim(seats, [], arrivals)
            await self._claim_later(seats)
            return
        if not is_pushed:
            self._end_claim(seats, claimed.assignments, arrivals)
        try:
            await receipt.durable
        except WorkroomError:
            for assignment in claimed.assignments:
                self._release_attempt(assignment)
            await self._claim_later(seats)
            return
        self._bus.publish([JobStateChanged(transition) for transition in claimed.step.transitions])
        if claimed.step.wake_s is not None or claimed.step.requeued:
            self._after_claim(claimed.step)

    async def _claim_later(self, seats: Sequence[Seat]) -> None:
        """The store failed. The jobs are still pending, so claim again."""
        await asyncio.sleep(_RETRY_SECONDS)
        found = (self._registry.find(session) for session in {seat.session for seat in seats})
        self._claim([worker for worker in found if worker is not None])

    def _release_attempt(self, assignment: Assignment) -> None:
        worker = self._registry.get(assignment.worker)
        if worker is not None:
            worker.release(assignment.fence.job_id, assignment.fence.attempt)

    def _end_claim(self, seats: Sequence[Seat], assignments: Sequence[Assignment], arrivals: int) -> None:
        workers: dict[str, ConnectedWorker] = {}
        for seat in seats:
            worker = self._registry.find(seat.session)
            if worker is not None:
                worker.claiming -= seat.jobs
                workers[seat.session.worker] = worker
        self._push(assignments)
        for worker in workers.values():
            self._idle.add(worker)
        self._claim([each for each in workers.values() if each.has_room and self._has_missed(each, arrivals)])
        self._publish_states(workers.values())

    def _has_missed(self, worker: ConnectedWorker, arrivals: int) -> bool:
        """Jobs for this worker arrived during its claim, when it was not listed as idle."""
        return any(self._last_arrival.get(extension, 0) > arrivals for extension in worker.extension_ids)

    def _push(self, assignments: Sequence[Assignment]) -> None:
        by_worker: dict[str, list[Assignment]] = {}
        now = self._clock.monotonic()
        last: ConnectedWorker | None = None
        for assignment in assignments:
            worker = self._registry.get(assignment.worker)
            if worker is not None:
                worker.hold(assignment.fence, assignment.extension_id, now)
                if worker is not last:
                    self._idle.move_to_end(worker)
                    last = worker
                self._recalls.watch(worker)
                if not worker.on_call:
                    by_worker.setdefault(assignment.worker, []).append(assignment)
        for worker_id, pushed in by_worker.items():
            self._predict(pushed)
            self._pushes.push(worker_id, pushed)

    def _predict(self, assignments: Sequence[Assignment]) -> None:
        """A job with a timeout is started when it begins, because its time counts from there."""
        if not self._read_ahead:
            return
        found: dict[int, float | None] = {}
        for assignment in assignments:
            extension = assignment.extension_id
            if extension not in found:
                found[extension] = self._run_times.expected_ms(extension)
            if assignment.timeout is None and assignment.data is not None:
                assignment.expected_ms = found[extension]

    def _publish_states(self, workers: Iterable[ConnectedWorker]) -> None:
        changed = [worker for worker in workers if worker.state is not worker.published]
        if changed:
            self._bus.publish([self._state_event(worker, worker.state) for worker in changed])

    def _state_event(
        self, worker: ConnectedWorker, state: WorkerState, rooms: tuple[str | None, ...] | None = None
    ) -> Event:
        if state is not worker.published:
            worker.published, worker.since_us = state, self._clock.now_us()
        jobs = () if state is WorkerState.OFFLINE else worker.jobs
        return WorkerStateChanged(worker.id, state, worker.since_us, rooms or worker.rooms, jobs)


def _ends(
    ended: Iterable[tuple[str, HeldAttempt]], run_ms: Mapping[str, float], now: float
) -> dict[int, Ends]:
    """What can be learned from the ends of these attempts, by extension."""
    ends: dict[int, Ends] = {}
    for job_id, held in ended:
        extension = held.extension_id
        if held.started_at and extension is not None:
            found = ends.get(extension) or ends.setdefault(extension, Ends())
            found.count += 1
            found.longest_ms = max(found.longest_ms, (now - held.started_at) * 1000)
            if job_id in run_ms:
                found.reported.append(run_ms[job_id])
    return ends


def _occupying(reconciled: Reconciled) -> list[Fence]:
    """What occupies the worker: also cancelled attempts, until the worker confirms their end."""
    return [*reconciled.keep, *reconciled.cancel]
