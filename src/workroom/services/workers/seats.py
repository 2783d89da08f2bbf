"""How many jobs to claim for which worker: its free slots, and what it may fetch ahead."""

from __future__ import annotations

from collections.abc import Sequence

from workroom.domain.rules.estimates import prefetch, smoothed_ms
from workroom.domain.steps import Seat
from workroom.services.workers.registry import ConnectedWorker


class RunTimes:
    """The smoothed run time of each extension's jobs, in milliseconds."""

    def __init__(self) -> None:
        self.mean_ms: dict[int, float] = {}

    def learn(self, extension: int | None, run_ms: float | None) -> None:
        if extension is not None and run_ms is not None:
            self.mean_ms[extension] = smoothed_ms(self.mean_ms.get(extension), run_ms)

    def fast(self, extensions: frozenset[int]) -> frozenset[int]:
        """The extensions whose jobs are short enough to fetch ahead."""
        return frozenset(each for each in extensions if prefetch(self.mean_ms.get(each)))


def plan_seats(workers: Sequence[ConnectedWorker], run_times: RunTimes) -> list[Seat]:
    """Free slots in turns, one per worker and turn; then the jobs to fetch ahead. Counts them as claiming."""
    seats = _free_seats(workers) + _prefetch_seats(workers, run_times)
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


def _prefetch_seats(workers: Sequence[ConnectedWorker], run_times: RunTimes) -> list[Seat]:
    seats: list[Seat] = []
    for worker in workers:
        fast = run_times.fast(worker.extension_ids)
        ahead = worker.prefetchable(run_times.mean_ms, fast)
        if ahead:
            seats.append(Seat(worker.session, ahead, fast))
    return seats
