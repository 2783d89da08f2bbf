"""Opens connections to the database file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_BUSY_MS = 5000


def open_writer(path: Path, *, relaxed: bool) -> sqlite3.Connection:
    """Open the only connection that writes. Unless relaxed, a commit returns once it is on disk."""
    connection = _connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if relaxed else 'FULL'}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")  # the writer checkpoints
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=256, timeout=_BUSY_MS / 1000
    )
    connection.execute("PRAGMA cache_size = -65536")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection
