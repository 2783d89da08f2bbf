"""Migrates the database: one numbered file per version, each in its own transaction."""

from __future__ import annotations

import sqlite3
from importlib.resources import files


def migrate(connection: sqlite3.Connection) -> None:
    scripts = _scripts()
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(scripts):
        raise RuntimeError(
            f"the database has version {version}, made by a newer Workroom; this one supports {len(scripts)}"
        )
    for number, script in enumerate(scripts[version:], start=version + 1):
        connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version = {number};\nCOMMIT;")


def _scripts() -> list[str]:
    folder = files("workroom.stores.sqlite.migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text("utf-8") for name in names]
