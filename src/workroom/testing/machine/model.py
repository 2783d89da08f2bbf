"""A simple model of a store, with which the state machine compares a real one.

Every verb changes the model and records in `change` what the store's step must contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workroom.domain.extension import ExtensionSpec
from workroom.domain.job import Fence, JobState, may_follow
from workroom.domain.steps import Assignment, NewAnswer, NewQuestion, Progress, Report, Suspension
from workroom.domain.worker import Liveness
from workroom.errors import IllegalTransition, StaleAttempt
from workroom.testing.conformance.clock import FakeClock
from workroom.testing.machine import decisions
from workroom.testing.machine.decisions import ModelBreaker
from workroom.testing.machine.links import Links
from workroom.testing.machine.values import (
    Answer,
    ModelAttempt,
    ModelExtension,
    ModelJob,
    ModelQuestion,
    ModelWorker,
    Named,
)

LATEST = 1  # the jitter of the longest backoff
ENDS = {
    "complete": JobState.COMPLETED,
    "cancel": JobState.CANCELLED,
    "fail": JobState.FAILED,
    "give_up": JobState.FAILED,
}


class Model(Links):
    def __init__(self, clock: FakeClock, liveness: Liveness) -> None:
        super().__init__(clock)
        self.liveness = liveness
        self._owners: dict[Fence, str] = {}
        self._reported: dict[Fence, Report] = {}
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
        extension = self.extensions[job.new.extension_id]
        extension.breaker.assign(assignment.fence.token)
        self._owners[assignment.fence] = assignment.worker
        self.held[assignment.fence] = ModelAttempt(assignment, self.clock.monotonic())
        self._move(job, JobState.ASSIGNED)
        job.assigned_us = self.clock.now_us()
        self.take_start(job)

    def start(self, worker: str, fence: Fence, nonce: str) -> None:
        job, attempt = self.jobs[fence.job_id], self.held.get(fence)
        extension = self.extensions[job.new.extension_id]
        is_current = attempt is not None and attempt.assignment.worker == worker and job.fence == fence
        verdict = decisions.start(
            job.status, is_current, job.nonce == nonce, extension.breaker.lets_start(fence.token)
        )
        self.change.answers.append(None if verdict in ("run", "repeat") else StaleAttempt)
        if attempt is not None and verdict == "run":
            job.nonce, attempt.started, attempt.started_at = nonce, True, self.clock.monotonic()
            job.starts += 1
            self.serve(job)
            assert job.starts <= 1 + extension.spec.policy.retries
            self._move(job, JobState.RUNNING)
        elif attempt is not None and verdict == "circuit_open":
            self._release(attempt)
            self._requeue(job)

    def release(self, worker: str, fence: Fence, nonce: str | None) -> None:
        job, attempt = self.jobs[fence.job_id], self.held.get(fence)
        is_owner = self._owners[fence] == worker
        is_current, is_live = is_owner and job.fence == fence, is_owner and attempt is not None
        verdict = decisions.give_back(job.status, is_current, is_live, job.nonce == nonce, nonce is None)
        self.change.answers.append(None if verdict == "requeue" else StaleAttempt)
        if attempt is None or verdict == "stale":
            return
        self._release(attempt)
        self._breaker(job).end("none", fence.token, self.clock.now_us())
        if verdict == "requeue":
            job.starts -= attempt.started
            self._requeue(job)
        self._retire([job.new.extension_id])

    def append(self, worker: str, record: Progress) -> None:
        is_running = self._is_running(worker, record.fence)
        if is_running:
            self.jobs[record.fence.job_id].progress = record.document
        self.change.answers.append(None if is_running else StaleAttempt)

    def suspend(self, worker: str, suspension: Suspension) -> None:
        is_running = self._is_running(worker, suspension.fence)
        if is_running:
            self.held[suspension.fence].waits = suspension.waits
        self.change.answers.append(None if is_running else StaleAttempt)

    def ask(self, worker: str, new: NewQuestion) -> str:
        if not self._is_running(worker, new.fence):
            return "stale"
        questions = self.jobs[new.fence.job_id].questions
        if any(each.key == new.key for each in questions):
            return "repeat"
        expires_us = None if new.timeout_us is None else self.clock.now_us() + new.timeout_us
        questions.append(ModelQuestion(new.key, expires_us))
        return "new"

    def answer(self, new: NewAnswer) -> str:
        job = self.jobs[new.job_id]
        if new.question > len(job.questions):
            return "unknown"
        asked = job.questions[new.question - 1]
        verdict = decisions.answer(
            asked.answer is not None,
            (asked.answer, asked.answered_by) == (new.answer, new.user),
            job.status.is_terminal,
            asked.expires_us,
            self.clock.now_us(),
        )
        if verdict == "accept":
            asked.answer, asked.answered_by = new.answer, new.user
        return verdict

    def worker_that_waits(self, job_id: str) -> str | None:
        """Who must know the answer to a question of the job."""
        job = self.jobs[job_id]
        return self._owners[job.fence] if job.fence and job.status is JobState.RUNNING else None

    def _is_running(self, worker: str, fence: Fence) -> bool:
        job = self.jobs[fence.job_id]
        return job.fence == fence and self._owners[fence] == worker and job.status is JobState.RUNNING

    def finish(self, worker: str, report: Report) -> None:
        job, attempt = self.jobs[report.fence.job_id], self.held.get(report.fence)
        is_owner = self._owners[report.fence] == worker
        is_current, is_live = is_owner and job.fence == report.fence, is_owner and attempt is not None
        receipt = decisions.receive(job.status, report.status, is_current, is_live)
        answer: Answer = None
        if receipt == "illegal":
            answer = IllegalTransition
        elif receipt == "accepted":
            self._end(job, report)
        elif not is_owner or self._reported.get(report.fence) != report:
            answer = StaleAttempt
        if receipt == "late":
            self._breaker(job).end("none", report.fence.token, self.clock.now_us())
        if attempt is not None and receipt in ("accepted", "late"):
            self._release(attempt)
        if receipt in ("accepted", "late"):
            self._retire([job.new.extension_id])
        self.change.answers.append(answer)
        self.follow_up()

    def _end(self, job: ModelJob, report: Report) -> None:
        if report.error is None:
            fate, sign = decisions.after_report(report.status)
        else:
            policy = self.extensions[job.new.extension_id].spec.policy
            fate, sign = decisions.after_error(
                job.status, report.error.type, policy.retry_on, policy.retries, job.starts, job.has_failed
            )
        self._breaker(job).end(sign, report.fence.token, self.clock.now_us())
        job.has_failed |= sign == "failure"
        self._conclude(job, fate)
        self._reported[report.fence] = report

    def _breaker(self, job: ModelJob) -> ModelBreaker:
        return self.extensions[job.new.extension_id].breaker

    def _conclude(self, job: ModelJob, fate: str) -> None:
        if fate in ENDS:
            self._move(job, ENDS[fate])
        elif fate != "unchanged":
            self._requeue(job, has_begun=fate == "retry")
        if fate == "retry":
            job.due_us = self.clock.now_us() + int(decisions.backoff_s(job.starts, LATEST) * 1_000_000)

    def cancel(self, job_id: str) -> None:
        job = self.jobs[job_id]
        verdict = decisions.cancel(job.status)
        self.change.answers.append(IllegalTransition if verdict == "already_ended" else None)
        if verdict == "cancel":
            self._cancel(job)
            self.follow_up()

    def _cancel(self, job: ModelJob) -> None:
        if job.status is JobState.ASSIGNED:
            self.return_start(job)
        job.due_us, job.postponed = None, False
        if job.fence is not None:
            self._reported[job.fence] = Report(job.fence, JobState.CANCELLED)
        self._move(job, JobState.CANCELLED)
        self.look(job)
        self._retire([job.new.extension_id])

    def cancel_group(self, name: str) -> None:
        """Sweeps cancel its jobs."""
        group = self.groups[name]
        group.is_cancelled = group.is_changing = True
        self.close_group(name)

    def register(self, worker: ModelWorker, slots: int, ids: Mapping[int, ExtensionSpec]) -> None:
        for number, spec in ids.items():
            if number not in self.extensions or not self.extensions[number].active:
                self.extensions[number] = ModelExtension(
                    number, spec
                )  # returns unpaused, with a closed breaker
        before = worker.offers
        worker.slots, worker.offers = slots, frozenset(ids)
        for number in ids:
            self.extensions[number].leaves_us = None
        leases = [self.extensions[number].spec.policy.lease for number in ids]
        worker.own_lease = decisions.lease_of(self.liveness.lease, leases) if any(leases) else None
        self.grant(worker)
        self._depart(before, is_withdrawn=True)
        self._retire(before)

    def put_extensions(self, ids: Mapping[int, ExtensionSpec]) -> None:
        """The server's own list. Remote workers no longer serve these extensions."""
        for extension in self.extensions.values():
            if extension.spec.runner.is_server_side:
                extension.active = extension.active and extension.id in ids
        for number, spec in ids.items():
            if number not in self.extensions or not self.extensions[number].active:
                self.extensions[number] = ModelExtension(number, spec)
        for worker in self.workers.values():
            worker.offers -= frozenset(ids)

    def grant(self, worker: ModelWorker) -> None:
        worker.lease_until = self.clock.monotonic() + (worker.own_lease or self.liveness.lease)

    def disconnect(self, worker: ModelWorker) -> None:
        if worker.lease_until is not None:
            worker.lease_until = decisions.until_after_disconnect(
                worker.lease_until,
                self.clock.monotonic(),
                self.liveness.grace,
                worker.own_lease or self.liveness.lease,
                self.liveness.lease,
            )

    def open_session(self, worker: ModelWorker, boot: str) -> dict[str, set[Fence]]:
        is_reboot = decisions.is_reboot(worker.boot, boot)
        worker.session, worker.boot, worker.online = worker.session + 1, boot, True
        self.grant(worker)
        if is_reboot:
            self._lose(self.held_by(worker.id), is_loss=True)
        return self.reconcile(worker)

    def reconcile(self, worker: ModelWorker) -> dict[str, set[Fence]]:
        """What the store must reply to the worker's holds."""
        expected: dict[str, set[Fence]] = {"keep": set(), "drop": set(), "cancel": set(), "resend": set()}
        expected["drop"] = set(worker.holds) - {each.assignment.fence for each in self.held_by(worker.id)}
        for attempt in self.held_by(worker.id):
            fence, phase = attempt.assignment.fence, worker.holds.get(attempt.assignment.fence)
            verdict = decisions.judge_hold(
                phase, attempt.assignment.number, worker.seen, self._is_current(fence)
            )
            if verdict != "lose":
                expected[verdict].add(fence)
            if verdict == "resend":
                expected["keep"].add(fence)
            if verdict in ("lose", "drop"):
                self._lose([attempt], is_loss=False)
        self.follow_up()
        return expected

    def close_worker(self, worker: ModelWorker, *, is_loss: bool = False) -> None:
        self._lose(self.held_by(worker.id), is_loss=is_loss)
        if worker.offers:
            self.change.offline.add(worker.id)
        before = worker.offers
        worker.offers, worker.online, worker.boot = frozenset(), False, None
        self._depart(before, is_withdrawn=False)
        worker.draining = worker.draining and is_loss
        worker.lease_until = None
        self._retire(before)
        self.follow_up()

    def sweep(self, late: set[Named], over: set[Named]) -> None:
        """`late` and `over` are the attempts that the store reports as not started or not ended in time."""
        now, now_us = self.clock.monotonic(), self.clock.now_us()
        if decisions.is_outage(now - self._swept, self.liveness.lease):
            self.forgive()
        self._swept = now
        waiting = {each: self.liveness.start for each in self.held.values() if self._could_start(each)}
        self._lose(self._overdue(late, waiting, self._startable), is_loss=True)
        self.follow_up()
        running = {
            each: timeout
            for each in self.held.values()
            if each.started and self._is_current(each.assignment.fence) and (timeout := self._timeout(each))
        }
        for attempt in self._overdue(over, running, self._running):
            fence = attempt.assignment.fence
            job, policy = (
                self.jobs[fence.job_id],
                self.extensions[attempt.assignment.extension_id].spec.policy,
            )
            fate, sign = decisions.after_timeout(policy.retry_on, policy.retries, job.starts, job.has_failed)
            self._breaker(job).end(sign, fence.token, now_us)
            job.has_failed = True
            self._conclude(job, fate)
        self.follow_up()
        for job in self.jobs.values():
            if job.due_us is not None and job.due_us <= now_us:
                job.due_us = None
                self.look(job)
        self.enqueue_due()
        for job in self.carry_out():
            self._cancel(job)
        self.follow_up()
        self.open_rates()
        if self.keep_up():
            self._retire(self.extensions)
        for worker in self.workers.values():
            if worker.lease_until is not None and worker.lease_until <= now:
                self.close_worker(worker, is_loss=True)

    def _overdue(
        self, named: set[Named], limits: dict[ModelAttempt, float], since: dict[Fence, float]
    ) -> list[ModelAttempt]:
        """The attempts that the store names: none too early, and all that were seen for long enough."""
        now = self.clock.monotonic()
        seen = {each.assignment.fence: since.get(each.assignment.fence, now) for each in limits}
        since.clear()
        since.update(seen)
        found = [each for each in limits if each.name in named]
        assert len(found) == len(named), (named, "only attempts with a deadline may miss it")
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
        """After a restart or an outage every worker and attempt gets its full time again."""
        self._startable.clear()
        self._running.clear()
        for worker in self.workers.values():
            if worker.lease_until is not None:
                self.grant(worker)

    def _is_current(self, fence: Fence) -> bool:
        job = self.jobs[fence.job_id]
        return decisions.is_awaited(job.status, job.fence == fence)

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
            self._breaker(job).end("none", fence.token, self.clock.now_us())
            retries = self.extensions[job.new.extension_id].spec.policy.retries
            fate = decisions.lose(
                self._is_current(fence), attempt.started, job.losses, is_loss, retries, job.starts
            )
            job.losses += is_loss and fate == "requeue"
            self._conclude(job, fate)
            self._retire([job.new.extension_id])

    def _release(self, attempt: ModelAttempt) -> None:
        fence = attempt.assignment.fence
        del self.held[fence]
        self.look(self.jobs[fence.job_id])
        self.change.released.add((attempt.assignment.worker, fence.job_id, fence.attempt))

    def _requeue(self, job: ModelJob, *, has_begun: bool = False) -> None:
        if not has_begun:
            self.return_start(job)
        job.fence = job.progress = job.assigned_us = None
        self._move(job, JobState.PENDING)

    def _move(self, job: ModelJob, status: JobState) -> None:
        assert may_follow(job.status, status)
        job.history.append(status)
        if status.is_terminal:
            self.note_end(job)
        self.change.moves.append((job.new.id, len(job.history), status, job.attempt))

    @property
    def _offered(self) -> set[int]:
        return {extension for worker in self.workers.values() for extension in worker.offers}

    def _depart(self, extensions: Iterable[int], *, is_withdrawn: bool) -> None:
        """Note when those of these remote extensions leave that no worker offers any more."""
        for number in set(extensions) - self._offered:
            extension = self.extensions[number]
            if extension.active and not extension.spec.runner.is_server_side:
                extension.leaves_us = decisions.leaves_us(
                    self.clock.now_us(), int(self.liveness.linger * 1_000_000), is_withdrawn
                )
                self.change.departed.add(extension.spec.key)

    def _retire(self, extensions: Iterable[int]) -> None:
        """Remove those of these extensions that departed, have lingered and have no unfinished job."""
        needed = {job.new.extension_id for job in self.jobs.values() if not job.status.is_terminal}
        needed |= {self.jobs[fence.job_id].new.extension_id for fence in self.held}
        for extension in map(self.extensions.__getitem__, extensions):
            if extension.active and decisions.is_departure_over(
                extension.leaves_us,
                self.clock.now_us(),
                extension.id in self._offered,
                extension.id in needed,
            ):
                extension.active, extension.leaves_us = False, None
                self.change.removed.add(extension.spec.key)
