"""What a store should do, in plain Python: the state machine compares a real store with this.

Every verb changes the model and notes in `change` what the store's step must say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workroom.domain.breaker import Breaker
from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.job import REFUSED_INPUT, Fence, JobError, JobState, job_timeout, may_follow
from workroom.domain.retrying import TryAgain, after_error, after_loss
from workroom.domain.scheduling import AGE_US, finish_tag, rank, start_tag
from workroom.domain.steps import Assignment, NewJob, Report, Step
from workroom.domain.waiting import WaitCode
from workroom.domain.worker import Hold, Liveness, Phase
from workroom.errors import (
    ExtensionNotFound,
    IdempotencyConflict,
    IllegalTransition,
    StaleAttempt,
    WorkroomError,
)
from workroom.testing.conformance.clock import FakeClock

LOSSES = 5
LATEST = 1  # the jitter of a backoff that takes as long as it may
Answer = type[WorkroomError] | None
Named = tuple[str, int]  # an attempt, by job and number


@dataclass(slots=True)
class ModelJob:
    new: NewJob
    sequence: int
    tag: float
    history: list[JobState] = field(default_factory=lambda: [JobState.PENDING])
    attempt: int = 0
    starts: int = 0
    losses: int = 0
    fence: Fence | None = None  # of the attempt that it waits for, or ended with
    nonce: str | None = None
    due_us: int | None = None

    @property
    def status(self) -> JobState:
        return self.history[-1]

    @property
    def order(self) -> tuple[int, float, int]:
        return rank(self.new.priority), self.tag, self.sequence


@dataclass(slots=True, eq=False)
class ModelAttempt:
    """An attempt that takes up its worker."""

    assignment: Assignment
    claimed_at: float
    started: bool = False
    started_at: float = 0.0

    @property
    def name(self) -> Named:
        return self.assignment.fence.job_id, self.assignment.fence.attempt


@dataclass(slots=True)
class ModelExtension:
    id: int
    spec: ExtensionSpec
    active: bool = True
    paused: bool = False
    breaker: Breaker = field(default_factory=Breaker)


@dataclass(slots=True)
class ModelWorker:
    """A worker as the store should know it, and below what its process knows itself."""

    id: str
    slots: int = 1
    offers: frozenset[int] = frozenset()
    session: int = 0
    online: bool = False
    draining: bool = False
    boot: str | None = None
    lease_until: float | None = None

    boots: int = 0
    connected: bool = False
    holds: dict[Fence, Phase] = field(default_factory=dict)
    seen: int = 0

    @property
    def said(self) -> list[Hold]:
        return [Hold(fence, phase) for fence, phase in self.holds.items()]


@dataclass(slots=True)
class Change:
    """What one step must say."""

    answers: list[Answer] = field(default_factory=list)
    moves: list[tuple[str, int, JobState, int]] = field(default_factory=list)
    released: set[tuple[str, str, int]] = field(default_factory=set)
    removed: set[ExtensionKey] = field(default_factory=set)
    offline: set[str] = field(default_factory=set)

    def check(self, step: Step) -> None:
        moves = [(each.job_id, each.version, each.status, each.attempt) for each in step.transitions]
        released = [(each.worker, each.job_id, each.attempt) for each in step.released]
        assert sorted(moves) == sorted(self.moves), (moves, self.moves)
        assert sorted(released) == sorted(self.released), (released, self.released)
        assert [answer and type(answer) for answer in step.answers] == self.answers, step.answers
        assert set(step.removed) == self.removed, (step.removed, self.removed)
        assert sorted(step.offline) == sorted(self.offline), (step.offline, self.offline)


class Model:
    def __init__(self, clock: FakeClock, liveness: Liveness) -> None:
        self.clock = clock
        self.liveness = liveness
        self.jobs: dict[str, ModelJob] = {}
        self.extensions: dict[int, ModelExtension] = {}
        self.workers: dict[str, ModelWorker] = {}
        self.held: dict[Fence, ModelAttempt] = {}
        self.change = Change()
        self._owners: dict[Fence, str] = {}
        self._ended: dict[Fence, Report] = {}
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}
        self._served: defaultdict[int, float] = defaultdict(float)
        self._finish: defaultdict[tuple[int, str], float] = defaultdict(float)
        self._swept = clock.monotonic()
        self._startable: dict[Fence, float] = {}
        self._running: dict[Fence, float] = {}
        self._until_us = clock.now_us() + AGE_US

    @property
    def knows_order(self) -> bool:
        """Until waiting has raised the first priority."""
        return self.clock.now_us() < self._until_us

    def held_by(self, worker: str) -> list[ModelAttempt]:
        return [each for each in self.held.values() if each.assignment.worker == worker]

    def submit(self, new: NewJob) -> str | None:
        """The job that a submit which was sent again stands for."""
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
        place = rank(new.priority)
        tag = start_tag(self._served[place], self._finish[place, new.user])
        self._finish[place, new.user] = finish_tag(tag)
        self.jobs[new.id] = ModelJob(new, len(self.jobs) + 1, tag)
        self.change.moves.append((new.id, 1, JobState.PENDING, 0))
        if new.idempotency is not None:
            self._keys[new.user, new.idempotency.key] = (new.idempotency.body_hash, new.id)

    def ready(self, extension: int) -> list[ModelJob]:
        """What is neither in a backoff nor kept by its lane, the best first."""
        found: list[ModelJob] = []
        places: dict[str, int] = {}
        concurrency = self.extensions[extension].spec.policy.concurrency
        for job in sorted(self.jobs.values(), key=lambda job: job.order):
            if job.new.extension_id == extension and job.status is JobState.PENDING and job.due_us is None:
                lane = job.new.lane
                if lane is not None and concurrency is not None:
                    free = places.get(lane, concurrency.limit(lane) - self.in_lane(extension, lane))
                    places[lane] = free - 1
                    if free <= 0:
                        continue
                found.append(job)
        return found

    def in_lane(self, extension: int, lane: str) -> int:
        names = (self.jobs[fence.job_id].new for fence in self.held)
        return sum((new.extension_id, new.lane) == (extension, lane) for new in names)

    def may_go(self, job_id: str, worker: ModelWorker) -> bool:
        job = self.jobs[job_id]
        return job.status is JobState.PENDING and job.due_us is None and job.new.extension_id in worker.offers

    def best(self, worker: ModelWorker, session: int, jobs: int) -> list[str]:
        """What a claim must hand out."""
        if not worker.online or worker.draining or worker.session != session:
            return []
        found: list[ModelJob] = []
        for extension in map(self.extensions.__getitem__, worker.offers):
            if not extension.paused and extension.breaker.admits(self.clock.now_us()):
                ready = self.ready(extension.id)
                found += ready[:1] if extension.breaker.is_open else ready
        return [job.new.id for job in sorted(found, key=lambda job: job.order)[:jobs]]

    def assign(self, assignment: Assignment) -> None:
        job = self.jobs[assignment.fence.job_id]
        job.attempt += 1
        job.fence, job.nonce = assignment.fence, None
        assert assignment.fence.attempt == job.attempt
        place = rank(job.new.priority)
        self._served[place] = max(job.tag, self._served[place])
        extension = self.extensions[job.new.extension_id]
        extension.breaker = extension.breaker.trying(assignment.fence.token)
        self._owners[assignment.fence] = assignment.worker
        self.held[assignment.fence] = ModelAttempt(assignment, self.clock.monotonic())
        self._move(job, JobState.ASSIGNED)

    def start(self, worker: str, fence: Fence, nonce: str) -> None:
        job, attempt = self.jobs[fence.job_id], self.held.get(fence)
        extension = self.extensions[job.new.extension_id]
        answer: Answer = StaleAttempt
        if attempt is None or attempt.assignment.worker != worker or job.fence != fence:
            pass
        elif job.status is JobState.RUNNING and job.nonce == nonce:
            answer = None
        elif job.status is JobState.ASSIGNED and not extension.breaker.lets_start(fence.token):
            self._release(attempt)
            self._requeue(job)
        elif job.status is JobState.ASSIGNED:
            answer = None
            job.nonce, attempt.started, attempt.started_at = nonce, True, self.clock.monotonic()
            job.starts += 1
            assert job.starts <= 1 + extension.spec.policy.retries
            self._move(job, JobState.RUNNING)
        self.change.answers.append(answer)

    def settle(self, worker: str, report: Report) -> None:
        job, attempt = self.jobs[report.fence.job_id], self.held.get(report.fence)
        answer: Answer = None
        if self._owners[report.fence] != worker:
            answer, attempt = StaleAttempt, None
        elif job.fence != report.fence or job.status.is_terminal or attempt is None:
            answer = None if self._ended.get(report.fence) == report else StaleAttempt
            if attempt is not None:
                self._no_verdict(attempt)
        elif not may_follow(job.status, report.status):
            answer, attempt = IllegalTransition, None
        else:
            self._end(job, worker, report)
        if attempt is not None:
            self._release(attempt)
            self._retire()
        self.change.answers.append(answer)

    def _end(self, job: ModelJob, worker: str, report: Report) -> None:
        extension = self.extensions[job.new.extension_id]
        if report.status is JobState.FAILED:
            assert report.error is not None
            if report.error.type == REFUSED_INPUT or job.status is JobState.ASSIGNED:
                extension.breaker = extension.breaker.after_no_verdict(report.fence.token)
                self._move(job, JobState.FAILED)
            else:
                self._failed(job, report.fence, report.error)
        else:
            succeeded = report.status is JobState.COMPLETED
            rule = Breaker.after_success if succeeded else Breaker.after_no_verdict
            extension.breaker = rule(extension.breaker, report.fence.token)
            self._move(job, report.status)
        self._ended[report.fence] = report

    def _failed(self, job: ModelJob, fence: Fence, error: JobError) -> None:
        extension = self.extensions[job.new.extension_id]
        extension.breaker = extension.breaker.after_failure(fence.token, self.clock.now_us())
        self._conclude(job, after_error(extension.spec.policy, job.starts, error, LATEST))

    def _conclude(self, job: ModelJob, verdict: TryAgain | JobError) -> None:
        if isinstance(verdict, TryAgain):
            self._requeue(job)
            job.due_us = self.clock.now_us() + int(verdict.delay_s * 1_000_000)
        else:
            self._move(job, JobState.FAILED)

    def cancel(self, job_id: str) -> None:
        job = self.jobs[job_id]
        over = job.status.is_terminal
        answer = IllegalTransition if over and job.status is not JobState.CANCELLED else None
        self.change.answers.append(answer)
        if not over:
            job.due_us = None
            if job.fence is not None:
                self._ended[job.fence] = Report(job.fence, JobState.CANCELLED)
            self._move(job, JobState.CANCELLED)
            self._retire()

    def register(self, worker: ModelWorker, slots: int, ids: Mapping[int, ExtensionSpec]) -> None:
        for number, spec in ids.items():
            if number not in self.extensions or not self.extensions[number].active:
                self.extensions[number] = ModelExtension(number, spec)  # comes back unpaused and trusted
        worker.slots, worker.offers = slots, frozenset(ids)
        self.grant(worker)
        self._retire()

    def grant(self, worker: ModelWorker) -> None:
        worker.lease_until = self.clock.monotonic() + self.liveness.lease

    def open_session(self, worker: ModelWorker, boot: str) -> dict[str, set[Fence]]:
        is_reboot = worker.boot is not None and worker.boot != boot
        worker.session, worker.boot, worker.online = worker.session + 1, boot, True
        self.grant(worker)
        if is_reboot:
            self._lose(self.held_by(worker.id), is_loss=True)
            self._retire()
        return self.reconcile(worker)

    def reconcile(self, worker: ModelWorker) -> dict[str, set[Fence]]:
        """Absence counts only up to the last assignment that the worker has seen."""
        said: dict[str, set[Fence]] = {"keep": set(), "drop": set(), "cancel": set(), "resend": set()}
        said["drop"] = set(worker.holds) - {each.assignment.fence for each in self.held_by(worker.id)}
        for attempt in self.held_by(worker.id):
            fence, phase = attempt.assignment.fence, worker.holds.get(attempt.assignment.fence)
            current = self._is_current(fence)
            if phase is None and attempt.assignment.number > worker.seen and current:
                said["resend"].add(fence)
                said["keep"].add(fence)
            elif phase is None:
                self._lose([attempt], is_loss=False)
            elif current:
                said["keep"].add(fence)
            elif phase is Phase.FINISHED:
                said["drop"].add(fence)
                self._lose([attempt], is_loss=False)
            else:
                said["cancel"].add(fence)
        self._retire()
        return said

    def close_worker(self, worker: ModelWorker, *, is_loss: bool = False) -> None:
        self._lose(self.held_by(worker.id), is_loss=is_loss)
        if worker.offers:
            self.change.offline.add(worker.id)
        worker.offers, worker.online, worker.draining, worker.boot = frozenset(), False, False, None
        worker.lease_until = None
        self._retire()

    def sweep(self, late: set[Named], over: set[Named]) -> None:
        """`late` and `over` are the attempts that the store says did not start, or end, in time."""
        now, now_us = self.clock.monotonic(), self.clock.now_us()
        if now - self._swept > self.liveness.lease:
            self.reopen()
        self._swept = now
        waiting = {each: self.liveness.start for each in self.held.values() if self._could_start(each)}
        self._lose(self._overdue(late, waiting, self._startable), is_loss=True)
        running = {
            each: timeout
            for each in self.held.values()
            if each.started and self._is_current(each.assignment.fence) and (timeout := self._timeout(each))
        }
        for attempt in self._overdue(over, running, self._running):
            fence = attempt.assignment.fence
            self._failed(self.jobs[fence.job_id], fence, job_timeout(None))
        for job in self.jobs.values():
            if job.due_us is not None and job.due_us <= now_us:
                job.due_us = None
        for worker in self.workers.values():
            if worker.lease_until is not None and worker.lease_until <= now:
                self.close_worker(worker, is_loss=True)
        self._retire()

    def _overdue(
        self, named: set[Named], limits: dict[ModelAttempt, float], since: dict[Fence, float]
    ) -> list[ModelAttempt]:
        """The attempts that the store names: none before its time, and all that sweeps saw for so long."""
        now = self.clock.monotonic()
        seen = {each.assignment.fence: since.get(each.assignment.fence, now) for each in limits}
        since.clear()
        since.update(seen)
        found = [each for each in limits if each.name in named]
        assert len(found) == len(named), (named, "only what takes time may run out of it")
        assert all(now - max(each.claimed_at, each.started_at) >= limits[each] for each in found)
        must = [each for each in limits if now - seen[each.assignment.fence] >= limits[each]]
        assert {each.name for each in must} <= named, (must, named)
        return found

    def _timeout(self, attempt: ModelAttempt) -> float | None:
        return self.extensions[attempt.assignment.extension_id].spec.policy.timeout

    def reopen(self) -> None:
        """After a restart, or a gap in sweeping, everyone has all of their time again."""
        self._swept = self.clock.monotonic()
        self._startable.clear()
        self._running.clear()
        for worker in self.workers.values():
            if worker.lease_until is not None:
                self.grant(worker)

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

    def _is_current(self, fence: Fence) -> bool:
        job = self.jobs[fence.job_id]
        return job.fence == fence and not job.status.is_terminal

    def _could_start(self, attempt: ModelAttempt) -> bool:
        worker = attempt.assignment.worker
        busy = sum(each.started for each in self.held_by(worker))
        is_waiting = not attempt.started and self._is_current(attempt.assignment.fence)
        return is_waiting and busy < self.workers[worker].slots

    def _lose(self, attempts: Iterable[ModelAttempt], *, is_loss: bool) -> None:
        for attempt in attempts:
            fence = attempt.assignment.fence
            job = self.jobs[fence.job_id]
            self._release(attempt)
            self._no_verdict(attempt)
            if not self._is_current(fence):
                continue
            if attempt.started:
                policy = self.extensions[job.new.extension_id].spec.policy
                self._conclude(job, after_loss(policy, job.starts, attempt.assignment.worker, LATEST))
            elif job.losses + is_loss >= LOSSES:
                self._move(job, JobState.FAILED)
            else:
                job.losses += is_loss
                self._requeue(job)

    def _no_verdict(self, attempt: ModelAttempt) -> None:
        extension = self.extensions[attempt.assignment.extension_id]
        extension.breaker = extension.breaker.after_no_verdict(attempt.assignment.fence.token)

    def _release(self, attempt: ModelAttempt) -> None:
        fence = attempt.assignment.fence
        del self.held[fence]
        self.change.released.add((attempt.assignment.worker, fence.job_id, fence.attempt))

    def _requeue(self, job: ModelJob) -> None:
        job.fence = None
        self._move(job, JobState.PENDING)

    def _move(self, job: ModelJob, status: JobState) -> None:
        assert may_follow(job.status, status)
        job.history.append(status)
        self.change.moves.append((job.new.id, len(job.history), status, job.attempt))

    def _retire(self) -> None:
        """A remote extension leaves once nobody offers it and nothing of it is unfinished."""
        needed = {job.new.extension_id for job in self.jobs.values() if not job.status.is_terminal}
        needed |= {self.jobs[fence.job_id].new.extension_id for fence in self.held}
        needed |= {extension for worker in self.workers.values() for extension in worker.offers}
        for extension in self.extensions.values():
            if extension.active and extension.id not in needed:
                extension.active = False
                self.change.removed.add(extension.spec.key)
