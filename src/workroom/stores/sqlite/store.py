"""The store on SQLite: each verb is one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from workroom.clock import SystemClock
from workroom.domain.extension import ExtensionKey, ExtensionSpec
from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.domain.jobs.exchanges import ExchangeLimits
from workroom.domain.jobs.group import GroupChange, NewGroup
from workroom.domain.jobs.logs import LogLimits
from workroom.domain.queries import FindExtension, FindFile, FindJob, FindRoom, FindRunning, Query
from workroom.domain.room import ChatMessage
from workroom.domain.rules.upkeep import DAY_US, KEY_LIFETIME_US, clock_jump_us, is_outage, is_upkeep_due
from workroom.domain.steps import (
    Accepted,
    Answered,
    Claimed,
    Dismissed,
    Exchanged,
    Filled,
    LogBatch,
    Logged,
    NewAnswer,
    NewExchange,
    NewJob,
    Opened,
    Progress,
    Reconciled,
    Registered,
    Report,
    Seat,
    Start,
    Step,
    Suspension,
    Unbegun,
)
from workroom.domain.storage.activity import StoreActivity
from workroom.domain.worker import Hold, Liveness, Session, WorkerSpec
from workroom.errors import StoreReplaced, StoreUnavailable
from workroom.ports import Clock, Receipt
from workroom.stores.sqlite import directory
from workroom.stores.sqlite.database import Database
from workroom.stores.sqlite.deadlines import Deadlines
from workroom.stores.sqlite.directory import DirectoryVerbs, require_room
from workroom.stores.sqlite.file_index import FileIndexVerbs
from workroom.stores.sqlite.leases import Lease, Leases
from workroom.stores.sqlite.presets import PresetVerbs
from workroom.stores.sqlite.queries import dispatch, events
from workroom.stores.sqlite.queries.readers import Readers
from workroom.stores.sqlite.room_data.verbs import RoomDataVerbs
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.verbs import upkeep
from workroom.stores.sqlite.verbs.groups import following, groups
from workroom.stores.sqlite.verbs.jobs import annotations as annotation_verbs
from workroom.stores.sqlite.verbs.jobs import attempts, exchanges, log_lines, submit
from workroom.stores.sqlite.verbs.queue import arrange, claim, rates
from workroom.stores.sqlite.verbs.queue.lanes import waiting
from workroom.stores.sqlite.verbs.step_builder import StepBuilder
from workroom.stores.sqlite.verbs.workers import dismissals, register, sessions
from workroom.stores.sqlite.writer import Writer, damage, is_damage

T = TypeVar("T")
_QUICK = {FindJob, FindRunning, FindFile, FindRoom, FindExtension}  # faster here than in a thread
_PROBE_BYTES = 65_536  # after a failed commit: the last pages of a full disk take a small one
_BRIEF = 512  # jobs per step that run on the loop, in about ten milliseconds


class SqliteStore(DirectoryVerbs, FileIndexVerbs, PresetVerbs, RoomDataVerbs):
    def __init__(
        self,
        path: Path,
        liveness: Liveness,
        *,
        relaxed: bool = False,
        retention_days: float | None = None,
        logs: LogLimits | None = None,
        clock: Clock | None = None,
        epoch: str | None = None,
    ) -> None:
        self._log_limits = logs or LogLimits()
        self._retention_days = retention_days
        self._clock = clock or SystemClock()
        self._liveness = liveness
        self._database = Database(path, relaxed=relaxed, epoch=epoch)
        connection = self._database.connection
        if retention_days is not None:
            connection.execute(SQL["index_ends"])
        upkeep.cap_waits(connection, self._clock.now_us())
        self._leases = Leases(liveness)
        self._unstarted = Deadlines()
        self._running = Deadlines()
        known = connection.execute(SQL["known_workers"]).fetchall()
        for worker, number, lease in known:
            self._leases.set_own(worker, lease)
            self._leases.grant(Session(worker, number), self._clock.monotonic())
        self._swept = self._clock.monotonic()
        self._swept_us = self._clock.now_us()
        self._kept_up = self._swept
        self._numbers: dict[str, int] = {}
        self._busy = {worker for worker, *_ in known}  # until their first heartbeat is reconciled
        self._writer = Writer(connection)
        self._readers = Readers(path)
        self.reads = 0

    @property
    def commits(self) -> int:
        """Transactions that went to disk since the store was opened."""
        return self._writer.commits

    @property
    def activity(self) -> StoreActivity:
        return self._writer.activity

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: submit.submit(connection, at, jobs), brief=len(jobs) <= _BRIEF
        )

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        """Assign jobs, and linger: one commit carries the claim and the starts that follow."""

        def step(connection: sqlite3.Connection) -> Claimed:
            claimed = claim.claim(connection, self._clock.now_us(), seats, self._numbers)
            self._busy.update(assignment.worker for assignment in claimed.assignments)
            if claimed.assignments:
                self._writer.linger()
            return claimed

        return self._writer.both(step, brief=True)

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        def step(connection: sqlite3.Connection, at: int) -> Step:
            started = attempts.start(connection, at, worker, starts)
            for start, refusal in zip(starts, started.answers, strict=True):
                if refusal is None:
                    self._running.begin(start.fence.token, self._clock.monotonic())
            return started

        return self._durable(step, brief=len(starts) <= _BRIEF, urgent=True)

    def finish(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: attempts.finish(connection, at, worker, reports),
            brief=len(reports) <= _BRIEF,
        )

    def release(self, worker: str, unbegun: Sequence[Unbegun], actor: str, reason: str) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: attempts.release(connection, at, worker, unbegun, actor, reason),
            brief=len(unbegun) <= _BRIEF,
        )

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: attempts.cancel(connection, at, job_ids, actor, reason),
            brief=len(job_ids) <= _BRIEF,
        )

    def arrange(self, job_ids: Sequence[str]) -> Awaitable[Step]:
        return self._durable(lambda connection, at: arrange.arrange(connection, at, job_ids))

    def fill(self, values: Sequence[Filled]) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: following.fill(connection, StepBuilder(connection, at), values)
        )

    def create_group(self, new: NewGroup) -> Awaitable[None]:
        return self._durable(lambda connection, at: groups.create(connection, at, new))

    def change_group(self, group: str, change: GroupChange, actor: str, reason: str) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: groups.change(connection, at, group, change, actor, reason)
        )

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        return self._applied(
            lambda connection, at: attempts.append(connection, worker, records), brief=len(records) <= _BRIEF
        )

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        return self._durable(
            lambda connection, at: log_lines.log(connection, worker, batches, self._log_limits)
        )

    def exchange(
        self, worker: str, items: Sequence[NewExchange], limits: ExchangeLimits
    ) -> Awaitable[Exchanged]:
        return self._durable(lambda connection, at: exchanges.exchange(connection, at, worker, items, limits))

    def answer(self, new: NewAnswer) -> Awaitable[Answered]:
        return self._durable(lambda connection, at: exchanges.answer(connection, at, new))

    def suspend(self, worker: str, suspensions: Sequence[Suspension]) -> Awaitable[Step]:
        return self._durable(lambda connection, at: exchanges.suspend(connection, worker, suspensions))

    def save_form(
        self, user: str, room: str, category: str, name: str, data: bytes, secrets: bytes | None = None
    ) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            require_room(connection, room)
            connection.execute(SQL["save_form"], (user, room, category, name, data, secrets))

        return self._durable(step)

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        def step(connection: sqlite3.Connection, at: int) -> list[int]:
            extensions = register.put_extensions(connection, at, specs)
            self._busy.update(self._leases.workers())  # some may no longer serve anything
            return extensions

        return self._durable(step)

    def pause(self, extension_id: int, *, paused: bool) -> Awaitable[Step]:
        def step(connection: sqlite3.Connection, at: int) -> Step:
            connection.execute(SQL["pause_extension"], (paused, extension_id))
            step = Step()
            if not paused:
                step.arrive(extension_id, waiting(connection, extension_id))
            return step

        return self._durable(step)

    def drain(self, worker: str, *, draining: bool) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.execute(SQL["set_draining"], (draining, worker))

        return self._durable(step)

    def register(
        self, worker: WorkerSpec, specs: Sequence[ExtensionSpec], trusted: Collection[str | None] = ()
    ) -> Awaitable[Registered]:
        def step(connection: sqlite3.Connection, at: int) -> Registered:
            registered = register.register(connection, at, worker, specs, trusted, self._liveness.lease)
            self._adopt_lease(connection, worker.id)
            number = connection.execute(SQL["session_of_worker"], (worker.id,)).fetchone()[0]
            self._leases.grant(Session(worker.id, number), self._clock.monotonic())
            return registered

        return self._durable(step)

    def accept(self, worker: str, keys: Sequence[ExtensionKey]) -> Awaitable[Accepted]:
        def step(connection: sqlite3.Connection, at: int) -> Accepted:
            accepted = register.accept(connection, at, worker, keys, self._liveness.lease)
            self._adopt_lease(connection, worker)
            return accepted

        return self._durable(step)

    def _adopt_lease(self, connection: sqlite3.Connection, worker: str) -> float | None:
        (seconds,) = connection.execute(SQL["lease_of_worker"], (worker,)).fetchone()
        self._leases.set_own(worker, seconds)
        return None if seconds is None else float(seconds)

    def refuse(self, worker: str, keys: Sequence[ExtensionKey], by: str, reason: str) -> Awaitable[Dismissed]:
        def step(connection: sqlite3.Connection, at: int) -> Dismissed:
            return dismissals.refuse(connection, at, worker, keys, by, reason)

        return self._ending(worker, step)

    def dismiss(
        self, worker: str, rooms: Collection[str | None] | None, by: str, reason: str, *, bans: bool
    ) -> Awaitable[Dismissed]:
        def step(connection: sqlite3.Connection, at: int) -> Dismissed:
            return dismissals.dismiss(connection, at, worker, rooms, by, reason, bans=bans)

        return self._ending(worker, step)

    def _ending(
        self, worker: str, step: Callable[[sqlite3.Connection, int], Dismissed]
    ) -> Awaitable[Dismissed]:
        """Drop the lease of a dismissed worker once the dismissal is on disk."""
        leases: list[Lease] = []

        def noted(connection: sqlite3.Connection, at: int) -> Dismissed:
            dismissed = step(connection, at)
            leases.extend(self._leases.of(worker) if dismissed.is_over else ())
            return dismissed

        return self._then(self._durable(noted), lambda _: self._leases.drop(leases))

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        def step(connection: sqlite3.Connection, at: int) -> Opened:
            opened = sessions.open_session(connection, at, worker, boot, holds, seen)
            self._numbers[worker] = max(opened.last_number, self._numbers.get(worker, 0))
            self._busy.add(worker)
            lease = self._adopt_lease(connection, worker)
            self._leases.grant(opened.session, self._clock.monotonic())
            return replace(opened, lease=lease)

        return self._durable(step)

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        """Extend the lease. The heartbeat of an idle worker that holds nothing needs no query."""
        now = self._clock.monotonic()
        if not holds and session.worker not in self._busy and self._leases.extend(session, now):
            return _ready(Reconciled())

        def step(connection: sqlite3.Connection, at: int) -> Reconciled:
            reconciled = sessions.renew(connection, at, session, holds, seen)
            self._leases.grant(session, self._clock.monotonic())
            if not holds and not reconciled.keep and not reconciled.step.released:
                self._busy.discard(session.worker)  # nothing changed, so nothing can be rolled back
            return reconciled

        return self._durable(step)

    def disconnect(self, session: Session) -> Awaitable[None]:
        return self._applied(lambda connection, at: self._leases.shorten(session, self._clock.monotonic()))

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        ended: list[Lease] = []

        def step(connection: sqlite3.Connection, at: int) -> Step:
            ended.extend(self._leases.of(worker))
            linger_us = int(self._liveness.linger * 1_000_000)
            return sessions.close_worker(connection, at, worker, reason, linger_us=linger_us)

        return self._then(self._durable(step), lambda _: self._leases.drop(ended))

    def sweep(self) -> Awaitable[Step]:
        """Expire what is overdue. Leases are dropped once that is on disk: a failed sweep is repeated."""
        ended: list[Lease] = []
        committed = self._durable(lambda connection, at: self._sweep(connection, at, ended))
        return self._then(committed, lambda _: self._leases.drop(ended))

    def post_chat(self, room: str, user: str, text: str, by_job: str | None = None) -> Awaitable[ChatMessage]:
        return self._durable(
            lambda connection, at: events.post_chat(connection, at, room, user, text, by_job)
        )

    def annotate(self, annotations: Sequence[Annotating]) -> Awaitable[list[Saved]]:
        return self._durable(lambda connection, at: annotation_verbs.annotate(connection, annotations))

    def read(self, query: Query[T]) -> Awaitable[T]:
        self.reads += 1
        if type(query) in _QUICK:
            return _ready(self._readers.run_here(lambda connection: self._run_query(connection, query)))
        return self._readers.run(lambda connection: self._run_query(connection, query))

    async def probe(self) -> None:
        is_failing = self._writer.is_failing
        await self._write_probe(_PROBE_BYTES if is_failing else 0)
        if is_failing:
            await self._write_probe(0)
            self._writer.is_failing = False

    def _write_probe(self, size: int) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            self._check_identity()
            connection.execute(SQL["probe"], (size,))

        return self._durable(step)

    def _check_identity(self) -> None:
        """A file that was exchanged is not written to: its changes would vanish with the next start."""
        try:
            self._database.check_identity()
        except StoreReplaced as error:
            self._writer.stop(error)
            raise

    async def aclose(self) -> None:
        await self._writer.aclose()
        self._readers.close()
        self._database.release()

    def _sweep(self, connection: sqlite3.Connection, at: int, ended: list[Lease]) -> Step:
        """Run one sweep. After a gap in sweeping every worker gets a full lease."""
        self._check_identity()
        now = self._clock.monotonic()
        if is_outage((now - self._swept) * 1_000_000, self._liveness.lease * 1_000_000):
            self._leases.extend_all(now)
            self._unstarted.clear()
            self._running.clear()
        self._follow_clock(connection, at, now)
        ended += self._leases.expire(now, self._swept)
        self._swept, self._swept_us = now, at
        late = self._unstarted.overdue(sessions.startable(connection, self._liveness.start), now)
        step = sessions.give_back(connection, at, late)
        limited = sessions.limited(connection)
        step.absorb(sessions.time_out(connection, at, self._running.overdue(limited, now)))
        step.wake_in(self._running.next_in(limited, now))
        step.absorb(sessions.wake_due(connection, at))
        step.absorb(groups.carry_on(connection, at))
        step.absorb(rates.open_due(connection, at))
        step.absorb(self._keep_up(connection, at, now))
        if self._retention_days is not None:
            keep_us = int(self._retention_days * DAY_US)
            if upkeep.trusts_clock(connection, at, keep_us):
                upkeep.forget(connection, at - keep_us)
        linger_us = int(self._liveness.linger * 1_000_000)
        for lease in ended:
            step.absorb(
                sessions.close_worker(
                    connection, at, lease.worker, "lease expired", linger_us=linger_us, is_loss=True
                )
            )
        return step

    def _follow_clock(self, connection: sqlite3.Connection, at: int, now: float) -> None:
        """If the wall clock was set, shift what is due by it."""
        jump_us = clock_jump_us(at - self._swept_us, (now - self._swept) * 1_000_000)
        if jump_us:
            connection.execute(SQL["shift_due"], (jump_us,))
            connection.execute(SQL["shift_breakers"], (jump_us,))
            connection.execute(SQL["shift_departures"], {"jump": jump_us})
            connection.execute(SQL["shift_rates"], (jump_us,))
        elif at < self._swept_us:
            rates.cap(connection, at)

    def _keep_up(self, connection: sqlite3.Connection, at: int, now: float) -> Step:
        """Do the slow upkeep, at most every few seconds."""
        if not is_upkeep_due((now - self._kept_up) * 1_000_000):
            return Step()
        self._kept_up = now
        connection.execute(SQL["forget_idempotent"], (at - KEY_LIFETIME_US,))
        directory.forget(connection, at)
        connection.execute(SQL["forget_unused"])
        connection.execute(SQL["close_ended_questions"])
        upkeep.forget_extensions(connection)
        connection.execute(SQL["forget_offline_workers"], (at - int(self._liveness.offline * 1_000_000),))
        step = upkeep.retire(connection, at)
        step.absorb(upkeep.age(connection, at))
        return step

    def _run_query(self, connection: sqlite3.Connection, query: Query[T]) -> T:
        try:
            result: T = dispatch.run_query(connection, query)
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                self._writer.stop(damage(error))
                raise damage(error) from error
            raise StoreUnavailable(f"the store could not read: {error}") from error
        return result

    def _then(self, committed: asyncio.Future[T], act: Callable[[T], None]) -> asyncio.Future[T]:
        def after(done: asyncio.Future[T]) -> None:
            if not done.cancelled() and done.exception() is None:
                act(done.result())

        committed.add_done_callback(after)
        return committed

    def _durable(
        self, step: Callable[[sqlite3.Connection, int], T], *, brief: bool = False, urgent: bool = False
    ) -> asyncio.Future[T]:
        return self._writer.durable(
            lambda connection: step(connection, self._clock.now_us()), brief=brief, urgent=urgent
        )

    def _applied(self, step: Callable[[sqlite3.Connection, int], T], *, brief: bool = False) -> Awaitable[T]:
        return self._writer.applied(lambda connection: step(connection, self._clock.now_us()), brief=brief)


def _ready(result: T) -> asyncio.Future[T]:
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    future.set_result(result)
    return future
