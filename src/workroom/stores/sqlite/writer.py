"""The only writer of the database: all queued steps share one transaction and one fdatasync."""

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

import structlog

from workroom.domain.storage.activity import StoreActivity
from workroom.errors import StoreDamaged, StoreUnavailable
from workroom.ports import Receipt
from workroom.stores.sqlite.log_file import LogFile

T = TypeVar("T")
Change = Callable[[sqlite3.Connection], T]
log = structlog.get_logger()
_LOCKED_MS = 5000
_QUICK_SECONDS = 0.01
_TURNS = 3
_LINGER_SECONDS = 0.002
_BUSY_SECONDS = 0.01  # after a commit
_QUIET_SECONDS, _IDLE_SECONDS = 0.01, 1.0


@dataclass(slots=True)
class _Work:
    step: Change[Any]
    is_brief: bool
    applied: asyncio.Future[Any] | None
    durable: asyncio.Future[Any] | None
    is_urgent: bool = False
    result: Any = None
    failure: Exception | None = None


class Writer:
    """Owns the write connection. Steps run in the order in which they were queued.

    Brief steps run at once on the event loop and are committed there while the disk is quick, because waking
    a thread takes longer. Other steps, and commits to a slow disk, run in a thread; steps queued meanwhile
    wait for the next transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Work] = deque()
        self._open: list[_Work] = []  # steps in the open transaction
        self._changes = 0
        self._commit_seconds = 0.0  # moving average
        self._committed_at = 0.0
        self._ending: asyncio.Handle | None = None
        self._has_lingered = False
        self._is_in_thread = False  # the thread has the connection
        self._log = LogFile(connection)
        self._tidying: asyncio.TimerHandle | None = None
        self._idling: asyncio.TimerHandle | None = None
        self._is_idle = False  # while the log is truncated
        self._closed: asyncio.Future[None] | None = None
        self._stopped: StoreUnavailable | None = None
        self.is_failing = False  # a commit failed, and none of that size has succeeded since
        self.commits = 0
        self.activity = StoreActivity()
        self._handed_over: SimpleQueue[tuple[list[_Work], list[_Work]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="workroom-writer", daemon=True)
        connection.execute("PRAGMA busy_timeout = 0")
        self._thread.start()

    def applied(self, step: Change[T], *, brief: bool = False) -> Awaitable[T]:
        """Return the result as soon as the step has run, before it is on disk."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, brief, future, None))
        return future

    def durable(self, step: Change[T], *, brief: bool = False, urgent: bool = False) -> asyncio.Future[T]:
        """Return the result once the transaction with this step is on disk.

        An urgent step is committed without lingering, and its result is delivered before those of the others.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, brief, None, future, urgent))
        if urgent:
            self._commit_soon()
        return future

    def both(self, step: Change[T], *, brief: bool = False) -> Receipt[T]:
        applied: asyncio.Future[T] = self._loop.create_future()
        durable: asyncio.Future[T] = self._loop.create_future()
        self._put(_Work(step, brief, applied, durable))
        return Receipt(applied, durable)

    def linger(self) -> None:
        """Delay the commit a little, once, for a step that is about to come.

        Not right after another commit: callers that submit one by one would wait longer for nothing.
        """
        is_busy = time.monotonic() - self._committed_at < _BUSY_SECONDS
        if self._ending is not None and not (self._has_lingered or is_busy):
            self._has_lingered = True
            self._ending.cancel()
            self._ending = self._loop.call_later(_LINGER_SECONDS, self._end, 0)

    def stop(self, reason: StoreUnavailable) -> None:
        """Run no further step: each fails for this reason."""
        if self._stopped is None:
            log.error(
                reason.code, reason=reason.detail, outcome="nothing is written until the server is restarted"
            )
        self._stopped = reason

    async def aclose(self) -> None:
        """Finish the queued steps and close the connection."""
        self._closed = self._loop.create_future()
        if self._is_in_thread or self._ending is not None:
            await self._closed
        self._handed_over.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()

    def _put(self, work: _Work) -> None:
        if self._closed is not None:
            raise StoreUnavailable("the store is closed")
        if self._stopped is not None:
            work.failure = type(self._stopped)(self._stopped.detail)
            _resolve(_futures([work]))
            return
        self._waiting.append(work)
        if not self._is_in_thread:
            self._advance()

    def _advance(self) -> None:
        """Run brief steps. Steps queued in this turn of the loop join the transaction."""
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
            _resolve(_futures(opened))

    def _commit_soon(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
            self._ending = self._loop.call_soon(self._end, 0)

    def _begin(self) -> bool:
        """Return False if another process holds the write lock: the thread waits for it, not the loop."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise
        self._changes = self._connection.total_changes
        return True

    def _end(self, turns: int) -> None:
        """Commit after a few turns of the loop, so that pushes leave before the commit."""
        if turns:
            self._ending = self._loop.call_soon(self._end, turns - 1)
            return
        self._ending, self._has_lingered = None, False
        opened, self._open = self._open, []
        rest = list(self._waiting)
        self._waiting.clear()
        if rest or self._commit_seconds > _QUICK_SECONDS or self._log.is_long:
            self._is_in_thread = True
            self._handed_over.put((opened, rest))
        else:
            self._transact(opened, rest)
            self._return_connection(opened)

    def _run(self) -> None:
        while (batch := self._handed_over.get()) is not None:
            opened, rest = batch
            del batch
            self._transact(opened, rest)
            if self._log.is_long or not (opened or rest):
                self._loop.call_soon_threadsafe(_resolve, _futures(opened + rest))
                self._log.checkpoint(idle=self._is_idle)
            self._loop.call_soon_threadsafe(self._return_connection, opened + rest)
            del opened, rest  # the values of the last jobs, until there are others

    def _transact(self, opened: list[_Work], rest: list[_Work]) -> None:
        try:
            if rest and not opened:
                self._begin_with_timeout()
            for work in rest:
                self._apply(work)
            if any(work.applied for work in rest):
                self._loop.call_soon_threadsafe(_resolve, _futures(rest, durable=False))
            if opened or rest:
                self._commit(len(opened) + len(rest))
        except sqlite3.Error as error:
            self._abandon(opened + rest, error)

    def _commit(self, steps: int) -> None:
        begun = time.monotonic()
        self._connection.execute("COMMIT")
        ended = time.monotonic()
        self._commit_seconds += (ended - begun - self._commit_seconds) / 8
        if self._connection.total_changes > self._changes:
            self.commits += 1
            self._committed_at = ended
            self.activity.committed(steps, ended - begun)
            self._log.committed()

    def _begin_with_timeout(self) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {_LOCKED_MS}")
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        finally:
            self._connection.execute("PRAGMA busy_timeout = 0")
        self._changes = self._connection.total_changes

    def _apply(self, work: _Work) -> None:
        """Run one step in a savepoint, so that its failure undoes only its own changes."""
        is_first = self._connection.total_changes == self._changes
        if not is_first:
            self._connection.execute("SAVEPOINT step")
        try:
            work.result = work.step(self._connection)
        except sqlite3.OperationalError:
            raise
        except Exception as failure:
            if is_damage(failure):
                raise
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
        self.is_failing = True
        if is_damage(error):
            self.stop(damage(error))
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # a damaged file: nothing was committed
                self._connection.execute("ROLLBACK")
        for work in works:
            work.failure = self._stopped or StoreUnavailable(f"the store could not commit: {error}")

    def _return_connection(self, works: list[_Work]) -> None:
        self._is_in_thread = self._is_idle = False
        self._deliver(
            [work for work in works if work.is_urgent], [work for work in works if not work.is_urgent]
        )
        if self._waiting:
            self._advance()
        elif self._closed is not None:
            self._closed.set_result(None)
        elif self._log.is_worth_tidying:
            self._tidy_soon()
        if self._idling is None and self._closed is None:
            self._idling = self._loop.call_later(_IDLE_SECONDS, self._shorten_log, self.commits)

    def _deliver(self, urgent: list[_Work], others: list[_Work]) -> None:
        """Deliver urgent results one turn of the loop earlier, so that their replies leave first."""
        _resolve(_futures(urgent))
        if urgent:
            self._loop.call_soon(_resolve, _futures(others))
        else:
            _resolve(_futures(others))

    def _tidy_soon(self) -> None:
        """Checkpoint when the store has been idle for a moment, before the log gets long."""
        if self._tidying is not None:
            self._tidying.cancel()
        self._tidying = self._loop.call_later(_QUIET_SECONDS, self._tidy)

    def _tidy(self) -> None:
        if not self._is_busy:
            self._is_in_thread = True
            self._handed_over.put(([], []))

    def _shorten_log(self, commits: int) -> None:
        """Truncate the log if there was no commit since the timer began."""
        self._idling = None
        if self._closed is not None:
            return
        if self._is_busy or commits != self.commits:
            self._idling = self._loop.call_later(_IDLE_SECONDS, self._shorten_log, self.commits)
        elif self._log.is_worth_truncating:
            self._is_idle = True
            self._tidy()

    @property
    def _is_busy(self) -> bool:
        return bool(self._is_in_thread or self._open or self._ending or self._closed)


def is_damage(error: Exception) -> bool:
    """Whether the file does not contain what SQLite once wrote to it."""
    codes = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in codes


def damage(error: Exception) -> StoreDamaged:
    return StoreDamaged(f"the database is damaged ({error}): stop the server and restore a backup")


_Resolution = tuple[asyncio.Future[Any], _Work]


def _futures(works: list[_Work], *, durable: bool = True) -> list[_Resolution]:
    """Return the futures of these steps, each with its step."""
    futures = [(work.applied, work) for work in works if work.applied is not None]
    return futures + [(work.durable, work) for work in works if durable and work.durable is not None]


def _resolve(resolutions: list[_Resolution]) -> None:
    for future, work in resolutions:
        if future.done():
            continue
        if work.failure is None:
            future.set_result(work.result)
            continue
        future.set_exception(work.failure)
        if work.applied is not None:
            future.exception()  # mark as retrieved: callers may await only one of the two futures
