"""The verbs of the store, each one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from workroom.clock import SystemClock
from workroom.domain.chat import ChatMessage
from workroom.domain.extension import ExtensionSpec
from workroom.domain.logs import LogLimits
from workroom.domain.queries import FindExtension, FindFile, FindJob, FindRoom, FindRunning, Query
from workroom.domain.steps import (
    Claimed,
    LogBatch,
    Logged,
    NewJob,
    Opened,
    Progress,
    Reconciled,
    Registered,
    Report,
    Seat,
    Start,
    Step,
)
from workroom.domain.worker import Hold, Liveness, Session, WorkerSpec
from workroom.ports import Clock, Receipt
from workroom.stores.sqlite import (
    claiming,
    directory,
    events,
    logbook,
    queries,
    registering,
    reporting,
    sessions,
    submitting,
    upkeep,
)
from workroom.stores.sqlite.connection import open_writer
from workroom.stores.sqlite.deadlines import Deadlines
from workroom.stores.sqlite.directory import DirectoryVerbs, enter_room
from workroom.stores.sqlite.lanes import waiting
from workroom.stores.sqlite.leases import Lease, Leases
from workroom.stores.sqlite.migrations import migrate
from workroom.stores.sqlite.readers import Readers
from workroom.stores.sqlite.shelf import ShelfVerbs
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.writer import Writer

T = TypeVar("T")
_DAY_US = 86_400_000_000
_UPKEEP_SECONDS = 10.0
_CLOCK_JUMP_US = 2_000_000
_QUICK = {FindJob, FindRunning, FindFile, FindRoom, FindExtension}  # sooner answered than handed to a thread
_BRIEF = 512  # so many jobs are handled on the loop, in some ten milliseconds


class SqliteStore(DirectoryVerbs, ShelfVerbs):
    def __init__(
        self,
        path: Path,
        liveness: Liveness,
        *,
        relaxed: bool = False,
        retention_days: float | None = None,
        logs: LogLimits | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._log_limits = logs or LogLimits()
        self._retention_days = retention_days
        path.parent.mkdir(parents=True, exist_ok=True)
        self._clock = clock or SystemClock()
        self._liveness = liveness
        connection = open_writer(path, relaxed=relaxed)
        try:
            migrate(connection)
            if retention_days is not None:
                connection.execute(SQL["index_ends"])
        except Exception:
            connection.close()
            raise
        self._leases = Leases(liveness)
        self._unstarted = Deadlines()
        self._running = Deadlines()
        known = connection.execute(SQL["known_workers"]).fetchall()
        self._leases.grant_all([Session(*row) for row in known], self._clock.monotonic())
        self._swept = self._clock.monotonic()
        self._swept_us = self._clock.now_us()
        self._kept_up = self._swept
        self._numbers: dict[str, int] = {}
        self._busy = {worker for worker, _ in known}  # until their first heartbeat has been compared
        self._writer = Writer(connection)
        self._readers = Readers(path)
        self.reads = 0

    @property
    def commits(self) -> int:
        """Transactions that went to disk since the store was opened."""
        return self._writer.commits

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: submitting.submit(connection, at, jobs), brief=len(jobs) <= _BRIEF
        )

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        """What is handed out is started in a moment: one commit carries both."""

        def step(connection: sqlite3.Connection) -> Claimed:
            claimed = claiming.claim(connection, self._clock.now_us(), seats, self._numbers)
            self._busy.update(assignment.worker for assignment in claimed.assignments)
            if claimed.assignments:
                self._writer.linger()
            return claimed

        return self._writer.both(step, brief=True)

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        def step(connection: sqlite3.Connection, at: int) -> Step:
            started = reporting.start(connection, at, worker, starts)
            for start, refusal in zip(starts, started.answers, strict=True):
                if refusal is None:
                    self._running.begin(start.fence.token, self._clock.monotonic())
            return started

        return self._durable(step, brief=len(starts) <= _BRIEF, urgent=True)

    def settle(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: reporting.settle(connection, at, worker, reports),
            brief=len(reports) <= _BRIEF,
        )

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._durable(
            lambda connection, at: reporting.cancel(connection, at, job_ids, actor, reason),
            brief=len(job_ids) <= _BRIEF,
        )

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        return self._applied(
            lambda connection, at: reporting.append(connection, worker, records), brief=len(records) <= _BRIEF
        )

    def log(self, worker: str, batches: Sequence[LogBatch]) -> Awaitable[Logged]:
        return self._durable(
            lambda connection, at: logbook.log(connection, worker, batches, self._log_limits)
        )

    def remember(self, user: str, room: str, category: str, name: str, data: bytes) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            enter_room(connection, room, user, at)
            connection.execute(SQL["save_form"], (user, room, category, name, data))

        return self._durable(step)

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        def step(connection: sqlite3.Connection, at: int) -> list[int]:
            extensions = registering.put_extensions(connection, at, specs)
            self._busy.update(self._leases.workers())  # some may serve nothing any more
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

    def register(self, worker: WorkerSpec, specs: Sequence[ExtensionSpec]) -> Awaitable[Registered]:
        def step(connection: sqlite3.Connection, at: int) -> Registered:
            registered = registering.register(connection, at, worker, specs)
            number = connection.execute(SQL["session_of_worker"], (worker.id,)).fetchone()[0]
            self._leases.grant(Session(worker.id, number), self._clock.monotonic())
            return registered

        return self._durable(step)

    def open_session(self, worker: str, boot: str, holds: Sequence[Hold], seen: int) -> Awaitable[Opened]:
        def step(connection: sqlite3.Connection, at: int) -> Opened:
            opened = sessions.open_session(connection, at, worker, boot, holds, seen)
            self._numbers[worker] = max(opened.last_number, self._numbers.get(worker, 0))
            self._busy.add(worker)
            self._leases.grant(opened.session, self._clock.monotonic())
            return opened

        return self._durable(step)

    def renew(self, session: Session, holds: Sequence[Hold], seen: int) -> Awaitable[Reconciled]:
        """An idle worker's heartbeat costs no query: it can only have lost what it was once handed."""
        now = self._clock.monotonic()
        if not holds and session.worker not in self._busy and self._leases.extend(session, now):
            return _ready(Reconciled())

        def step(connection: sqlite3.Connection, at: int) -> Reconciled:
            reconciled = sessions.renew(connection, at, session, holds, seen)
            self._leases.grant(session, self._clock.monotonic())
            if not holds and not reconciled.keep and not reconciled.step.released:
                self._busy.discard(session.worker)  # nothing was there, so there is nothing to roll back
            return reconciled

        return self._durable(step)

    def disconnect(self, session: Session) -> Awaitable[None]:
        return self._applied(lambda connection, at: self._leases.shorten(session, self._clock.monotonic()))

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        ended: list[Lease] = []

        def step(connection: sqlite3.Connection, at: int) -> Step:
            ended.extend(self._leases.of(worker))
            return sessions.close_worker(connection, at, worker, reason)

        return self._then(self._durable(step), lambda _: self._leases.drop(ended))

    def sweep(self) -> Awaitable[Step]:
        """A lease is dropped only once its end is on disk: a sweep that fails is done again."""
        ended: list[Lease] = []
        committed = self._durable(lambda connection, at: self._sweep(connection, at, ended))
        return self._then(committed, lambda _: self._leases.drop(ended))

    def say(self, room: str, user: str, text: str) -> Awaitable[ChatMessage]:
        return self._durable(lambda connection, at: events.say(connection, at, room, user, text))

    def read(self, query: Query[T]) -> Awaitable[T]:
        self.reads += 1
        if type(query) in _QUICK:
            return _ready(self._readers.tell(lambda connection: _answer(connection, query)))
        return self._readers.ask(lambda connection: _answer(connection, query))

    async def aclose(self) -> None:
        await self._writer.aclose()
        self._readers.close()

    def _sweep(self, connection: sqlite3.Connection, at: int, ended: list[Lease]) -> Step:
        """After a gap in sweeping nobody can be blamed for silence: everyone gets a full lease."""
        now = self._clock.monotonic()
        if now - self._swept > self._liveness.lease:
            self._leases.extend_all(now)
            self._unstarted.clear()
            self._running.clear()
        self._follow_clock(connection, at, now)
        self._swept, self._swept_us = now, at
        late = self._unstarted.overdue(sessions.startable(connection, self._liveness.start), now)
        step = sessions.give_back(connection, at, late)
        over = self._running.overdue(sessions.limited(connection), now)
        step.absorb(sessions.time_out(connection, at, over))
        step.absorb(sessions.wake_due(connection, at))
        step.absorb(self._keep_up(connection, at, now))
        if self._retention_days is not None:
            upkeep.forget(connection, at - int(self._retention_days * _DAY_US))
        ended += self._leases.expired(now)
        for lease in ended:
            step.absorb(sessions.close_worker(connection, at, lease.worker, "lease expired", is_loss=True))
        return step

    def _follow_clock(self, connection: sqlite3.Connection, at: int, now: float) -> None:
        """If somebody set the wall clock, what is due by it moves along."""
        jump_us = int((at - self._swept_us) - (now - self._swept) * 1_000_000)
        if abs(jump_us) > _CLOCK_JUMP_US:
            connection.execute(SQL["shift_due"], (jump_us,))
            connection.execute(SQL["shift_breakers"], (jump_us,))

    def _keep_up(self, connection: sqlite3.Connection, at: int, now: float) -> Step:
        """Slow work, now and then."""
        if now - self._kept_up < _UPKEEP_SECONDS:
            return Step()
        self._kept_up = now
        connection.execute(SQL["forget_idempotent"], (at - _DAY_US,))
        directory.forget(connection, at)
        return upkeep.age(connection, at)

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


def _answer(connection: sqlite3.Connection, query: Query[T]) -> T:
    answer: T = queries.answer(connection, query)
    return answer


def _ready(answer: T) -> asyncio.Future[T]:
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    future.set_result(answer)
    return future
