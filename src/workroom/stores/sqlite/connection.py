"""Opens connections to the database file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_BUSY_MS = 5000
_PAGE_BYTES = 2048  # a commit writes whole pages, of which each step changes a few rows
_REMEDIES = {
    sqlite3.SQLITE_NOTADB: "restore a backup, or use another file",
    sqlite3.SQLITE_CORRUPT: "restore a backup, or use another file",
    sqlite3.SQLITE_READONLY: "make the file and its directory writable for the server",
    sqlite3.SQLITE_CANTOPEN: "make the file and its directory writable for the server",
    sqlite3.SQLITE_FULL: "make room on the disk",
}
_WRITER_CACHE_KB, _READER_CACHE_KB = 8192, 2048  # the system caches the file too; more is not faster


def with_remedy(error: sqlite3.Error) -> str:
    """Why a file cannot be used, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return f"{error}: {_REMEDIES.get(code, 'see the manual of SQLite about this error')}"


def open_writer(path: Path, *, relaxed: bool) -> sqlite3.Connection:
    """Open the only connection that writes. Unless relaxed, a commit returns once it is on disk."""
    connection = _connect(path, _WRITER_CACHE_KB)
    connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # of a new file
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if relaxed else 'FULL'}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")  # the writer checkpoints
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    connection = _connect(path, _READER_CACHE_KB)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _connect(path: Path, cache_kb: int) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, cached_statements=256, timeout=_BUSY_MS / 1000
    )
    connection.execute(f"PRAGMA cache_size = -{cache_kb}")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection
