"""The files of one running job: what it saves, what it shows, and what it was given."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workroom.domain.files import file_name
from workroom.runtime.content import Source, opened
from workroom.runtime.outlet import Outlet
from workroom.runtime.previews import preview_of


class Desk:
    """The way out is opened when it is first needed: most jobs have no files."""

    def __init__(self, open_outlet: Callable[[], Outlet] | None) -> None:
        self._open_outlet = open_outlet
        self._outlet: Outlet | None = None
        self._turn = threading.RLock()
        self._fetched: dict[str, Path] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def save(self, name: str, source: Source, media_type: str | None) -> dict[str, Any]:
        kept_name = file_name(name)
        with opened(source) as content:
            return self._out().save(kept_name, content, media_type)

    def show(self, thing: Any, kind: str | None) -> None:
        self._out().show(*preview_of(thing, kind))

    def fetch(self, file_id: str) -> Path:
        with self._turn:
            if file_id not in self._fetched:
                self._folder = self._folder or tempfile.TemporaryDirectory(
                    prefix="workroom-", ignore_cleanup_errors=True
                )
                folder = Path(self._folder.name) / str(len(self._fetched))
                folder.mkdir(exist_ok=True)
                self._fetched[file_id] = self._out().fetch(file_id, folder)
            return self._fetched[file_id]

    def close(self) -> None:
        with self._turn:
            if self._outlet is not None:
                self._outlet.close()
            if self._folder is not None:
                self._folder.cleanup()
            self._fetched, self._folder = {}, None

    def _out(self) -> Outlet:
        with self._turn:
            if self._outlet is None:
                if self._open_outlet is None:
                    raise RuntimeError("this job is not run by a worker: it can neither save nor show")
                self._outlet = self._open_outlet()
            return self._outlet
