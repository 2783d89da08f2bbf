"""Brings pending jobs to idle workers: on arrival, on release, never by polling."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count

from workroom.domain.events import Event, JobStateChanged, WorkerStateChanged
from workroom.domain.job import Fence
from workroom.domain.scheduling import prefetch, smoothed_ms
from workroom.domain.steps import Assignment, Claimed, Opened, Reconciled, Release, Seat
from workroom.domain.worker import Session, WorkerState
from workroom.errors import StaleSession, WorkroomError
from workroom.ports import Clock, Courier, EventBus, Receipt, Store
from workroom.services.calling import Calling, Vacancies
from workroom.services.desks import Desk
from workroom.services.readiness import Readiness
from workroom.services.tasks import TaskKeeper

_RETRY_SECONDS = 1.0


class Dispatcher:
    def __init__(
        self,
        store: Store,
        courier: Courier,
        bus: EventBus,
        tasks: TaskKeeper,
        clock: Clock,
        readiness: Readiness,
        calling: Calling,
    ) -> None:
        self._readiness = readiness
        self._calling = calling
        self._store = store
        self._courier = courier
        self._bus = bus
        self._tasks = tasks
        self._clock = clock
        self._desks: dict[str, Desk] = {}
        self._idle: dict[int, list[tuple[int, str]]] = {}
        self._turns = count(1)
        self._arrivals = 0
        self._arrived: dict[int, int] = {}  # of each extension the last of these
        self._mean_ms: dict[int, float] = {}

    def mean_ms(self, extension: int) -> float | None:
        """How long jobs of the extension took lately."""
        return self._mean_ms.get(extension)

    def jobs_at(self, worker: str) -> list[str]:
        """What takes up a worker that is connected."""
        desk = self._desks.get(worker)
        return [] if desk is None else [job_id for job_id, _ in desk.held]

    def suspect(self, workers: Iterable[str]) -> None:
        """They did not ack what was pushed: nothing more for them until they are heard again."""
        for worker in workers:
            desk = self._desks.get(worker)
            if desk is not None:
                desk.suspect = True

    def drain(self, worker: str, *, draining: bool) -> None:
        desk = self._desks.get(worker)
        if desk is not None:
            desk.draining = draining
            self._claim([desk])

    def seat(self, opened: Opened, *, on_call: bool = False) -> None:
        """A worker has a new session: it may be given work."""
        offers = tuple(opened.offers)
        desk = Desk(opened.session, opened.slots, offers, on_call=on_call, draining=opened.draining)
        desk.keep_only(_held(opened.reconciled))
        self._desks[opened.session.worker] = desk
        self._push(opened.reconciled.resend)
        self._claim([desk])
        self._show([desk])

    def changes(self, worker: str) -> int:
        """How often what it holds has changed."""
        desk = self._desks.get(worker)
        return 0 if desk is None else desk.changes

    def heard(self, session: Session, reconciled: Reconciled, changes: int) -> None:
        """A heartbeat was compared with the store, after so many changes: correct what is believed.

        What has changed since then is newer than the comparison, so that is left for the next one.
        """
        desk = self._desks.get(session.worker)
        if desk is None or desk.session != session:
            return
        before = desk.free
        desk.suspect = False
        if not desk.claiming and desk.changes == changes:
            desk.keep_only(_held(reconciled))
            self._push(reconciled.resend)
        self._offer(desk)
        if desk.free > before:
            self._claim([desk])
        self._show([desk])

    def is_seated(self, session: Session) -> bool:
        desk = self._desks.get(session.worker)
        return desk is not None and desk.session == session

    def unseat(self, session: Session) -> None:
        """The worker cannot be reached. A late word about an older session changes nothing."""
        if self.is_seated(session):
            self.forget(session.worker)

    def forget(self, worker: str) -> None:
        desk = self._desks.pop(worker, None)
        if desk is not None:
            self._bus.publish([self._shown(desk, WorkerState.OFFLINE)])

    def arrived(self, extensions: Mapping[int, int]) -> None:
        """So many jobs of these extensions became pending: wake as many workers.

        Where there are too few, one may take what was not meant for it: for all extensions more are woken.
        """
        self._arrivals += 1
        self._arrived.update(dict.fromkeys(extensions, self._arrivals))
        promised: dict[str, int] = {}
        missing = sum(jobs - self._promise(each, jobs, promised) for each, jobs in extensions.items())
        if missing and len(extensions) > 1:
            for extension in extensions:
                self._promise(extension, missing, promised)
        called = sum(jobs for worker, jobs in promised.items() if self._desks[worker].on_call)
        if called:
            self._calling.call(called, self._vacancies())
        self._claim([self._desks[worker] for worker in promised])

    async def ask(self, session: Session) -> Sequence[Assignment]:
        """A worker on call has come: the best job for it, if there is one. It may leave before the commit."""
        self._calling.answered()
        desk = self._desks.get(session.worker)
        if desk is None or desk.session != session:
            raise StaleSession()
        if not desk.free or not self._readiness.is_ready:
            return []
        seats = [Seat(session, 1)]
        desk.claiming += 1
        receipt = self._store.claim(seats)
        self._hand_out(receipt, seats)
        return (await receipt.applied).assignments

    def look(self) -> None:
        """Jobs may have arrived unheard: ask for all who are idle."""
        self._claim([desk for desk in self._desks.values() if desk.free])

    def started(self, fences: Iterable[Fence], worker: str) -> None:
        desk = self._desks.get(worker)
        if desk is None:
            return
        for fence in fences:
            held = desk.held.get((fence.job_id, fence.attempt))
            if held is not None:
                held.started = True
        self._show([desk])

    def ending(self, fences: Iterable[Fence], worker: str, run_ms: Mapping[str, float]) -> None:
        """What ran has ended, as the worker says: its slot is free before the disk knows."""
        desk = self._desks.get(worker)
        if desk is None:
            return
        ended = [Release(worker, fence.job_id, fence.attempt) for fence in fences if desk.is_running(fence)]
        self.released(ended, run_ms)

    def released(self, releases: Sequence[Release], run_ms: Mapping[str, float] | None = None) -> None:
        """Slots are free again: offer each worker the best job over all that it can do."""
        desks: dict[str, Desk] = {}
        for release in releases:
            desk = self._desks.get(release.worker)
            held = None if desk is None else desk.let_go(release.job_id, release.attempt)
            if desk is not None and held is not None:
                desks[release.worker] = desk
                self._learn(held.extension_id, (run_ms or {}).get(release.job_id))
        self._claim(list(desks.values()))
        self._show(desks.values())

    def _learn(self, extension: int | None, run_ms: float | None) -> None:
        if extension is not None and run_ms is not None:
            self._mean_ms[extension] = smoothed_ms(self._mean_ms.get(extension), run_ms)

    def _claim(self, desks: Sequence[Desk]) -> None:
        if not self._readiness.is_ready:
            return
        seats = self._seats([desk for desk in desks if not desk.on_call])
        if seats:
            self._hand_out(self._store.claim(seats), seats)
        called = [desk for desk in desks if desk.on_call and desk.free]
        for desk in called:
            self._offer(desk)
        if called:
            self._calling.look(self._vacancies)

    def _vacancies(self) -> Vacancies:
        free = [desk for desk in self._desks.values() if desk.on_call and desk.free]
        extensions = frozenset[int]().union(*(desk.extension_ids for desk in free))
        return Vacancies(sum(desk.free for desk in free), extensions)

    def _seats(self, desks: Sequence[Desk]) -> list[Seat]:
        """Free slots in turns, one per worker and turn; then what may be fetched ahead."""
        free = {desk.session.worker: desk.free for desk in desks}
        seats: list[Seat] = []
        if len(desks) == 1 and free[desks[0].session.worker]:
            seats.append(Seat(desks[0].session, free[desks[0].session.worker]))
        else:
            for turn in range(max(free.values(), default=0)):
                seats += [Seat(desk.session, 1) for desk in desks if turn < free[desk.session.worker]]
        for desk in desks:
            fast = self._fast(desk)
            ahead = desk.ahead(self._mean_ms, fast)
            if ahead:
                seats.append(Seat(desk.session, ahead, fast))
        for seat in seats:
            self._desks[seat.session.worker].claiming += seat.jobs
        return seats

    def _fast(self, desk: Desk) -> frozenset[int]:
        return frozenset(
            extension for extension in desk.extension_ids if prefetch(self._mean_ms.get(extension))
        )

    def _hand_out(self, receipt: Receipt[Claimed], seats: Sequence[Seat]) -> None:
        """The push may leave before the commit: at once, where the store is so quick."""
        arrivals = self._arrivals  # the claim sees what is behind so many
        applied = receipt.applied
        has_left = applied.done() and applied.exception() is None
        self._tasks.start(self._see_through(receipt, seats, arrivals, has_left=has_left))
        if has_left:
            self._end_claim(seats, applied.result().assignments, arrivals)

    async def _see_through(
        self, receipt: Receipt[Claimed], seats: Sequence[Seat], arrivals: int, *, has_left: bool
    ) -> None:
        """What everyone is told may not leave before the commit."""
        try:
            claimed = await receipt.applied
        except WorkroomError:
            self._end_claim(seats, [], arrivals)
            await self._claim_later(seats)
            return
        if not has_left:
            self._end_claim(seats, claimed.assignments, arrivals)
        try:
            await receipt.durable
        except WorkroomError:
            for assignment in claimed.assignments:
                self._forget_attempt(assignment)
            await self._claim_later(seats)
            return
        self._bus.publish([JobStateChanged(transition) for transition in claimed.step.transitions])

    async def _claim_later(self, seats: Sequence[Seat]) -> None:
        """The store could not do it. What waits still waits, so ask again."""
        await asyncio.sleep(_RETRY_SECONDS)
        sessions = {seat.session for seat in seats}
        self._claim([desk for desk in self._desks.values() if desk.session in sessions])

    def _forget_attempt(self, assignment: Assignment) -> None:
        desk = self._desks.get(assignment.worker)
        if desk is not None:
            desk.let_go(assignment.fence.job_id, assignment.fence.attempt)

    def _end_claim(self, seats: Sequence[Seat], assignments: Sequence[Assignment], arrivals: int) -> None:
        desks: dict[str, Desk] = {}
        for seat in seats:
            desk = self._desks.get(seat.session.worker)
            if desk is not None and desk.session == seat.session:
                desk.claiming -= seat.jobs
                desks[seat.session.worker] = desk
        self._push(assignments)
        for desk in desks.values():
            self._offer(desk)
        self._claim([desk for desk in desks.values() if desk.free and self._has_missed(desk, arrivals)])
        self._show(desks.values())

    def _has_missed(self, desk: Desk, arrivals: int) -> bool:
        """Jobs that this worker can do arrived while it was being claimed for, and did not find it idle."""
        return any(self._arrived.get(extension, 0) > arrivals for extension in desk.extension_ids)

    def _push(self, assignments: Sequence[Assignment]) -> None:
        parcels: dict[str, list[Assignment]] = {}
        for assignment in assignments:
            desk = self._desks.get(assignment.worker)
            if desk is not None:
                desk.hold(assignment.fence, assignment.extension_id)
                desk.turn = next(self._turns)
                desk.queued.clear()
                parcels.setdefault(assignment.worker, []).append(assignment)
        for worker, parcel in parcels.items():
            if not self._desks[worker].on_call:
                self._courier.push(worker, parcel)

    def _offer(self, desk: Desk) -> None:
        """Queue the worker among the idle ones of its extensions; old entries expire by their turn."""
        if not desk.free:
            return
        for extension in desk.extension_ids - desk.queued:
            queue = self._idle.setdefault(extension, [])
            if len(queue) > 64 + 4 * len(self._desks):
                queue[:] = [entry for entry in queue if self._is_fresh(entry)]
                heapify(queue)
            heappush(queue, (desk.turn, desk.session.worker))
            desk.queued.add(extension)

    def _is_fresh(self, entry: tuple[int, str]) -> bool:
        turn, worker = entry
        desk = self._desks.get(worker)
        return desk is not None and desk.turn == turn

    def _promise(self, extension: int, jobs: int, promised: dict[str, int]) -> int:
        """Promise places to jobs, first at the workers that were assigned something longest ago."""
        queue = self._idle.get(extension, [])
        passed: list[tuple[int, str]] = []
        found: list[Desk] = []
        while queue and len(found) < jobs:
            entry = heappop(queue)
            desk = self._desks.get(entry[1])
            if desk is None or desk.turn != entry[0] or extension not in desk.queued:
                continue
            passed.append(entry)
            if desk.free > (already := promised.get(entry[1], 0)):
                promised[entry[1]] = already + 1
                found.append(desk)
        for entry in passed:
            heappush(queue, entry)
        return len(found) + _fill(found, jobs - len(found), promised)

    def _show(self, desks: Iterable[Desk]) -> None:
        changed = [desk for desk in desks if desk.state is not desk.shown]
        if changed:
            self._bus.publish([self._shown(desk, desk.state) for desk in changed])

    def _shown(self, desk: Desk, state: WorkerState) -> Event:
        desk.shown = state
        return WorkerStateChanged(desk.session.worker, state, self._clock.now_us(), desk.rooms)


def _fill(desks: Sequence[Desk], jobs: int, promised: dict[str, int]) -> int:
    """Promise what is left of these workers' free slots too."""
    filled = 0
    for desk in desks:
        places = min(jobs - filled, desk.free - promised[desk.session.worker])
        promised[desk.session.worker] += places
        filled += places
    return filled


def _held(reconciled: Reconciled) -> list[Fence]:
    """What takes up the worker: also what was cancelled, until it confirms the end."""
    return [*reconciled.keep, *reconciled.cancel]
