"""Migrates the database: one numbered file per version, each in its own transaction."""

from __future__ import annotations

import sqlite3
from importlib.resources import files

from workroom.errors import StartRefused

APPLICATION_ID = 0x576B726D  # "Wkrm": what makes the file a database of Workroom
FIRST = 6  # the version that the first file makes; nobody has a database of an earlier one


def migrate(connection: sqlite3.Connection) -> None:
    """Raise StartRefused if another program made the database, or a version that is not known here."""
    scripts, latest = _scripts(), latest_version()
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    _check_owner(connection)
    if version > latest:
        raise StartRefused(
            f"it has version {version}, made by a newer Workroom; this one knows {latest}: install that one"
        )
    if 0 < version < FIRST:
        raise StartRefused(
            f"it has version {version}, made by an older Workroom; this one knows {latest}: use another file"
        )
    known = max(0, version - FIRST + 1)
    for number, script in enumerate(scripts[known:], start=FIRST + known):
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{script}\nPRAGMA application_id = {APPLICATION_ID};\n"
            f"PRAGMA user_version = {number};\nCOMMIT;"
        )


def latest_version() -> int:
    return FIRST + len(_scripts()) - 1


def _check_owner(connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise StartRefused("it is a database of another program: use another file")


def _scripts() -> list[str]:
    folder = files("workroom.stores.sqlite.migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text("utf-8") for name in names]
