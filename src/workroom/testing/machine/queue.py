"""The model of the queue: who waits, for what, and who is next."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict

from workroom.domain.job import Fence, JobState
from workroom.domain.rules.fair_share import AGE_BATCH
from workroom.domain.rules.waiting import WaitCode
from workroom.domain.steps import NewJob
from workroom.errors import ExtensionNotFound, IdempotencyConflict
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.machine import decisions
from workroom.testing.machine.values import (
    Answer,
    Change,
    ModelAttempt,
    ModelExtension,
    ModelJob,
    ModelWorker,
)


class Queue:
    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.jobs: dict[str, ModelJob] = {}
        self.extensions: dict[int, ModelExtension] = {}
        self.workers: dict[str, ModelWorker] = {}
        self.held: dict[Fence, ModelAttempt] = {}
        self.change = Change()
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}
        self._served: defaultdict[int, float] = defaultdict(float)
        self._finish: defaultdict[tuple[int, str], float] = defaultdict(float)
        self._kept_up = clock.monotonic()

    def submit(self, new: NewJob) -> str | None:
        """Submit a job; for a repeat, return the job that it stands for."""
        key = new.idempotency and (new.user, new.idempotency.key)
        body, first = self._keys.get(key, (None, None)) if key else (None, None)
        known = new.id if new.id in self.jobs else None
        if known is None and new.idempotency and new.idempotency.body_hash == body:
            known = first
        answer: Answer = None
        if known is None and not self.extensions[new.extension_id].active:
            answer = ExtensionNotFound
        elif known is None and first is not None:
            answer = IdempotencyConflict
        self.change.answers.append(answer)
        if known is None and answer is None:
            self._take(new)
        return known

    def _take(self, new: NewJob) -> None:
        place = decisions.rank(new.priority)
        number = len(self.jobs) + 1
        self.jobs[new.id] = ModelJob(new, number, place, self._tag(place, new.user), self.clock.now_us())
        self.change.moves.append((new.id, 1, JobState.PENDING, 0))
        if new.idempotency is not None:
            self._keys[new.user, new.idempotency.key] = (new.idempotency.body_hash, new.id)

    def _tag(self, place: int, user: str) -> float:
        tag = decisions.start_tag(self._served[place], self._finish[place, user])
        self._finish[place, user] = decisions.finish_tag(tag)
        return tag

    def serve(self, job: ModelJob) -> None:
        """Advance the virtual time to this job."""
        self._served[job.rank] = decisions.virtual_time(self._served[job.rank], job.tag)

    def keep_up(self) -> bool:
        """Raise the jobs that have waited longest by one priority. False if that is not due yet."""
        now, now_us = self.clock.monotonic(), self.clock.now_us()
        if not decisions.is_upkeep_due((now - self._kept_up) * 1_000_000):
            return False
        self._kept_up = now
        waiting = [job for job in self.jobs.values() if job.status is JobState.PENDING and job.rank > 0]
        aged = [job for job in waiting if job.aged_us <= decisions.aged_before(now_us)]
        for job in sorted(aged, key=lambda job: (job.aged_us, job.sequence))[:AGE_BATCH]:
            job.rank, job.aged_us = decisions.raised(job.rank), now_us
            job.tag = self._tag(job.rank, job.new.user)
        return True

    def ready(self, extension: int) -> list[ModelJob]:
        """Jobs that are neither in a backoff nor held back by their lane, best first."""
        found: list[ModelJob] = []
        places: dict[str, int] = {}
        concurrency = self.extensions[extension].spec.policy.concurrency
        for job in sorted(self.jobs.values(), key=lambda job: job.order):
            if job.new.extension_id == extension and job.status is JobState.PENDING and job.due_us is None:
                lane = job.new.lane
                if lane is not None and concurrency is not None:
                    limit = decisions.limit_of(asdict(concurrency), lane)
                    free = places.get(lane, decisions.free_places(limit, self.in_lane(extension, lane), 0))
                    places[lane] = free - 1
                    if free <= 0:
                        continue
                found.append(job)
        return found

    def in_lane(self, extension: int, lane: str) -> int:
        names = (self.jobs[fence.job_id].new for fence in self.held)
        return sum((new.extension_id, new.lane) == (extension, lane) for new in names)

    def best(
        self, worker: ModelWorker, session: int, jobs: int, only: frozenset[int] | None = None
    ) -> list[str]:
        """The jobs that a seat must be given. Trials and jobs with a key are never prefetched."""
        if not worker.online or worker.draining or worker.session != session:
            return []
        found: list[ModelJob] = []
        for extension in map(self.extensions.__getitem__, worker.offers):
            breaker = extension.breaker
            if extension.paused or not breaker.admits(self.clock.now_us()):
                continue
            ready = self.ready(extension.id)
            if only is None:
                found += self._trial(extension.id, ready) if breaker.is_open else ready
            elif extension.id in only and not breaker.is_open:
                found += [job for job in ready if job.new.lane is None]
        return [job.new.id for job in sorted(found, key=lambda job: job.order)[:jobs]]

    def _trial(self, extension: int, ready: list[ModelJob]) -> list[ModelJob]:
        """The job that may try: one that has not failed before, if need be from behind one in its lane."""
        lanes = {job.new.lane for job in ready}
        behind = [
            job
            for job in sorted(self.jobs.values(), key=lambda job: job.order)
            if job.new.extension_id == extension
            and job.status is JobState.PENDING
            and job.due_us is None
            and job.new.lane in lanes
        ]
        return [*(job for job in [*ready, *behind] if not job.has_failed), *ready][:1]

    def waits_for(self, job: ModelJob) -> WaitCode:
        extension = self.extensions[job.new.extension_id]
        if extension.paused:
            return WaitCode.PAUSED
        if job.due_us is not None:
            return WaitCode.BACKOFF
        if extension.breaker.is_open:
            return WaitCode.CIRCUIT_OPEN
        if job not in self.ready(extension.id):
            return WaitCode.CONCURRENCY
        serving = (each for each in self.workers.values() if each.online and not each.draining)
        return (
            WaitCode.WORKERS_BUSY
            if any(extension.id in each.offers for each in serving)
            else WaitCode.NO_WORKER
        )
