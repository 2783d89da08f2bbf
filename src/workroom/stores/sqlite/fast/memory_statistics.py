"""Turns off SQLite's memory statistics, which lock a mutex for each allocation."""

from __future__ import annotations

import _sqlite3
import ctypes
import sys

_SQLITE_OK = 0
_SQLITE_CONFIG_MEMSTATUS = 9


def turn_off_memory_statistics() -> bool:
    """Call this before the process opens a database: SQLite is configured only while it is not in use.

    Return False where the library is out of reach, because it is part of Python or not on Linux: there
    everything works as well, a little slower.
    """
    if not sys.platform.startswith("linux"):
        return False  # `sqlite3_config` takes variable arguments, which ctypes passes correctly only there
    library = ctypes.CDLL(_sqlite3.__file__)  # finds what that module is linked with
    try:
        shutdown, config, initialize = (
            library.sqlite3_shutdown,
            library.sqlite3_config,
            library.sqlite3_initialize,
        )
    except AttributeError:
        return False
    is_off = shutdown() == _SQLITE_OK and config(_SQLITE_CONFIG_MEMSTATUS, 0) == _SQLITE_OK
    return bool(initialize() == _SQLITE_OK and is_off)
