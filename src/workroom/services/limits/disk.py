"""Free space on the server's disks."""

from __future__ import annotations

import shutil
from pathlib import Path

from workroom.errors import StorageFull
from workroom.ports import Clock

_TRUSTED_SECONDS = 1.0


class Disk:
    """The disks that the server writes to. Each is checked at most once a second."""

    def __init__(self, paths: list[Path], min_free: int, clock: Clock) -> None:
        self._paths = {_existing(path.resolve()) for path in paths}
        self._min_free = min_free
        self._clock = clock
        self._looked_at = float("-inf")
        self._free = 0

    def check(self, size: int = 0, now: float | None = None) -> None:
        """Raises StorageFull unless enough stays free after so many bytes."""
        now = self._clock.monotonic() if now is None else now
        if now - self._looked_at >= _TRUSTED_SECONDS:
            self._free = min((shutil.disk_usage(path).free for path in self._paths), default=self._min_free)
            self._looked_at = now
        if self._free - size < self._min_free:
            raise StorageFull(
                f"the server's disk has {self._free:,} bytes left and keeps {self._min_free:,} free:"
                " nothing was stored. Ask an admin to make room",
                free_bytes=self._free,
                min_free_bytes=self._min_free,
            )


def _existing(path: Path) -> Path:
    """The path, or its closest parent that exists."""
    return next(each for each in (path, *path.parents) if each.exists())
