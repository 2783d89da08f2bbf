"""Opens the database file for the only server that may write to it, and notices when it is exchanged."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from workroom.errors import StartRefused, StoreReplaced
from workroom.stores.sqlite.connection import open_writer, with_remedy
from workroom.stores.sqlite.file_lock import FileLock
from workroom.stores.sqlite.migrations import migrate
from workroom.stores.sqlite.statements import SQL


class Database:
    """The write connection, the lock of the file, and which file it is."""

    def __init__(self, path: Path, *, relaxed: bool, epoch: str | None = None) -> None:
        """Raise StartRefused if the file cannot be used, and StoreReplaced if it has another epoch."""
        self._path = path.resolve()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self._path)
            try:
                self.connection = self._open(relaxed=relaxed, epoch=epoch)
            except BaseException:
                self._lock.release()
                raise
        except StartRefused as error:
            raise StartRefused(f"cannot use {path} as the database: {error}") from error
        self._identity = self._identify()

    def check_identity(self) -> None:
        """Raise StoreReplaced if the path leads to another file now, or to none."""
        if self._identify() != self._identity:
            raise StoreReplaced(
                "the database file was moved, deleted or exchanged while the server ran:"
                " stop the server and put the file back"
            )

    def release(self) -> None:
        """Let another server use the file. The connection is closed by its owner."""
        self._lock.release()

    def _identify(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)  # noqa: PTH116 - called with each sweep
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _open(self, *, relaxed: bool, epoch: str | None) -> sqlite3.Connection:
        try:
            connection = open_writer(self._path, relaxed=relaxed)
            try:
                _prepare(connection, epoch)
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as error:
            raise StartRefused(with_remedy(error)) from error
        return connection


def _prepare(connection: sqlite3.Connection, epoch: str | None) -> None:
    migrate(connection)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(SQL["probe"], (0,))  # refused if the file is read-only, which a BEGIN is not
    connection.execute("ROLLBACK")
    found = connection.execute(SQL["read_epoch"]).fetchone()[0]
    if epoch is not None and found != epoch:
        raise StoreReplaced()
