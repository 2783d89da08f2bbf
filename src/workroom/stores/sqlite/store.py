"""The verbs of the store, each one step of the writer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import TypeVar

from workroom.clock import SystemClock
from workroom.domain.extension import ExtensionSpec
from workroom.domain.queries import Query
from workroom.domain.steps import (
    Claimed,
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
from workroom.stores.sqlite import claiming, queries, registering, reporting, sessions, submitting
from workroom.stores.sqlite.connection import open_reader, open_writer
from workroom.stores.sqlite.deadlines import Deadlines
from workroom.stores.sqlite.leases import Leases
from workroom.stores.sqlite.migrations import migrate
from workroom.stores.sqlite.statements import SQL
from workroom.stores.sqlite.writer import Writer

T = TypeVar("T")
_READERS = 2


class SqliteStore:
    def __init__(
        self, path: Path, liveness: Liveness, *, relaxed: bool = False, clock: Clock | None = None
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._clock = clock or SystemClock()
        self._liveness = liveness
        connection = open_writer(path, relaxed=relaxed)
        try:
            migrate(connection)
        except Exception:
            connection.close()
            raise
        self._leases = Leases(liveness)
        self._deadlines = Deadlines(liveness.start)
        known = connection.execute(SQL["known_workers"]).fetchall()
        self._leases.grant_all([Session(*row) for row in known], self._clock.monotonic())
        self._swept = self._clock.monotonic()
        self._numbers: dict[str, int] = {}
        self._busy = {worker for worker, _ in connection.execute(SQL["held_counts"])}
        self._writer = Writer(connection)
        self._readers = ThreadPoolExecutor(_READERS, "workroom-reader")
        self._reader = local()
        self._opened: list[sqlite3.Connection] = []

    @property
    def commits(self) -> int:
        """Transactions that went to disk since the store was opened."""
        return self._writer.commits

    def submit(self, jobs: Sequence[NewJob]) -> Awaitable[Step]:
        return self._durable(lambda connection, at: submitting.submit(connection, at, jobs))

    def claim(self, seats: Sequence[Seat]) -> Receipt[Claimed]:
        def step(connection: sqlite3.Connection) -> Claimed:
            claimed = claiming.claim(connection, self._clock.now_us(), seats, self._numbers)
            self._busy.update(assignment.worker for assignment in claimed.assignments)
            return claimed

        return self._writer.both(step)

    def start(self, worker: str, starts: Sequence[Start]) -> Awaitable[Step]:
        return self._durable(lambda connection, at: reporting.start(connection, at, worker, starts))

    def settle(self, worker: str, reports: Sequence[Report]) -> Awaitable[Step]:
        return self._durable(lambda connection, at: reporting.settle(connection, at, worker, reports))

    def cancel(self, job_ids: Sequence[str], actor: str, reason: str) -> Awaitable[Step]:
        return self._durable(lambda connection, at: reporting.cancel(connection, at, job_ids, actor, reason))

    def append(self, worker: str, records: Sequence[Progress]) -> Awaitable[Step]:
        return self._applied(lambda connection, at: reporting.append(connection, worker, records))

    def remember(self, user: str, room: str, category: str, name: str, data: bytes) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.execute(SQL["create_room"], (room, user, at))
            connection.execute(SQL["save_form"], (user, room, category, name, data))

        return self._durable(step)

    def put_extensions(self, specs: Sequence[ExtensionSpec]) -> Awaitable[list[int]]:
        return self._durable(lambda connection, at: registering.put_extensions(connection, at, specs))

    def create_room(self, name: str, owner: str) -> Awaitable[None]:
        def step(connection: sqlite3.Connection, at: int) -> None:
            connection.execute(SQL["create_room"], (name, owner, at))

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
            if not holds and not reconciled.keep:
                self._busy.discard(session.worker)
            return reconciled

        return self._applied(step)

    def disconnect(self, session: Session) -> Awaitable[None]:
        return self._applied(lambda connection, at: self._leases.shorten(session, self._clock.monotonic()))

    def close_session(self, worker: str, reason: str) -> Awaitable[Step]:
        committed = self._durable(
            lambda connection, at: sessions.close_worker(connection, at, worker, reason)
        )
        return self._then(committed, lambda _: self._leases.drop(worker))

    def sweep(self) -> Awaitable[Step]:
        """A lease is dropped only once its end is on disk: a sweep that fails is done again."""
        gone: list[str] = []
        committed = self._durable(lambda connection, at: self._sweep(connection, at, gone))
        return self._then(committed, lambda _: self._leases.drop(*gone))

    def read(self, query: Query[T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._readers, self._answer, query)

    async def aclose(self) -> None:
        await self._writer.aclose()
        self._readers.shutdown()
        for connection in self._opened:
            connection.close()

    def _sweep(self, connection: sqlite3.Connection, at: int, gone: list[str]) -> Step:
        """After a gap in sweeping nobody can be blamed for silence: everyone gets a full lease."""
        now = self._clock.monotonic()
        if now - self._swept > self._liveness.lease:
            self._leases.extend_all(now)
            self._deadlines.clear()
        self._swept = now
        overdue = self._deadlines.overdue(sessions.startable(connection), now)
        step = sessions.give_back(connection, at, overdue)
        gone += self._leases.expired(now)
        for worker in gone:
            step.absorb(sessions.close_worker(connection, at, worker, "lease expired", is_loss=True))
        return step

    def _then(self, committed: asyncio.Future[T], act: Callable[[T], None]) -> asyncio.Future[T]:
        def after(done: asyncio.Future[T]) -> None:
            if not done.cancelled() and done.exception() is None:
                act(done.result())

        committed.add_done_callback(after)
        return committed

    def _answer(self, query: Query[T]) -> T:
        if not hasattr(self._reader, "connection"):
            self._reader.connection = open_reader(self._path)
            self._opened.append(self._reader.connection)
        answer: T = queries.answer(self._reader.connection, query)
        return answer

    def _durable(self, step: Callable[[sqlite3.Connection, int], T]) -> asyncio.Future[T]:
        return self._writer.durable(lambda connection: step(connection, self._clock.now_us()))

    def _applied(self, step: Callable[[sqlite3.Connection, int], T]) -> Awaitable[T]:
        return self._writer.applied(lambda connection: step(connection, self._clock.now_us()))


def _ready(answer: T) -> asyncio.Future[T]:
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    future.set_result(answer)
    return future
