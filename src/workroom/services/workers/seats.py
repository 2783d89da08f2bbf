"""How many jobs to claim for which worker: its free slots, and what it may hold ahead."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.domain.steps import Seat
from workroom.services.workers.registry import ConnectedWorker
from workroom.services.workers.run_times import RunTimes


def plan_seats(workers: Sequence[ConnectedWorker], run_times: RunTimes, most_ahead: int) -> list[Seat]:
    """Free slots in turns, one per worker and turn; then the jobs to hold ahead. Counts them as claiming."""
    seats = _free_seats(workers)
    if waiting := [worker for worker in workers if worker.suspended]:
        seats += _seats_for_children(waiting)
    if most_ahead:
        seats += _seats_ahead(workers, run_times, most_ahead)
    by_id = {worker.session.worker: worker for worker in workers}
    for seat in seats:
        by_id[seat.session.worker].claiming += seat.jobs
    return seats


def _free_seats(workers: Sequence[ConnectedWorker]) -> list[Seat]:
    if len(workers) == 1:
        free = workers[0].free
        return [Seat(workers[0].session, free)] if free else []
    free_slots = [worker.free for worker in workers]
    return [
        Seat(worker.session, 1)
        for turn in range(max(free_slots, default=0))
        for worker, free in zip(workers, free_slots, strict=True)
        if turn < free
    ]


def _seats_for_children(workers: Sequence[ConnectedWorker]) -> list[Seat]:
    return [
        Seat(worker.session, 1, parents=worker.parents)
        for worker in workers
        for _ in range(worker.free_for_children)
    ]


def _seats_ahead(workers: Sequence[ConnectedWorker], run_times: RunTimes, most: int) -> list[Seat]:
    seats: list[Seat] = []
    for worker in workers:
        fast = run_times.fast(worker.extension_ids)
        ahead = worker.room_ahead(fast, most)
        if ahead:
            seats.append(Seat(worker.session, ahead, frozenset(fast)))
    return seats
