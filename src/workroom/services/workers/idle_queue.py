"""Idle workers per extension, ordered by who was assigned a job longest ago."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count

from workroom.services.workers.registry import ConnectedWorker, WorkerRegistry

_Entry = tuple[int, str]  # turn and worker id

_SPARE_ENTRIES = 64


class IdleQueue:
    """One heap of (turn, worker) per extension. Entries of an earlier turn are stale and skipped lazily."""

    def __init__(self, registry: WorkerRegistry) -> None:
        self._registry = registry
        self._heaps: dict[int, list[_Entry]] = {}
        self._turns = count(1)

    def add(self, worker: ConnectedWorker) -> None:
        """List the worker for each of its extensions, if it has a free slot."""
        if not worker.free:
            return
        for extension in worker.extension_ids - worker.queued:
            heap = self._heaps.setdefault(extension, [])
            if len(heap) > _SPARE_ENTRIES + 4 * len(self._registry):
                heap[:] = [entry for entry in heap if self._is_fresh(entry)]
                heapify(heap)
            heappush(heap, (worker.turn, worker.id))
            worker.queued.add(extension)

    def move_to_end(self, worker: ConnectedWorker) -> None:
        """The worker was just assigned a job: everyone else comes first."""
        worker.turn = next(self._turns)
        worker.queued.clear()

    def pick(self, arrivals: Mapping[int, int]) -> dict[str, int]:
        """Reserve slots for newly pending jobs: how many at which worker.

        Where slots are too few, a worker may claim a job that was not meant for it, so more workers are
        picked across all of the extensions.
        """
        picked: dict[str, int] = {}
        missing = sum(jobs - self._pick(extension, jobs, picked) for extension, jobs in arrivals.items())
        if missing and len(arrivals) > 1:
            for extension in arrivals:
                self._pick(extension, missing, picked)
        return picked

    def _pick(self, extension: int, jobs: int, picked: dict[str, int]) -> int:
        heap = self._heaps.get(extension, [])
        passed: list[_Entry] = []
        found: list[ConnectedWorker] = []
        while heap and len(found) < jobs:
            entry = heappop(heap)
            worker = self._registry.get(entry[1])
            if worker is None or worker.turn != entry[0] or extension not in worker.queued:
                continue
            passed.append(entry)
            if worker.free > (already := picked.get(entry[1], 0)):
                picked[entry[1]] = already + 1
                found.append(worker)
        for entry in passed:
            heappush(heap, entry)
        return len(found) + _fill(found, jobs - len(found), picked)

    def _is_fresh(self, entry: _Entry) -> bool:
        turn, worker_id = entry
        worker = self._registry.get(worker_id)
        return worker is not None and worker.turn == turn


def _fill(workers: Sequence[ConnectedWorker], jobs: int, picked: dict[str, int]) -> int:
    """Use the remaining free slots of these workers too."""
    filled = 0
    for worker in workers:
        slots = min(jobs - filled, worker.free - picked[worker.id])
        picked[worker.id] += slots
        filled += slots
    return filled
