"""A consistent copy of the database, and the blobs that it refers to."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from workroom.errors import BackupFailed
from workroom.server.backup.digests import StoredBlob
from workroom.stores.sqlite.statements import SQL

_PAGES = 4096  # copied at a time

Progress = Callable[[int, int], None]
"""Called with what is done, and with the whole."""


def take_snapshot(database: Path, copy: Path, progress: Progress) -> None:
    """Copy the database as it is at one moment; a server that runs goes on writing meanwhile."""
    copy.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(database, isolation_level=None)) as source,
        closing(sqlite3.connect(copy, isolation_level=None)) as target,
    ):
        source.execute("PRAGMA query_only = ON")
        source.execute("BEGIN")
        source.execute(SQL["read_epoch"]).fetchone()  # from here on the source stays as it is
        source.backup(target, pages=_PAGES, progress=lambda _, left, all: progress(all - left, all))
        target.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def renew_epoch(copy: Path) -> None:
    """Make the copy another store. Streams and servers that know the old one may know more of it."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute(SQL["renew_epoch"])


@contextmanager
def open_snapshot(copy: Path) -> Iterator[Snapshot]:
    """Raise BackupFailed if the copy is damaged."""
    with closing(sqlite3.connect(f"{copy.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            raise BackupFailed(f"the database is damaged: {error}") from error
        if found != "ok":
            raise BackupFailed(f"the database is damaged: {found}")
        yield Snapshot(connection)


class Snapshot:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def epoch(self) -> str:
        return str(self._connection.execute(SQL["read_epoch"]).fetchone()[0])

    def counts(self) -> dict[str, int]:
        rooms, jobs, transitions = self._connection.execute(SQL["backup_counts"]).fetchone()
        return {"rooms": rooms, "jobs": jobs, "transitions": transitions}

    def blobs(self) -> dict[str, StoredBlob]:
        """Everything that files, artifacts, previews and frames refer to, by id."""
        return {row[0]: StoredBlob(*row) for row in self._connection.execute(SQL["backup_blobs"])}
