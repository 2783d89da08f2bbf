"""An archive in a SQLite file, which the servers of one machine can share."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import structlog

from workroom.domain.jobs.annotation import Annotating, Saved
from workroom.domain.queries import Query
from workroom.domain.storage.archive import Ended
from workroom.errors import StartRefused, StoreUnavailable
from workroom.stores.archive import keeping, queries
from workroom.stores.archive.statements import SQL
from workroom.stores.sqlite.connection import open_writer, with_remedy
from workroom.stores.sqlite.queries.readers import Readers
from workroom.stores.sqlite.writer import Writer

T = TypeVar("T")
_VERSION = 2
log = structlog.get_logger()


class SqliteArchive:
    def __init__(self, path: Path) -> None:
        """Raise StartRefused if the file cannot be used."""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            connection, self.name = _open(path)
        except (sqlite3.Error, StartRefused) as error:
            reason = with_remedy(error) if isinstance(error, sqlite3.Error) else error
            raise StartRefused(f"cannot use {path} as the archive: {reason}") from error
        self._writer = Writer(connection)
        self._readers = Readers(path)
        log.info("archive_opened", path=str(path), reason="only servers of this machine can share it")

    def bind(self, epoch: str) -> Awaitable[str]:
        def step(connection: sqlite3.Connection) -> str:
            connection.execute(SQL["bind"], (epoch,))
            return str(connection.execute(SQL["belonging"]).fetchone()[1])

        return self._writer.durable(step)

    def keep(self, jobs: Sequence[Ended]) -> Awaitable[None]:
        return self._writer.durable(lambda connection: keeping.keep(connection, jobs))

    def annotate(self, annotations: Sequence[Annotating]) -> Awaitable[list[Saved]]:
        return self._writer.durable(lambda connection: keeping.annotate(connection, annotations))

    def read(self, query: Query[T]) -> Awaitable[T]:
        return self._readers.run(lambda connection: _run_query(connection, query))

    def forget(self, job_ids: Sequence[str]) -> Awaitable[None]:
        return self._writer.durable(lambda connection: keeping.forget(connection, job_ids))

    async def aclose(self) -> None:
        await self._writer.aclose()
        self._readers.close()


def _open(path: Path) -> tuple[sqlite3.Connection, str]:
    """A connection that writes, and the name of the archive."""
    connection = open_writer(path, relaxed=False)
    try:
        return connection, _prepare(connection)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: sqlite3.Connection) -> str:
    """Create the tables, and return the name of the archive."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    _check_owner(connection, version)
    if version > _VERSION:
        raise StartRefused(
            f"it has version {version}, made by a newer Workroom; this one knows {_VERSION}: install that one"
        )
    script = (SQL["add_groups"] if version == 1 else "") + SQL["schema"]
    connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {_VERSION};\nCOMMIT;")
    connection.execute(SQL["name"], (uuid4().hex,))
    return str(connection.execute(SQL["belonging"]).fetchone()[0])


def _check_owner(connection: sqlite3.Connection, version: int) -> None:
    """An archive has a version and no application, which the database of a server has."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application or (tables and not version):
        raise StartRefused("it is another database: use another file")


def _run_query(connection: sqlite3.Connection, query: Query[T]) -> T:
    try:
        result: T = queries.run_query(connection, query)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"the archive cannot be read: {error}") from error
    return result
