"""What a store should do, in plain Python: the state machine compares a real store with this.

Every verb changes the model and notes in `change` what the store's step must say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workroom.domain.breaker import Breaker
from workroom.domain.extension import ExtensionSpec
from workroom.domain.job import REFUSED_INPUT, Fence, JobError, JobState, job_timeout, may_follow
from workroom.domain.retrying import TryAgain, after_error, after_loss
from workroom.domain.steps import Assignment, Progress, Report
from workroom.domain.worker import Liveness, Phase
from workroom.errors import IllegalTransition, StaleAttempt
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.machine.queue import Queue
from workroom.testing.machine.values import Answer, ModelAttempt, ModelExtension, ModelJob, ModelWorker, Named

LOSSES = 5
LATEST = 1  # the jitter of a backoff that takes as long as it may


class Model(Queue):
    def __init__(self, clock: FakeClock, liveness: Liveness) -> None:
        super().__init__(clock)
        self.liveness = liveness
        self._owners: dict[Fence, str] = {}
        self._ended: dict[Fence, Report] = {}
        self._swept = clock.monotonic()
        self._startable: dict[Fence, float] = {}
        self._running: dict[Fence, float] = {}

    def held_by(self, worker: str) -> list[ModelAttempt]:
        return [each for each in self.held.values() if each.assignment.worker == worker]

    def assign(self, assignment: Assignment) -> None:
        job = self.jobs[assignment.fence.job_id]
        job.attempt += 1
        job.fence, job.nonce = assignment.fence, None
        assert assignment.fence.attempt == job.attempt
        self.serve(job)
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

    def append(self, worker: str, record: Progress) -> None:
        job = self.jobs[record.fence.job_id]
        is_held = job.fence == record.fence and self._owners[record.fence] == worker
        is_running = is_held and job.status is JobState.RUNNING
        if is_running:
            job.progress = record.document
        self.change.answers.append(None if is_running else StaleAttempt)

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

    def put_extensions(self, ids: Mapping[int, ExtensionSpec]) -> None:
        """The server's own list. Remote workers no longer serve what is on it."""
        for extension in self.extensions.values():
            if extension.spec.runner.is_server_side:
                extension.active = extension.active and extension.id in ids
        for number, spec in ids.items():
            if number not in self.extensions or not self.extensions[number].active:
                self.extensions[number] = ModelExtension(number, spec)
        for worker in self.workers.values():
            worker.offers -= frozenset(ids)

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
            self.forgive()
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
        self.keep_up()
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
        self._swept = self._kept_up = self.clock.monotonic()
        self.forgive()

    def forgive(self) -> None:
        """After a restart, or a gap in sweeping, everyone has all of their time again."""
        self._startable.clear()
        self._running.clear()
        for worker in self.workers.values():
            if worker.lease_until is not None:
                self.grant(worker)

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
        job.fence = job.progress = None
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
            if extension.active and extension.id not in needed and not extension.spec.runner.is_server_side:
                extension.active = False
                self.change.removed.add(extension.spec.key)
