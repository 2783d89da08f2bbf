"""The model of the queue: who waits, for what, and who is next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict

from workroom.domain.job import Fence, JobState
from workroom.domain.rules.queue.fair_share import AGE_BATCH
from workroom.domain.rules.queue.waiting import WaitCode
from workroom.domain.steps import NewJob
from workroom.errors import DuplicateJob, ExtensionNotFound, GroupClosed, GroupOpen, IdempotencyConflict
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.machine import decisions
from workroom.testing.machine.values import (
    Answer,
    Change,
    ModelAttempt,
    ModelExtension,
    ModelGroup,
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
        self.groups: dict[str, ModelGroup] = {}
        self._ended: list[ModelJob] = []  # whose ends are to be followed up
        self.change = Change()
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}
        self._joined: dict[tuple[str, str], str] = {}  # by user and the id of the submit
        self._served: defaultdict[int, float] = defaultdict(float)
        self._finish: defaultdict[tuple[int, str], float] = defaultdict(float)
        self._kept_up = clock.monotonic()
        self._next_start: dict[tuple[int, str], int] = {}  # of each extension and key that has a rate
        self._free_starts: dict[tuple[int, str], int] = {}  # when a job of theirs last moved

    def submit(self, new: NewJob) -> str | None:
        """Submit a job; for a repeat, return the job that it stands for."""
        key = new.idempotency and (new.user, new.idempotency.key)
        body, first = self._keys.get(key, (None, None)) if key else (None, None)
        known = new.id if new.id in self.jobs else None
        if known is None and new.idempotency and new.idempotency.body_hash == body:
            known = first
        known = known or self._joined.get((new.user, new.id))
        answer: Answer = None
        if known is None and not self.extensions[new.extension_id].active:
            answer = ExtensionNotFound
        elif known is None and first is not None:
            answer = IdempotencyConflict
        elif known is None and new.group is not None and self._is_closed(new.group):
            answer = GroupClosed
        elif known is None and self._waits_for_open_group(new):
            answer = GroupOpen
        if known is None and answer is None and new.unique is not None:
            known, answer = self._compare(new)
        self.change.answers.append(answer)
        if known is None and answer is None:
            self._take(new)
        return known

    def _is_closed(self, name: str) -> bool:
        group = self.groups[name]
        return decisions.join(group.is_open, False, group.is_cancelled, False) == "closed"

    def _waits_for_open_group(self, new: NewJob) -> bool:
        after = () if new.postponed is None else new.postponed.after
        return any(each in self.groups and self.groups[each].is_open for each in after)

    def _compare(self, new: NewJob) -> tuple[str | None, Answer]:
        """The job that the submit joins, or the refusal, if an earlier job has the same unique key."""
        key = (new.extension_id, new.unique)
        earlier = [job for job in self.jobs.values() if (job.new.extension_id, job.new.unique) == key]
        last = earlier[-1] if earlier else None
        policy = self.extensions[new.extension_id].spec.policy
        window_us = (policy.unique_within or 0) * 1_000_000
        is_recent = last is not None and self.clock.now_us() - last.submitted_us < window_us
        status = None if last is None else last.status
        verdict = decisions.compare_duplicate(policy.on_duplicate, status, is_recent, policy.unique_states)
        if last is not None and verdict == "replace":
            last.due_us, last.postponed = None, False
            last.history.append(JobState.CANCELLED)
            self._ended.append(last)
            self.change.moves.append((last.new.id, len(last.history), JobState.CANCELLED, last.attempt))
            self.look(last)
        if last is None or verdict != "join":
            return None, DuplicateJob if verdict == "refuse" else None
        self._joined[new.user, new.id] = last.new.id
        if new.idempotency is not None:
            self._keys[new.user, new.idempotency.key] = (new.idempotency.body_hash, last.new.id)
        return last.new.id, None

    def _take(self, new: NewJob) -> None:
        place = decisions.rank(new.priority)
        number = len(self.jobs) + 1
        now_us = self.clock.now_us()
        tag = 0.0 if new.postponed is not None else self._tag(place, new.user)
        self.jobs[new.id] = ModelJob(new, number, place, tag, now_us, now_us)
        self.jobs[new.id].postponed = new.postponed is not None
        self.change.moves.append((new.id, 1, JobState.PENDING, 0))
        if new.postponed is None:
            self.look(self.jobs[new.id])
        if new.idempotency is not None:
            self._keys[new.user, new.idempotency.key] = (new.idempotency.body_hash, new.id)

    def _tag(self, place: int, user: str) -> float:
        tag = decisions.start_tag(self._served[place], self._finish[place, user])
        self._finish[place, user] = decisions.finish_tag(tag)
        return tag

    def serve(self, job: ModelJob) -> None:
        """Advance the virtual time to this job."""
        self._served[job.rank] = decisions.virtual_time(self._served[job.rank], job.tag)

    def enqueues_us(self, job: ModelJob) -> int | None:
        postponed = job.new.postponed
        assert postponed is not None
        return decisions.enqueues_us(0, postponed.run_us, len(job.blockers), False)

    def enqueue_when_due(self, job: ModelJob) -> None:
        at_us = self.enqueues_us(job)
        if at_us is not None and at_us <= self.clock.now_us():
            self._enqueue(job)

    def _enqueue(self, job: ModelJob) -> None:
        """It takes its place in the queue now."""
        job.postponed, job.aged_us = False, self.clock.now_us()
        job.tag = self._tag(job.rank, job.new.user)
        self.look(job)

    def enqueue_due(self) -> None:
        """Postponed jobs whose time has come take their places, the longest due first."""
        now_us = self.clock.now_us()
        waiting = [job for job in self.jobs.values() if job.postponed]
        times = {job.sequence: self.enqueues_us(job) for job in waiting}
        due = [(at, job.sequence, job) for job in waiting if (at := times[job.sequence]) is not None]
        for at, _, job in sorted(due, key=lambda each: each[:2]):
            if at <= now_us:
                self._enqueue(job)

    def keep_up(self) -> bool:
        """Raise the jobs that have waited longest by one priority. False if that is not due yet."""
        now, now_us = self.clock.monotonic(), self.clock.now_us()
        if not decisions.is_upkeep_due((now - self._kept_up) * 1_000_000):
            return False
        self._kept_up = now
        pending = [job for job in self.jobs.values() if job.status is JobState.PENDING and not job.postponed]
        waiting = [job for job in pending if job.rank > 0]
        aged = [job for job in waiting if job.aged_us <= decisions.aged_before(now_us)]
        for job in sorted(aged, key=lambda job: (job.aged_us, job.sequence))[:AGE_BATCH]:
            job.rank, job.aged_us = decisions.raised(job.rank), now_us
            job.tag = self._tag(job.rank, job.new.user)
            self.look(job)
        return True

    # ── rates ──

    def look(self, job: ModelJob) -> None:
        """A job moved, so the store sees how many of its rate may start now."""
        found = self._rate_of(job)
        if found is not None:
            bucket, interval = found
            self._free_starts[bucket] = decisions.free_starts(
                self._next_start.get(bucket), self.clock.now_us(), interval
            )

    def open_rates(self) -> None:
        """A sweep sees all rates that are open."""
        for job in self.jobs.values():
            if job.status is JobState.PENDING:
                self.look(job)

    def take_start(self, job: ModelJob) -> None:
        found = self._rate_of(job)
        if found is not None:
            bucket, interval = found
            next_us = self._next_start.get(bucket)
            self._next_start[bucket] = decisions.after_start(next_us, self.clock.now_us(), interval)
            self.look(job)

    def return_start(self, job: ModelJob) -> None:
        found = self._rate_of(job)
        if found is not None:
            bucket, interval = found
            next_us = self._next_start.get(bucket)
            if next_us is not None and job.assigned_us is not None:
                self._next_start[bucket] = decisions.after_return(next_us, job.assigned_us, interval)
            self.look(job)

    def _rate_of(self, job: ModelJob) -> tuple[tuple[int, str], int] | None:
        policy, lane = self.extensions[job.new.extension_id].spec.policy, job.new.lane
        if policy.rate is None or lane is None:
            return None
        bucket = "" if policy.rate_key is None else lane
        return (job.new.extension_id, bucket), decisions.interval_us(policy.rate)

    # ── who is next ──

    def ready(self, extension: int) -> list[ModelJob]:
        """Jobs that are neither in a backoff nor held back by their lane, best first."""
        found: list[ModelJob] = []
        places: dict[str, int] = {}
        starts = dict(self._free_starts)
        concurrency = self.extensions[extension].spec.policy.concurrency
        for job in sorted(self.jobs.values(), key=lambda job: job.order):
            if job.new.extension_id == extension and self._is_queued(job):
                lane = job.new.lane
                if lane is not None and concurrency is not None:
                    limit = decisions.limit_of(asdict(concurrency), lane)
                    free = places.get(lane, decisions.free_places(limit, self.in_lane(extension, lane), 0))
                    places[lane] = free - 1
                    if free <= 0:
                        continue
                if not self._may_start(job, starts):
                    continue
                found.append(job)
        return found

    def _is_queued(self, job: ModelJob) -> bool:
        return job.status is JobState.PENDING and job.due_us is None and not job.postponed

    def _may_start(self, job: ModelJob, starts: dict[tuple[int, str], int]) -> bool:
        found = self._rate_of(job)
        if found is None:
            return True
        starts[found[0]] -= 1
        return starts[found[0]] >= 0

    def in_lane(self, extension: int, lane: str) -> int:
        names = (self.jobs[fence.job_id].new for fence in self.held)
        return sum((new.extension_id, new.lane) == (extension, lane) for new in names)

    def best(
        self, worker: ModelWorker, session: int, jobs: int, only: frozenset[int] | None = None
    ) -> list[str]:
        """The jobs that a seat must be given. Trials and jobs with a key are never prefetched."""
        found: list[ModelJob] = []
        for extension in self._open_to(worker, session):
            ready, is_broken = self.ready(extension.id), extension.breaker.is_open
            if only is None:
                found += self._trial(extension.id, ready) if is_broken else ready
            elif extension.id in only and not is_broken:
                found += [job for job in ready if job.new.lane is None]
        return [job.new.id for job in sorted(found, key=lambda job: job.order)[:jobs]]

    def best_child(self, worker: ModelWorker, session: int, parents: Sequence[str]) -> list[str]:
        """The newest child that may be handed out, of the first parent that has one."""
        ready = {job.new.id for each in self._open_to(worker, session) for job in self.ready(each.id)}
        children = [job.new for job in reversed(self.jobs.values()) if job.new.id in ready]
        return [job.id for parent in parents for job in children if job.parent == parent][:1]

    def _open_to(self, worker: ModelWorker, session: int) -> list[ModelExtension]:
        if not worker.online or worker.draining or worker.session != session:
            return []
        offered = map(self.extensions.__getitem__, worker.offers)
        return [each for each in offered if not each.paused and each.breaker.admits(self.clock.now_us())]

    def _trial(self, extension: int, ready: list[ModelJob]) -> list[ModelJob]:
        """The job that may try: one that has not failed before, if need be from behind one in its lane."""
        lanes = {job.new.lane for job in ready}
        behind = [
            job
            for job in sorted(self.jobs.values(), key=lambda job: job.order)
            if job.new.extension_id == extension and self._is_queued(job) and job.new.lane in lanes
        ]
        return [*(job for job in [*ready, *behind] if not job.has_failed), *ready][:1]

    def _is_lane_full(self, job: ModelJob) -> bool:
        """Without a rate, a job that is not ready waits for the lane."""
        policy, lane = self.extensions[job.new.extension_id].spec.policy, job.new.lane
        if policy.rate is None or lane is None:
            return True
        concurrency = None if policy.concurrency is None else asdict(policy.concurrency)
        return self.in_lane(job.new.extension_id, lane) >= decisions.limit_of(concurrency, lane)

    def waits_for(self, job: ModelJob) -> WaitCode:
        extension = self.extensions[job.new.extension_id]
        if job.postponed:
            return WaitCode.AFTER if job.blockers else WaitCode.RUN_AT
        if extension.paused:
            return WaitCode.PAUSED
        if job.due_us is not None:
            return WaitCode.BACKOFF
        if extension.breaker.is_open:
            return WaitCode.CIRCUIT_OPEN
        if job not in self.ready(extension.id):
            return WaitCode.CONCURRENCY if self._is_lane_full(job) else WaitCode.RATE
        serving = (each for each in self.workers.values() if each.online and not each.draining)
        return (
            WaitCode.WORKERS_BUSY
            if any(extension.id in each.offers for each in serving)
            else WaitCode.NO_WORKER
        )
