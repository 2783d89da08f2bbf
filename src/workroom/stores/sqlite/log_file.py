"""The write-ahead log of the database: when it is moved into the database, and how long its file gets."""

from __future__ import annotations

import contextlib
import os
import sqlite3

_LONG_COMMITS, _LONG_CHANGES, _LONG_BYTES = 400, 50_000, 32_000_000
_MEASURED_COMMITS = 8  # after which the size of the file is looked up
_TIDY_COMMITS = 100
_KEPT_BYTES = 4_000_000  # by an idle writer
_READERS_MS = 200


class LogFile:
    """A commit after a checkpoint overwrites the log, which is faster than to extend it. So the file is
    truncated only if it is large, or while there is nothing else to do.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._path = f"{connection.execute('PRAGMA database_list').fetchone()[2]}-wal"
        self._commits = 0  # since the last checkpoint
        self._changes = connection.total_changes  # at the last checkpoint
        self._bytes = 0  # when it was last measured
        self._max_bytes = _LONG_BYTES

    def committed(self) -> None:
        self._commits += 1
        if self._commits % _MEASURED_COMMITS == 0:
            self._bytes = self._measure()

    @property
    def is_long(self) -> bool:
        """Whether a checkpoint is due."""
        changes = self._connection.total_changes - self._changes
        return self._commits > _LONG_COMMITS or changes > _LONG_CHANGES or self._bytes > self._max_bytes

    @property
    def is_worth_tidying(self) -> bool:
        """Whether to checkpoint while the writer has nothing to do for a moment."""
        return self._commits > _TIDY_COMMITS

    @property
    def is_worth_truncating(self) -> bool:
        """The same while it has nothing to do for longer."""
        return self._measure() > _KEPT_BYTES

    def checkpoint(self, *, idle: bool) -> None:
        """Checkpoint, in tens of milliseconds.

        If it fails, as on a full disk, nothing is lost: it is tried again later.
        """
        with contextlib.suppress(sqlite3.Error):
            if idle:
                self._truncate()
            elif self._bytes > self._max_bytes:
                self._truncate(_READERS_MS)
            else:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._commits, self._changes = 0, self._connection.total_changes

    def _truncate(self, wait_ms: int = 0) -> None:
        """If a reader takes longer than this, the log may grow by half until the next attempt."""
        self._connection.execute(f"PRAGMA busy_timeout = {wait_ms}")
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._bytes = self._measure()
            self._max_bytes = max(_LONG_BYTES, self._bytes * 3 // 2)

    def _measure(self) -> int:
        try:
            return os.stat(self._path).st_size  # noqa: PTH116 - a Path takes several times as long
        except OSError:
            return 0
