"""The one thread that writes: everything waiting becomes one transaction, one fdatasync."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from workroom.errors import StoreUnavailable
from workroom.ports import Receipt

T = TypeVar("T")


@dataclass(slots=True)
class _Work:
    step: Callable[[sqlite3.Connection], Any]
    applied: asyncio.Future[Any] | None
    durable: asyncio.Future[Any] | None
    answer: Any = None
    failure: Exception | None = None


class Writer:
    """Owns the write connection. Steps run in the order in which they were given."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: SimpleQueue[_Work | None] = SimpleQueue()
        self._closed = False
        self.commits = 0
        self._thread = threading.Thread(target=self._run, name="workroom-writer", daemon=True)
        self._thread.start()

    def _put(self, work: _Work) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        self._waiting.put(work)

    def applied(self, step: Callable[[sqlite3.Connection], T]) -> Awaitable[T]:
        """Answer as soon as the step has run; the disk follows."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, future, None))
        return future

    def durable(self, step: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Answer once the transaction with this step is on disk."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, None, future))
        return future

    def both(self, step: Callable[[sqlite3.Connection], T]) -> Receipt[T]:
        applied: asyncio.Future[T] = self._loop.create_future()
        durable: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, applied, durable))
        return Receipt(applied, durable)

    async def aclose(self) -> None:
        self._closed = True
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            while not self._waiting.empty():
                work = self._waiting.get()
                if work is None:
                    self._waiting.put(None)
                    break
                batch.append(work)
            self._transact(batch)

    def _transact(self, batch: list[_Work]) -> None:
        before = self._connection.total_changes
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for work in batch:
                self._apply(work)
            self._deliver([(work.applied, work) for work in batch if work.applied])
            self._connection.execute("COMMIT")
            self.commits += self._connection.total_changes > before
        except sqlite3.Error as error:
            self._abandon(batch, error)
        else:
            self._deliver([(work.durable, work) for work in batch if work.durable])

    def _apply(self, work: _Work) -> None:
        """Run one step so that its failure undoes its own changes and nobody else's."""
        self._connection.execute("SAVEPOINT step")
        try:
            work.answer = work.step(self._connection)
        except sqlite3.OperationalError:
            raise
        except Exception as failure:
            work.failure = failure
            self._connection.execute("ROLLBACK TO step")
        self._connection.execute("RELEASE step")

    def _abandon(self, batch: list[_Work], error: sqlite3.Error) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        for work in batch:
            work.failure = StoreUnavailable(f"the store could not commit: {error}")
        self._deliver([(work.applied, work) for work in batch if work.applied])
        self._deliver([(work.durable, work) for work in batch if work.durable])

    def _deliver(self, answers: list[tuple[asyncio.Future[Any], _Work]]) -> None:
        if answers:
            self._loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: list[tuple[asyncio.Future[Any], _Work]]) -> None:
    for future, work in answers:
        if future.done():
            continue
        if work.failure is None:
            future.set_result(work.answer)
            continue
        future.set_exception(work.failure)
        if work.applied is not None:
            future.exception()  # of two futures for one failure, one may never be looked at
