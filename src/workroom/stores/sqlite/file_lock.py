"""The lock of a database file, beside it: the server that has it is the only one on the file."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from workroom.errors import StartRefused


class FileLock:
    """A second server would consider the workers of the first one lost.

    SQLite's own locks are released when any descriptor of the database is closed, so this is another file.
    """

    def __init__(self, database: Path) -> None:
        path = database.with_name(f"{database.name}.lock")
        self._descriptor: int | None = None
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StartRefused(
                f"its lock file {path} cannot be opened ({error.strerror}): delete it or make it writable"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise StartRefused("another server uses it: stop that one, or choose another --store") from error
        self._descriptor = descriptor

    def release(self) -> None:
        """Another server may use the file. Further calls do nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)
