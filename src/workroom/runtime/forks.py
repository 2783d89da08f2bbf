"""Files and sockets of a worker that the processes forked by its jobs must not keep open.

A forked child would keep the worker's connection alive: the server would notice the worker's death only when
its lease ends.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol, TypeVar


class HasFileno(Protocol):
    def fileno(self) -> int: ...


F = TypeVar("F", bound=HasFileno)
_open: weakref.WeakSet[HasFileno] = weakref.WeakSet()


def close_in_children(file: F) -> F:
    """Close this file or socket in processes that are forked from now on, and in them alone."""
    _open.add(file)
    return file


def _close_all() -> None:
    """Put /dev/null in their place: objects that were copied with the process may close the numbers again."""
    descriptors = [descriptor for file in list(_open) if (descriptor := _fileno(file)) >= 0]
    if not descriptors:
        return
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor, inheritable=False)
    os.close(null)
    _open.clear()


def _fileno(file: HasFileno) -> int:
    try:
        return file.fileno()
    except (OSError, ValueError):  # closed
        return -1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all)
