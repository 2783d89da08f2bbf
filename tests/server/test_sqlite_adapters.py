"""Adapters of SQLite's parameters, in a process of their own: they are registered for a whole process."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sqlite3
from workroom.domain.job import JobState
from workroom.stores.sqlite.fast.adapters import register_adapters

VALUES = [None, b"", b"\\0bytes", True, False, JobState.RUNNING, 0, -1.5, "text"]

def stored():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in VALUES])
    return [(x, kind) for x, kind in connection.execute("SELECT x, typeof(x) FROM t ORDER BY rowid")]

before = stored()
register_adapters()
assert stored() == before, stored()
print(before == [(None, "null"), (b"", "blob"), (b"\\0bytes", "blob"), (1, "integer"), (0, "integer"),
                 ("running", "text"), (0, "integer"), (-1.5, "real"), ("text", "text")])
"""


def test_values_are_stored_as_without_adapters() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "True"
