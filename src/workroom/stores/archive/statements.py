"""The archive's SQL statements."""

from __future__ import annotations

from workroom.stores.sqlite.statements import load

SQL = load("workroom.stores.archive")
