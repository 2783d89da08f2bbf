"""Passes values to SQLite that `sqlite3` would first search for a way to adapt."""

from __future__ import annotations

import sqlite3

from workroom.domain.job import JobState


def register_adapters() -> None:
    """Adapt None, bytes, booleans and states by functions of C that return what SQLite stores anyway.

    For each parameter of another type than int, float and str, `sqlite3` looks for an adapter, and without
    one for the attributes `__adapt__` and `__conform__`, which raises two exceptions that it ignores.
    """
    nothing: dict[None, None] = {}
    sqlite3.register_adapter(type(None), nothing.get)  # None for any key
    sqlite3.register_adapter(bytes, bytes)
    sqlite3.register_adapter(bool, int)
    sqlite3.register_adapter(JobState, str.__str__)
