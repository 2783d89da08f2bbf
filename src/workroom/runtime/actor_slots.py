"""Slots that limit how many tasks of an actor run at once, over all processes of a user on one machine.

A slot is a locked file, so the operating system frees it when its process ends.
"""

from __future__ import annotations

import getpass
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_RETRY_SECONDS = 0.1


@contextmanager
def hold_slot(key: str, limit: int, check: Callable[[], None]) -> Iterator[None]:
    """Wait for one of `limit` slots of the key. `check` raises while waiting if the job was cancelled."""
    while (slot := _take(key, max(1, limit))) is None:
        check()
        time.sleep(_RETRY_SECONDS)
    with slot:
        yield


def _take(key: str, limit: int) -> IO[bytes] | None:
    directory = Path(tempfile.gettempdir()) / f"workroom-actors-{getpass.getuser()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    for number in range(limit):
        slot = (directory / f"{name}-{number}").open("ab")
        if _lock(slot):
            return slot
        slot.close()
    return None


def _lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
