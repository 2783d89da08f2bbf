"""The rules of the state machine: submits, workers, reports and time, in any order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.steps import (
    Assignment,
    Idempotency,
    NewJob,
    Postponement,
    Progress,
    Report,
    Seat,
    Start,
    Unbegun,
)
from workroom.domain.worker import Phase, Session, WorkerSpec
from workroom.errors import StaleSession, WorkerNotFound
from workroom.testing.conformance.stage import LAB
from workroom.testing.machine.questions import QuestionRules
from workroom.testing.machine.scene import (
    AGE,
    BREAK,
    ENDINGS,
    GAP,
    LIVENESS,
    SOON,
    SPECS,
    STRIDE,
    TIDY,
    WORKERS,
    ahead,
    endings,
    extensions,
    five_failures,
    rarely,
    recent,
    some,
    workers,
)
from workroom.testing.machine.values import ModelGroup, ModelWorker


class StoreMachine(QuestionRules):
    """Subclass this and define how the store is opened."""

    # ── people ──

    @initialize(slots=st.integers(1, 3))
    def three_workers(self, slots: int) -> None:
        for name in WORKERS:
            self.register(name, set(SPECS), slots)
        self.connect("w1", reboot=False)

    @rule(
        extension=extensions,
        user=st.sampled_from(["ada", "bob", "eve"]),
        priority=st.sampled_from([0, 0, 5]),
        provider=st.sampled_from(["a", "b"]),
        jobs=st.integers(1, 4),
        delay=st.sampled_from([None, None, None, SOON, STRIDE, BREAK]),
        after=st.sampled_from(["", "", "", "job", "group"]),
        on_end=st.booleans(),
        group=rarely,
        child=rarely,
        which=recent,
    )
    def submit(
        self,
        extension: str,
        user: str,
        priority: int,
        provider: str,
        jobs: int,
        delay: float | None = None,
        after: str = "",
        on_end: bool = False,
        group: bool = False,
        child: bool = False,
        which: int = 0,
    ) -> None:
        known, first = self._extension(extension), self.submits + 1
        self.submits += jobs
        lane = provider if SPECS[extension].policy.concurrency is not None else None
        run_us = None if delay is None else self.clock.now_us() + round(delay * 1_000_000)
        before = self._before(after, which)
        postponed = Postponement(run_us, before, on_end) if run_us is not None or before else None
        parent = self._job(which).new.id if child and self.model.jobs else None
        is_unique = SPECS[extension].policy.unique is not None
        if is_unique:  # a duplicate is compared before it would wait or belong to a group
            postponed, group = None, False
        self._submit(
            *(
                NewJob(
                    f"job{number}",
                    LAB,
                    known.id,
                    known.spec.schema_hash,
                    user,
                    b"{}",
                    priority,
                    lane,
                    parent=parent,
                    idempotency=Idempotency("POST", f"key of job{number}", "body"),
                    postponed=postponed,
                    group=self._group() if group else None,
                    unique=provider if is_unique else None,
                )
                for number in range(first, first + jobs)
            )
        )

    def _before(self, after: str, which: int) -> tuple[str, ...]:
        if after == "group" and self.model.groups:
            return (list(self.model.groups)[-1 - which % len(self.model.groups)],)
        if after == "job" and self.model.jobs:
            return tuple({self._job(which).new.id, self._job(which + 1).new.id})
        return ()

    def _group(self) -> str:
        """The newest group, or another one if that is closed."""
        for name, group in self.model.groups.items():
            if group.is_open:
                return name
        name = f"grp_{len(self.model.groups)}"
        self.call(lambda: self.store.create_group(NewGroup(name, LAB, "ada")))
        self.model.groups[name] = ModelGroup()
        return name

    @precondition(lambda self: self.model.groups)
    @rule(which=recent, cancels=rarely)
    def close_group(self, which: int, cancels: bool) -> None:
        name = list(self.model.groups)[-1 - which % len(self.model.groups)]
        change = GroupChange.CANCEL if cancels else GroupChange.CLOSE
        (self.model.cancel_group if cancels else self.model.close_group)(name)
        self.check(self.call(lambda: self.store.change_group(name, change, "ada", "no longer wanted")))

    @precondition(lambda self: self.model.jobs)
    @rule(which=recent, by_key=st.booleans(), other_body=st.booleans())
    def submit_again(self, which: int, by_key: bool, other_body: bool) -> None:
        new = self._job(which).new
        if by_key and new.idempotency is not None:
            key = replace(new.idempotency, body_hash="another body") if other_body else new.idempotency
            self.submits += 1
            new = replace(new, id=f"job{self.submits}", idempotency=key)
        self._submit(new)

    def _submit(self, *jobs: NewJob) -> None:
        known = {job.id: first for job in jobs if (first := self.model.submit(job)) is not None}
        self.model.follow_up()
        step = self.call(lambda: self.store.submit(jobs))
        assert step.known == known
        self.check(step)

    @precondition(lambda self: self.model.jobs)
    @rule(which=recent)
    def cancel(self, which: int) -> None:
        job_id = self._job(which).new.id
        self.model.cancel(job_id)
        self.check(self.call(lambda: self.store.cancel([job_id], "ada", "no longer wanted")))

    @rule(extension=extensions, name=workers, paused=rarely, draining=rarely)
    def hold_back(self, extension: str, name: str, paused: bool, draining: bool) -> None:
        held, worker = self._extension(extension), self.model.workers[name]
        held.paused, worker.draining = paused, draining
        self.call(lambda: self.store.pause(held.id, paused=paused))
        self.call(lambda: self.store.drain(name, draining=draining))

    @rule(listed=st.booleans())
    def start_with_another_list(self, listed: bool) -> None:
        """The server's own extensions come and go with its settings."""
        specs = [TIDY] if listed else []
        ids = self.call(lambda: self.store.put_extensions(specs))
        self.model.put_extensions(dict(zip(ids, specs, strict=True)))

    # ── workers come and go ──

    @rule(name=workers, offered=st.sets(extensions, min_size=1), slots=st.integers(1, 3))
    def register(self, name: str, offered: set[str], slots: int) -> None:
        listed = [spec for name, spec in SPECS.items() if name in offered]
        spec = WorkerSpec(name, "ada", name, "remote", slots, b"{}")
        registered = self.call(lambda: self.store.register(spec, listed))
        assert registered.is_new is (name not in self.model.workers)
        worker = self.model.workers.setdefault(name, ModelWorker(name))
        self.model.register(worker, slots, dict(zip(registered.extension_ids, listed, strict=True)))
        self.check(registered.step)

    @rule(name=workers, reboot=rarely)
    def connect(self, name: str, reboot: bool) -> None:
        worker = self.model.workers[name]
        if reboot:
            worker.boots, worker.holds, worker.seen = worker.boots + 1, {}, 0
        boot = f"boot {worker.boots}"
        if not worker.offers:
            self.refused(
                WorkerNotFound,
                lambda: self.store.open_session(name, boot, worker.reported_holds, worker.seen),
            )
            return
        opened = self.call(lambda: self.store.open_session(name, boot, worker.reported_holds, worker.seen))
        expected = self.model.open_session(worker, boot)
        worker.connected = True
        assert (opened.session, opened.slots, opened.draining) == (
            Session(name, worker.session),
            worker.slots,
            worker.draining,
        )
        assert {offer.extension_id for offer in opened.offers} == worker.offers
        self._apply_reconciled(worker, opened.reconciled, expected)

    @rule(name=workers, how=st.sampled_from(["socket", "socket", "late disconnect", "goodbye"]))
    def leave(self, name: str, how: str) -> None:
        """A late disconnect of an older session changes nothing."""
        worker = self.model.workers[name]
        if how == "late disconnect":
            self.call(lambda: self.store.disconnect(Session(name, worker.session - 1)))
            return
        worker.connected = False
        if how == "goodbye":
            step = self.call(lambda: self.store.close_session(name, "goodbye"))
            self.model.close_worker(worker)
            self.check(step)
            return
        self.call(lambda: self.store.disconnect(Session(name, worker.session)))
        self.model.disconnect(worker)

    @rule(name=workers, forgets=rarely, deaf=rarely, old=rarely)
    def heartbeat(self, name: str, forgets: bool, deaf: bool, old: bool) -> None:
        """A worker that forgets has lost one of its jobs; a deaf one does not receive the reply."""
        worker = self.model.workers[name]
        if forgets and worker.holds:
            worker.holds.popitem()
        session = Session(name, worker.session - old)
        if old or not worker.offers:
            error = StaleSession if worker.offers else WorkerNotFound
            self.refused(error, lambda: self.store.renew(session, worker.reported_holds, worker.seen))
            return
        reconciled = self.call(lambda: self.store.renew(session, worker.reported_holds, worker.seen))
        expected = self.model.reconcile(worker)
        self.model.grant(worker)
        self._apply_reconciled(worker, reconciled, expected, deaf=deaf)

    # ── jobs at workers ──

    @rule(
        names=st.lists(workers, min_size=1, max_size=2),
        jobs=st.integers(1, 3),
        ahead=ahead,
        lost=rarely,
        old=rarely,
    )
    def claim(self, names: list[str], jobs: int, ahead: set[str], lost: bool, old: bool) -> None:
        """A lost assignment is unknown to the worker until it is sent again."""
        seated = [worker for name in names if (worker := self.model.workers[name]).connected]
        sessions = [Session(worker.id, worker.session - old) for worker in seated]
        fast = frozenset(self._extension(name).id for name in ahead)
        seats = [Seat(session, jobs) for session in sessions]
        seats += [Seat(session, jobs, fast) for session in sessions if fast]
        self._claim(seats, lost=lost)

    @precondition(lambda self: self.model.jobs)
    @rule(name=workers, which=recent)
    def claim_children(self, name: str, which: int) -> None:
        worker = self.model.workers[name]
        if worker.connected:
            parents = (self._job(which).new.id, self._job(which + 1).new.id)
            self._claim([Seat(Session(worker.id, worker.session), 1, parents=parents)] * 2, lost=False)

    def _claim(self, seats: list[Seat], *, lost: bool) -> None:
        claimed = self.call(lambda: self.store.claim(seats).durable)
        left, served = list(claimed.assignments), defaultdict[str, set[int]](set)
        for seat in seats:
            given = self._seated(seat, left, served[seat.session.worker])
            left = left[len(given) :]
            for assignment in given:
                self.model.assign(assignment)
                self.assignments.append(assignment)
                if not lost:
                    self._receive(self.model.workers[assignment.worker], assignment)
        assert not left, left
        self.check(claimed.step)

    def _seated(self, seat: Seat, left: list[Assignment], served: set[int]) -> list[Assignment]:
        """What this seat was given: the best jobs in order, none prefetched behind another extension's."""
        worker = self.model.workers[seat.session.worker]
        behind = seat.only is not None and not served <= seat.only
        best = [] if behind else self._best(worker, seat)
        given = left[: len(best)]
        assert [each.fence.job_id for each in given] == best, (given, best)
        assert all(each.worker == worker.id for each in given)
        served.update(each.extension_id for each in given)
        return given

    def _best(self, worker: ModelWorker, seat: Seat) -> list[str]:
        if seat.parents:
            return self.model.best_child(worker, seat.session.number, seat.parents)
        return self.model.best(worker, seat.session.number, seat.jobs, seat.only)

    @precondition(lambda self: self.assignments)
    @rule(which=recent, nonce=st.sampled_from(["nonce", "nonce", "other"]), impostor=rarely)
    def start(self, which: int, nonce: str, impostor: bool) -> None:
        assignment = self._assignment(which)
        self._start(assignment, "w3" if impostor else assignment.worker, nonce)

    def _start(self, assignment: Assignment, name: str, nonce: str) -> None:
        fence = assignment.fence
        self.model.start(name, fence, nonce)
        step = self.call(lambda: self.store.start(name, [Start(fence, nonce)]))
        holds = self.model.workers[assignment.worker].holds
        if fence in holds and step.answers == [None]:
            holds[fence] = Phase.BEGUN
        self.check(step)

    @precondition(lambda self: self.assignments)
    @rule(which=recent, nonce=st.sampled_from([None, "nonce", "other"]), impostor=rarely)
    def release(self, which: int, nonce: str | None, impostor: bool) -> None:
        """The worker gives an attempt back, or the server recalls it."""
        assignment = self._assignment(which)
        name, fence = "w3" if impostor else assignment.worker, assignment.fence
        self.model.release(name, fence, nonce)
        step = self.call(lambda: self.store.release(name, [Unbegun(fence, nonce)], "dispatcher", "recalled"))
        if step.answers == [None]:
            self.model.workers[assignment.worker].holds.pop(fence, None)
        self.check(step)

    @precondition(lambda self: self.assignments)
    @rule(which=recent, fraction=st.sampled_from([b"0.1", b"0.9"]), impostor=rarely)
    def progress(self, which: int, fraction: bytes, impostor: bool) -> None:
        assignment = self._assignment(which)
        name, record = "w3" if impostor else assignment.worker, Progress(assignment.fence, fraction)
        self.model.append(name, record)
        step = self.call(lambda: self.store.append(name, [record]))
        self.call(lambda: self.store.submit([]))  # what was applied is on disk after this
        self.check(step)

    @precondition(lambda self: self.assignments)
    @rule(which=recent, ending=st.sampled_from(list(ENDINGS)), impostor=rarely, lost_reply=rarely)
    def finish(self, which: int, ending: str, impostor: bool, lost_reply: bool) -> None:
        """A worker that does not receive the reply still holds the finished attempt."""
        assignment = self._assignment(which)
        name = "w3" if impostor else assignment.worker
        report = Report(assignment.fence, *ENDINGS[ending])
        self._finish(name, report)
        holds = self.model.workers[assignment.worker].holds
        if lost_reply and assignment.fence in holds:
            holds[assignment.fence] = Phase.FINISHED
        elif not impostor:
            holds.pop(assignment.fence, None)

    @precondition(lambda self: self.reports)
    @rule(which=recent)
    def finish_again(self, which: int) -> None:
        self._finish(*self.reports[-1 - which % len(self.reports)])

    def _finish(self, name: str, report: Report) -> None:
        self.model.finish(name, report)
        self.reports.append((name, report))
        self.check(self.call(lambda: self.store.finish(name, [report])))

    @rule(name=workers, extension=extensions, ends=st.lists(endings, min_size=1, max_size=4) | five_failures)
    def a_busy_day(self, name: str, extension: str, ends: list[str | None]) -> None:
        """Submit and run jobs one by one; five failed jobs open the breaker."""
        for ending in ends:
            self.submit(extension, "ada", 5, "a", 1)
            self.work_off(name, ending, 1)

    @rule(name=workers, ending=endings, jobs=st.integers(1, 3))
    def work_off(self, name: str, ending: str | None, jobs: int) -> None:
        """Register and connect if needed, then claim, start and finish."""
        if not self.model.workers[name].offers:
            self.register(name, set(SPECS), 2)
        if not self.model.workers[name].connected:
            self.connect(name, reboot=False)
        handed = len(self.assignments)
        self.claim([name], jobs, set(), lost=False, old=False)
        for assignment in self.assignments[handed:]:
            self._start(assignment, name, "nonce")
            if ending is not None:
                self._finish(name, Report(assignment.fence, *ENDINGS[ending]))
                self.model.workers[name].holds.pop(assignment.fence, None)

    # ── time ──

    @rule(seconds=st.sampled_from([SOON, STRIDE, 15.0, LIVENESS.lease, BREAK]), alive=some)
    def wait(self, seconds: float, alive: set[str]) -> None:
        """Time passes with regular sweeps; only live workers send heartbeats."""
        while seconds > 0:
            stride = min(seconds, STRIDE)
            seconds -= stride
            self.clock.advance(stride)
            for name in sorted(alive):
                if self.model.workers[name].connected:
                    self.heartbeat(name, forgets=False, deaf=False, old=False)
            self.sweep()

    def sweep(self) -> None:
        step = self.call(self.store.sweep)
        revoked = [((each.job_id, each.attempt), each.reason) for each in step.revoked]
        late = {name for name, reason in revoked if reason == "start deadline"}
        self.model.sweep(late, {name for name, reason in revoked if reason == "timeout"})
        self.check(step)

    @rule(seconds=st.sampled_from([SOON, STRIDE, GAP, AGE]), restart=st.booleans())
    def outage(self, seconds: float, restart: bool) -> None:
        """Time passes without sweeps. A restart closes every socket and grants every worker a full lease."""
        self.clock.advance(seconds)
        if restart:
            self.store = self.loop.run_until_complete(self.reopen_store())
            self.model.reopen()
            for worker in self.model.workers.values():
                worker.connected = False

    # ── the end ──

    def finish_everything(self) -> None:
        """Every accepted job ends once there is a worker and nothing holds it back."""
        self.register("rescuer", set(SPECS), 9)
        self.connect("rescuer", reboot=False)
        for name in SPECS:
            self.hold_back(name, "rescuer", paused=False, draining=False)
        for number in range(len(self.model.groups)):
            self.close_group(number, cancels=False)
        for _ in range(200):
            if all(job.status.is_terminal for job in self.model.jobs.values()) and not self.model.held:
                break
            self.wait(STRIDE, {"rescuer"})
            handed = -1
            while handed < len(self.assignments):
                handed = len(self.assignments)
                self.work_off("rescuer", "done", 9)
            self.the_store_agrees_with_the_model()
        assert all(job.status.is_terminal for job in self.model.jobs.values())
        assert not self.model.held
