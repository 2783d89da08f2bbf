"""One writer: what is waiting becomes one transaction, one fdatasync."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from workroom.errors import StoreUnavailable
from workroom.ports import Receipt

T = TypeVar("T")
Change = Callable[[sqlite3.Connection], T]
_LOCKED_MS = 5000
_QUICK_SECONDS = 0.01
_TURNS = 3
_LINGER_SECONDS = 0.002
_BUSY_SECONDS = 0.01  # after a commit
_LONG_COMMITS, _LONG_CHANGES = 400, 50_000
_TIDY_COMMITS, _QUIET_SECONDS = 100, 0.01


@dataclass(slots=True)
class _Work:
    step: Change[Any]
    is_brief: bool
    applied: asyncio.Future[Any] | None
    durable: asyncio.Future[Any] | None
    is_urgent: bool = False
    answer: Any = None
    failure: Exception | None = None


class Writer:
    """Owns the write connection. Steps run in the order in which they were given.

    Brief ones run at once, on the loop, and are committed there while the disk is quick: it takes longer to
    wake a thread. The others run in a thread, and so do commits to a slow disk. What is given meanwhile waits
    for the next transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Work] = deque()
        self._open: list[_Work] = []  # whose changes are in the transaction that is open
        self._changes = 0
        self._commit_seconds = 0.0  # lately
        self._committed_at = 0.0
        self._ending: asyncio.Handle | None = None
        self._has_lingered = False
        self._is_away = False  # the thread has the connection
        self._tidying: asyncio.TimerHandle | None = None
        self._closed: asyncio.Future[None] | None = None
        self.commits = 0
        self._shortened = (0, 0)  # commits and changes, when the log was last moved into the file
        self._handed_over: SimpleQueue[tuple[list[_Work], list[_Work]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="workroom-writer", daemon=True)
        connection.execute("PRAGMA busy_timeout = 0")
        self._thread.start()

    def applied(self, step: Change[T], *, brief: bool = False) -> Awaitable[T]:
        """Answer as soon as the step has run; the disk follows."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, brief, future, None))
        return future

    def durable(self, step: Change[T], *, brief: bool = False, urgent: bool = False) -> asyncio.Future[T]:
        """Answer once the transaction with this step is on disk.

        What is urgent is waited for at the other end of a line: nothing is waited for before its commit, and
        what was committed with it is answered after it.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, brief, None, future, urgent))
        if urgent:
            self._hurry()
        return future

    def both(self, step: Change[T], *, brief: bool = False) -> Receipt[T]:
        applied: asyncio.Future[T] = self._loop.create_future()
        durable: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, brief, applied, durable))
        return Receipt(applied, durable)

    def linger(self) -> None:
        """Something is about to come that this transaction should carry too: wait for it a little, once.

        Not while one commit follows the other: whoever waits for this one would wait longer for little.
        """
        is_busy = time.monotonic() - self._committed_at < _BUSY_SECONDS
        if self._ending is not None and not (self._has_lingered or is_busy):
            self._has_lingered = True
            self._ending.cancel()
            self._ending = self._loop.call_later(_LINGER_SECONDS, self._end, 0)

    async def aclose(self) -> None:
        """What was given is still done."""
        self._closed = self._loop.create_future()
        if self._is_away or self._ending is not None:
            await self._closed
        self._handed_over.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    def _put(self, work: _Work) -> None:
        if self._closed is not None:
            raise StoreUnavailable("the store is closed")
        self._waiting.append(work)
        if not self._is_away:
            self._advance()

    def _advance(self) -> None:
        """Do what is brief; whoever comes in this turn of the loop still gets into the transaction."""
        if self._ending is None:
            self._ending = self._loop.call_soon(self._end, _TURNS)
        try:
            while self._waiting and self._waiting[0].is_brief and (self._open or self._begin()):
                work = self._waiting.popleft()
                self._open.append(work)
                self._apply(work)
                if work.applied is not None:
                    _resolve([(work.applied, work)])
        except sqlite3.Error as error:
            opened, self._open = self._open, []
            self._abandon(opened, error)
            _resolve(_answers(opened))

    def _hurry(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = self._loop.call_soon(self._end, 0)

    def _begin(self) -> bool:
        """False if another process writes to the file: the thread waits for it, not the loop."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise
        self._changes = self._connection.total_changes
        return True

    def _end(self, turns: int) -> None:
        """Whoever was woken has a few turns of the loop first: what may leave before the commit has left."""
        if turns:
            self._ending = self._loop.call_soon(self._end, turns - 1)
            return
        self._ending, self._has_lingered = None, False
        opened, self._open = self._open, []
        rest = list(self._waiting)
        self._waiting.clear()
        if rest or self._commit_seconds > _QUICK_SECONDS or self._is_log_long():
            self._is_away = True
            self._handed_over.put((opened, rest))
        else:
            self._transact(opened, rest)
            self._come_back(opened)

    def _run(self) -> None:
        while (batch := self._handed_over.get()) is not None:
            opened, rest = batch
            self._transact(opened, rest)
            if self._is_log_long() or not (opened or rest):
                self._loop.call_soon_threadsafe(_resolve, _answers(opened + rest))
                self._shorten_log()
            self._loop.call_soon_threadsafe(self._come_back, opened + rest)

    def _transact(self, opened: list[_Work], rest: list[_Work]) -> None:
        try:
            if rest and not opened:
                self._begin_patiently()
            for work in rest:
                self._apply(work)
            if any(work.applied for work in rest):
                self._loop.call_soon_threadsafe(_resolve, _answers(rest, durable=False))
            if opened or rest:
                self._commit()
        except sqlite3.Error as error:
            self._abandon(opened + rest, error)

    def _commit(self) -> None:
        begun = time.monotonic()
        self._connection.execute("COMMIT")
        ended = time.monotonic()
        self._commit_seconds += (ended - begun - self._commit_seconds) / 8
        if self._connection.total_changes > self._changes:
            self.commits += 1
            self._committed_at = ended

    def _is_log_long(self) -> bool:
        changes = self._connection.total_changes - self._shortened[1]
        return self.commits - self._shortened[0] > _LONG_COMMITS or changes > _LONG_CHANGES

    def _shorten_log(self) -> None:
        """Move what the log has into the file: takes tens of milliseconds, so it is not left to a commit.

        Nothing is lost if that fails, as on a full disk: it is tried again later.
        """
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._shortened = (self.commits, self._connection.total_changes)

    def _begin_patiently(self) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {_LOCKED_MS}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute("PRAGMA busy_timeout = 0")
        self._changes = self._connection.total_changes

    def _apply(self, work: _Work) -> None:
        """Run one step so that its failure undoes its own changes and nobody else's."""
        is_first = self._connection.total_changes == self._changes
        if not is_first:
            self._connection.execute("SAVEPOINT step")
        try:
            work.answer = work.step(self._connection)
        except sqlite3.OperationalError:
            raise
        except Exception as failure:
            work.failure = failure
            self._undo(is_first=is_first)
        if not is_first:
            self._connection.execute("RELEASE step")

    def _undo(self, *, is_first: bool) -> None:
        if not is_first:
            self._connection.execute("ROLLBACK TO step")
        elif self._connection.total_changes != self._changes:
            self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            self._changes = self._connection.total_changes

    def _abandon(self, works: list[_Work], error: sqlite3.Error) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        for work in works:
            work.failure = StoreUnavailable(f"the store could not commit: {error}")

    def _come_back(self, works: list[_Work]) -> None:
        self._is_away = False
        self._answer(
            [work for work in works if work.is_urgent], [work for work in works if not work.is_urgent]
        )
        if self._waiting:
            self._advance()
        elif self._closed is not None:
            self._closed.set_result(None)
        elif self.commits - self._shortened[0] > _TIDY_COMMITS:
            self._tidy_soon()

    def _answer(self, urgent: list[_Work], others: list[_Work]) -> None:
        """Whoever is urgent has a turn of the loop for themselves, so that what they say leaves first."""
        _resolve(_answers(urgent))
        if urgent:
            self._loop.call_soon(_resolve, _answers(others))
        else:
            _resolve(_answers(others))

    def _tidy_soon(self) -> None:
        """When nobody has wanted anything for a moment, the log is shortened before it must be."""
        if self._tidying is not None:
            self._tidying.cancel()
        self._tidying = self._loop.call_later(_QUIET_SECONDS, self._tidy)

    def _tidy(self) -> None:
        if not (self._is_away or self._open or self._ending or self._closed):
            self._is_away = True
            self._handed_over.put(([], []))


_Answer = tuple[asyncio.Future[Any], _Work]


def _answers(works: list[_Work], *, durable: bool = True) -> list[_Answer]:
    """What is owed for these works; what was answered before is passed over."""
    owed = [(work.applied, work) for work in works if work.applied is not None]
    return owed + [(work.durable, work) for work in works if durable and work.durable is not None]


def _resolve(answers: list[_Answer]) -> None:
    for future, work in answers:
        if future.done():
            continue
        if work.failure is None:
            future.set_result(work.answer)
            continue
        future.set_exception(work.failure)
        if work.applied is not None:
            future.exception()  # of two futures for one failure, one may never be looked at
