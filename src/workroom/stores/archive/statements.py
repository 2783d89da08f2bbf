"""The SQL of the archive."""

from __future__ import annotations

from workroom.stores.sqlite.statements import load

SQL = load("workroom.stores.archive")
