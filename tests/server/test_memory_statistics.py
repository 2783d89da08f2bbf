"""SQLite without memory statistics, in a process of its own: SQLite is configured before it is in use."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import ctypes, sqlite3, _sqlite3
from workroom.stores.sqlite.fast.memory_statistics import turn_off_memory_statistics

is_off = turn_off_memory_statistics()
connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE t (x)")
connection.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(1000)])
assert connection.execute("SELECT sum(x) FROM t").fetchone() == (499500,)
counted = ctypes.CDLL(_sqlite3.__file__).sqlite3_memory_used() if is_off else 0
print(is_off, counted)
"""


def test_sqlite_works_and_counts_no_allocations() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)

    is_off, counted = done.stdout.split()
    assert counted == "0"
    assert is_off == str(sys.platform.startswith("linux"))
