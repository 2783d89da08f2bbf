"""Files written past the page cache: from memory to the disk, without a copy and without new pages."""

from __future__ import annotations

import errno
import os

_DIRECT: int = getattr(os, "O_DIRECT", 0)  # Linux
_MIN_BYTES = 1 << 20  # of a file that is worth it: those of small changes are read soon, and stay in memory
_BLOCK = 4096
_CREATING = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
_UNSUPPORTED = frozenset({errno.EINVAL, errno.EOPNOTSUPP})


def write_synced(path: str, content: bytes | memoryview) -> None:
    """Create a file that is on disk when this returns.

    It goes past the page cache if the file system can, and if the memory is aligned as mapped memory is.
    """
    view = memoryview(content)
    done = _write_direct(path, view) if _DIRECT and len(view) >= _MIN_BYTES else 0
    descriptor = os.open(path, _CREATING | (0 if done else os.O_TRUNC), 0o666)
    try:
        os.lseek(descriptor, done, os.SEEK_SET)
        _write(descriptor, view[done:])
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_direct(path: str, content: memoryview) -> int:
    """Write whole blocks. Return how many bytes were written: none where that is not possible."""
    try:
        descriptor = os.open(path, _CREATING | os.O_TRUNC | _DIRECT, 0o666)
    except OSError as error:
        return _nothing(error)
    try:
        return os.write(descriptor, content[: len(content) // _BLOCK * _BLOCK])
    except OSError as error:
        return _nothing(error)
    finally:
        os.close(descriptor)


def _nothing(error: OSError) -> int:
    if error.errno in _UNSUPPORTED:
        return 0
    raise error


def _write(descriptor: int, content: memoryview) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
