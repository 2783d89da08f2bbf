"""The files whose changes replace the worker."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

_Stamp = tuple[int, int, int]


class WatchedFiles:
    """Compares times and sizes: there are few files, and no package for this is needed."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._stamps = {path.resolve(): _stamp(path) for path in paths}

    def add(self, paths: Iterable[Path]) -> None:
        for path in paths:
            self._stamps.setdefault(path.resolve(), _stamp(path))

    def changed(self) -> list[Path]:
        """The files that have changed since the last call."""
        now = {path: _stamp(path) for path in self._stamps}
        found = [path for path, stamp in now.items() if stamp != self._stamps[path]]
        self._stamps = now
        return found


def imported_files(folders: Iterable[Path]) -> list[Path]:
    """The files of the modules that this process has imported from these folders."""
    roots = [folder.resolve() for folder in folders]
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    paths = [Path(file) for file in files if isinstance(file, str) and file.endswith(".py")]
    return [path for path in paths if _is_watched(path, roots)]


def _is_watched(path: Path, roots: list[Path]) -> bool:
    return "site-packages" not in path.parts and any(path.is_relative_to(root) for root in roots)


def _stamp(path: Path) -> _Stamp | None:
    """None while there is no such file, as editors replace it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
